/** Which variables reach a command, row by row. */
import { expect, test } from "bun:test"
import { childEnvironment } from "./child-environment.ts"
import { type RedactionRules, redact } from "./environment-redaction.ts"

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

const child = (variables: Record<string, string>, more: Partial<Parameters<typeof childEnvironment>[0]> = {}) =>
  childEnvironment({ variables, redaction: off, pager: "cat", lockedGit: undefined, mark: "m", ...more })

test("our own credentials and runtime switches never reach a command", () => {
  const own = {
    GEMINI_API_KEY: "k",
    GOOGLE_API_KEY: "k",
    google_application_credentials: "/f",
    GOOGLE_CLOUD_ACCESS_TOKEN: "t",
    GEMINI_CLI_CUSTOM_HEADERS: "Authorization: x",
    GEMINI_CLI_IDE_AUTH_TOKEN: "t",
    BUN_OPTIONS: "--smol",
    BUN_BE_BUN: "1",
    BUN_INSPECT: "1"
  }
  const seen = child({ ...own, OTHER: "1" })
  for (const name of Object.keys(own)) expect(seen).not.toHaveProperty(name)
  expect(seen.OTHER).toBe("1")
})

test("the user can hand a credential on, a runtime switch not", () => {
  const redaction = { ...off, allowed: ["gemini_api_key", "BUN_OPTIONS"] }
  const seen = child({ GEMINI_API_KEY: "k", GOOGLE_API_KEY: "g", BUN_OPTIONS: "x" }, { redaction })
  expect(seen.GEMINI_API_KEY).toBe("k")
  expect(seen).not.toHaveProperty("GOOGLE_API_KEY")
  expect(seen).not.toHaveProperty("BUN_OPTIONS")
})

test("nothing waits for a person", () => {
  expect(child({ TERM: "dumb", PAGER: "less", DISPLAY: ":0", GIT_EDITOR: "vi" }, { pager: "more" })).toEqual({
    GEMINI_CLI: "1",
    TERM: "xterm-256color",
    PAGER: "more",
    GIT_PAGER: "more",
    GIT_TERMINAL_PROMPT: "0",
    GIT_ASKPASS: "",
    SSH_ASKPASS: "",
    DISPLAY: "",
    DBUS_SESSION_BUS_ADDRESS: "",
    GH_PROMPT_DISABLED: "1",
    GCM_INTERACTIVE: "never",
    GIT_CONFIG_COUNT: "3",
    GIT_CONFIG_KEY_0: "core.editor",
    GIT_CONFIG_VALUE_0: "",
    GIT_CONFIG_KEY_1: "sequence.editor",
    GIT_CONFIG_VALUE_1: "",
    GIT_CONFIG_KEY_2: "core.pager",
    GIT_CONFIG_VALUE_2: "cat",
    GEMINI_CLI_COMMAND_ID: "m"
  })
})

test("git settings that were handed over are kept, ours come after them", () => {
  const given = { GIT_CONFIG_COUNT: "1", GIT_CONFIG_KEY_0: "a.b", GIT_CONFIG_VALUE_0: "c" }
  expect(child(given)).toMatchObject({ ...given, GIT_CONFIG_COUNT: "4", GIT_CONFIG_KEY_1: "core.editor" })
  expect(child({ GIT_CONFIG_COUNT: "junk" })).toMatchObject({ GIT_CONFIG_COUNT: "3" })
})

test("an untrusted folder locks git down and keeps the user's name", () => {
  const seen = child({ HOME: "/h" }, { lockedGit: { name: "Ann", email: undefined } })
  expect(seen).toMatchObject({
    GIT_CONFIG_GLOBAL: "/dev/null",
    GIT_CONFIG_SYSTEM: "/dev/null",
    GIT_CONFIG_NOSYSTEM: "1",
    GIT_CONFIG_COUNT: "9",
    GIT_CONFIG_KEY_0: "credential.helper",
    GIT_CONFIG_KEY_2: "core.hooksPath",
    GIT_CONFIG_KEY_8: "user.name",
    GIT_CONFIG_VALUE_8: "Ann"
  })
})

test("a trusted folder leaves the user's git configuration alone", () => {
  const seen = child({ HOME: "/h" })
  expect(seen).not.toHaveProperty("GIT_CONFIG_GLOBAL")
  expect(Object.values(seen)).not.toContain("core.hooksPath")
})
