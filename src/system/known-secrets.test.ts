import { expect, test } from "bun:test"
import { Effect } from "effect"
import { it } from "../../test/kit/it.ts"
import { tempFolder } from "../../test/kit/temp-folder.ts"
import { redactionOf, redactSecrets } from "../kernel/redact-secrets.ts"
import { environmentSecrets, fileSecrets } from "./known-secrets.ts"

test.each<[string, string, boolean]>([
  ["GEMINI_API_KEY", "abcdef123456", true],
  ["GOOGLE_API_KEY", "plain-word", true],
  ["GITHUB_TOKEN", "v1.0123456789abcdef", true],
  ["MY_PASSWORD", "correct-horse-9", true],
  ["AWS_SECRET_ACCESS_KEY", "wJalrXUtnFEMI/K7MDENG", true],
  ["HARMLESS", "ghp_0123456789012345678901234567890123456789", true],
  ["DATABASE", "postgres://me:pass@host/db", true],
  ["PATH", "/usr/bin:/bin", false],
  ["XAUTHORITY", "/home/me/.Xauthority", false],
  ["SSH_AUTH_SOCK", "/tmp/ssh-x/agent.1", false],
  ["GOOGLE_APPLICATION_CREDENTIALS", "secrets/account.json", false],
  ["TOKEN_KIND", "bearer", false],
  ["AUTH", "none", false],
  ["KEYBOARD", "us-international-1", false],
  ["OAUTH_TOKEN_URL", "https://example.com/token", false]
])("%s=%s: %p", (name, value, isSecret) =>
  expect(environmentSecrets({ [name]: value })).toEqual(isSecret ? [{ name, value }] : [])
)

it.effect("credential files are read for what is secret in them", () =>
  Effect.gen(function* () {
    const root = yield* tempFolder({
      "oauth.json": '{"access_token":"tok-1234567","scope":"email profile","nested":[{"refreshToken":"ref-1234567"}]}',
      "broken.json": "{"
    })
    expect(fileSecrets([`${root}/oauth.json`, `${root}/broken.json`, `${root}/missing.json`])).toEqual([
      { name: "access_token", value: "tok-1234567" },
      { name: "refreshToken", value: "ref-1234567" }
    ])
  })
)

test("short values are left alone: they would match by chance", () =>
  expect(redactSecrets("a b abc1234", [{ name: "X", value: "abc1234" }])).toBe("a b abc1234"))

test("a value that holds another one goes as a whole, and JSON stays JSON", () => {
  const redact = redactionOf([
    { name: "SHORT", value: "canary-12" },
    { name: "LONG", value: 'canary-12"34\n' }
  ])
  const json = redact(JSON.stringify({ a: 'x canary-12"34\n y', b: JSON.stringify('canary-12"34\n'), c: "canary-12" }))
  expect(JSON.parse(json)).toEqual({ a: "x [REDACTED:LONG] y", b: '"[REDACTED:LONG]"', c: "[REDACTED:SHORT]" })
})
