/** Which variables the rules hide, row by row. */
import { expect, test } from "bun:test"
import { coverCredentials, coverText, type RedactionRules, redact } from "./environment-redaction.ts"

const on: RedactionRules = { enabled: true, allowed: [], blocked: [] }
const off: RedactionRules = { enabled: false, allowed: [], blocked: [] }

const passes = (name: string, value: string, rules: RedactionRules = on) => name in redact({ [name]: value }, rules)

const table: ReadonlyArray<readonly [name: string, value: string, isKept: boolean]> = [
  ["GEMINI_CLI_ANYTHING_TOKEN", "ghp_".padEnd(60, "a"), true],
  ["PATH", "/bin", true],
  ["path", "/bin", true],
  ["GITHUB_ENV", "x", true],
  ["EDITOR", "vi", true],
  ["MY_TOKEN", "x", false],
  ["client_secret", "x", false],
  ["DB_PASSWORD", "x", false],
  ["OLD_PASSWD", "x", false],
  ["SSH_KEY_FILE", "x", false],
  ["AUTHOR", "x", false],
  ["CREDENTIALS", "x", false],
  ["MY_CREDS", "x", false],
  ["PRIVATE_X", "x", false],
  ["SSL_CERT_FILE", "x", false],
  ["CLIENT_ID", "x", false],
  ["DATABASE_URL", "x", false],
  ["GOOGLE_CLOUD_PROJECT", "x", false],
  ["AWS_DEFAULT_REGION", "x", false],
  ["GIT_CONFIG_KEY_0", "x", true],
  ["GIT_CONFIG_VALUE_0", "AIzaSy".padEnd(39, "a"), false],
  ["HOME", "https://user:password@host/x", false],
  ["PLAIN", "https://host/x:y@z", true],
  ["PLAIN", "-----BEGIN RSA PRIVATE KEY-----", false],
  ["PLAIN", "-----BEGIN CERTIFICATE-----", false],
  ["PLAIN", "ghp_".padEnd(40, "a"), false],
  ["PLAIN", "ghp_".padEnd(39, "a"), true],
  ["PLAIN", "github_pat_".padEnd(47, "a"), false],
  ["PLAIN", "AIzaSy".padEnd(39, "x"), false],
  ["PLAIN", "AIzaSy".padEnd(38, "x"), true],
  ["PLAIN", "AKIA".padEnd(20, "A"), false],
  ["PLAIN", "eyJhbGciOi.eyJzdWIi.c2ln", false],
  ["PLAIN", "sk_live_abc", false],
  ["PLAIN", "rk_test_abc", false],
  ["PLAIN", "xoxb-1-2", false]
]

for (const [name, value, isKept] of table) {
  test(`${name}=${value.slice(0, 30)} is ${isKept ? "kept" : "hidden"}`, () => expect(passes(name, value)).toBe(isKept))
}

test("rules that are off hide nothing", () => {
  expect(redact({ MY_TOKEN: "ghp_".padEnd(60, "a") }, off)).toEqual({ MY_TOKEN: "ghp_".padEnd(60, "a") })
})

test("the user's lists win over names, not over values", () => {
  expect(passes("MY_TOKEN", "x", { ...on, allowed: ["my_token"] })).toBe(true)
  expect(passes("MY_TOKEN", "xoxb-1-2", { ...on, allowed: ["MY_TOKEN"] })).toBe(false)
  expect(passes("EDITOR", "vi", { ...on, blocked: ["editor"] })).toBe(false)
  expect(passes("PATH", "/bin", { ...on, blocked: ["PATH"] })).toBe(false)
  expect(passes("BOTH", "x", { enabled: true, allowed: ["BOTH"], blocked: ["BOTH"] })).toBe(true)
})

test("in continuous integration only the always-allowed names pass", () => {
  const variables = { PATH: "/bin", EDITOR: "vi", GITHUB_SHA: "abc", ISSUE_TITLE: "x", GEMINI_CLI_X: "1", MINE: "1" }
  expect(redact(variables, { ...off, allowed: ["MINE"] })).toEqual({
    PATH: "/bin",
    ISSUE_TITLE: "x",
    GEMINI_CLI_X: "1",
    MINE: "1"
  })
  expect(redact({ SURFACE: "Github", EDITOR: "vi" }, off)).toEqual({})
})

test.each<[string, string]>([
  ["https://me:s3cret@x.example/mcp?key=s3cret&v=1#a", "https://(hidden)@x.example/mcp?key=(hidden)&v=(hidden)#a"],
  ["http://s3cret@127.0.0.1:1", "http://(hidden)@127.0.0.1:1"],
  ["srv --api-key s3cret --verbose", "srv --api-key (hidden) --verbose"],
  ["srv --token=s3cret -p 1", "srv --token=(hidden) -p 1"],
  ["srv --password 's3 cret' x", "srv --password (hidden) x"],
  ["MY_TOKEN=s3cret OTHER=1 srv", "MY_TOKEN=(hidden) OTHER=1 srv"],
  ["curl -H 'Authorization: Bearer s3cret' x", "curl -H 'Authorization: Bearer (hidden)' x"],
  ['curl -H "X-Api-Key: s3cret" x', 'curl -H "X-Api-Key: (hidden)" x'],
  ["srv ghp_0123456789abcdefghijklmnopqrstuvwxyz", "srv (hidden)"],
  // Said of nobody: names of variables, other options, addresses, files.
  ...[
    "curl -H 'Authorization: Bearer $TOKEN' --token $TOKEN --key-file",
    "git log --author=me --authors --tokens-per-line",
    "http://127.0.0.1:8080/a/b",
    "npx -y @scope/server@1.2.3 --port 80",
    "a token is what it reads"
  ].map((same): [string, string] => [same, same])
])("%s is shown as %s", (text, shown) => expect(coverText(text)).toBe(shown))

test("fields are known by their names, words by the word before them", () => {
  const server = {
    command: "srv",
    args: ["--token", "s3cret", "--token", "--other", "plain"],
    env: { DEBUG: "1", DB_PASSWORD: "s3cret", API_KEY_2: "s3cret", NAME: "$API_KEY", MY_TOKEN: "$OTHER" },
    headers: { Accept: "s3cret" },
    oauth: { clientId: "me", clientSecret: "s3cret", tokenParamName: "t", tokenUrl: "https://x.example/t" },
    timeout: 5
  }
  expect(coverCredentials({ mine: server })).toEqual({
    mine: {
      ...server,
      args: ["--token", "(hidden)", "--token", "--other", "plain"],
      env: { ...server.env, DB_PASSWORD: "(hidden)", API_KEY_2: "(hidden)" },
      headers: { Accept: "(hidden)" },
      oauth: { ...server.oauth, clientSecret: "(hidden)" }
    }
  })
})
