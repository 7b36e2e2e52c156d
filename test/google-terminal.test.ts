/** An account at the terminal: every way that it can fail to be set up, what can be done about it there, and turning away. */
import { describe, expect, test } from "bun:test"
import { chmod } from "node:fs/promises"
import { join } from "node:path"
import { type Answer, EMAIL, type Google, type GoogleOptions, refusal, startGoogle, status } from "./kit/google.ts"
import { untilHolds } from "./kit/processes.ts"
import { say } from "./kit/replies.ts"
import { newWorkspace, type Workspace } from "./kit/run-gemini.ts"
import { startInTerminal } from "./kit/terminal.ts"

const READY = "Type your message"
const MENU = "How would you like to authenticate"
const CTRL_C = "\u0003"
const CTRL_D = "\u0004"
const CREDENTIALS = "home/.gemini/oauth_creds.json"
const google = (answers: GoogleOptions["answers"] = {}) => startGoogle({ says: [say("hello")], answers })
const loads = (answer: unknown): Record<string, Answer> => ({ loadCodeAssist: () => answer })
const never: Answer = () => new Promise(() => {})

const withDisplay = async (place: Workspace, script: string) => {
  await chmod(await place.write("bin/xdg-open", `#!/bin/sh\n${script}\n`), 0o755)
  return { DISPLAY: ":0", PATH: `${place.root}/bin:${process.env.PATH}` }
}
const begin = (place: Workspace, server: Google, env: Record<string, string | undefined> = {}) =>
  startInTerminal(place, ["-m", "gemini-2.5-pro"], { env: { ...server.env, ...env }, columns: 300 })
const isKept = (place: Workspace) => Bun.file(join(place.root, CREDENTIALS)).exists()

describe("an account that cannot be used: why, what to do, and the other ways to sign in", () => {
  const newcomer = { allowedTiers: [{ id: "free-tier", name: "Free", isDefault: true }] }
  const rows: ReadonlyArray<
    readonly [string, Record<string, Answer>, Record<string, string | undefined>, ReadonlyArray<string>]
  > = [
    ["no project", loads({ currentTier: { id: "standard-tier" } }), {}, ["GOOGLE_CLOUD_PROJECT", "workspace-gca"]],
    ["the number of a project", {}, { GOOGLE_CLOUD_PROJECT: "123456" }, ["123456", "number"]],
    [
      "suspended",
      {
        loadCodeAssist: () =>
          refusal(403, "Suspended.", [
            { reason: "TOS_VIOLATION", metadata: { appeal_url: "https://example.com/appeal" } }
          ])
      },
      {},
      ["is suspended", "Open the page: https://example.com/appeal"]
    ],
    [
      "no tier for it",
      loads({
        currentTier: { id: "x" },
        ineligibleTiers: [{ reasonCode: "RESTRICTED_AGE", reasonMessage: "Too young." }]
      }),
      {},
      ["Too young"]
    ],
    [
      "Cloud Shell's project",
      { loadCodeAssist: () => refusal(403, "denied") },
      { GOOGLE_CLOUD_PROJECT: "cloudshell-gca" },
      ["gcloud config set project"]
    ],
    [
      "an operation that fails",
      { ...loads(newcomer), onboardUser: () => ({ done: true, error: { message: "no more places." } }) },
      {},
      ["Setting up Free", "no more places"]
    ],
    ["a server that is down", { loadCodeAssist: () => status(503) }, {}, ["503", "Try again"]],
    ["an answer that is none", { loadCodeAssist: () => new Response("<html>") }, {}, ["cannot be read", "Try again"]]
  ]
  for (const [name, answers, env, words] of rows) {
    test(name, async () => {
      using server = google(answers)
      await using place = await newWorkspace()
      await place.write(CREDENTIALS, server.signedIn())
      const terminal = begin(place, server, env)
      await terminal.shows(MENU)
      await terminal.shows("? 1-")
      for (const text of [...words, "Sign in with Google", "Use Gemini API Key", "Vertex AI", "Leave"]) {
        expect(terminal.plain()).toContain(text)
      }
      expect(terminal.plain()).not.toContain("canary")
      terminal.type(CTRL_C)
      expect(await terminal.exitCode).toBe(41)
      expect(await isKept(place)).toBe(true)
    })
  }

  test("another way is taken at once: a key in place of the account", async () => {
    using server = google(loads({ currentTier: { id: "standard-tier" } }))
    await using place = await newWorkspace()
    await place.write(CREDENTIALS, server.signedIn())
    const terminal = begin(place, server, { GEMINI_FORCE_FILE_STORAGE: "true" })
    await terminal.shows("? 1-")
    terminal.type("Use Gemini API Key\r")
    await terminal.showsNext("?")
    terminal.type("a-pasted-key\r")
    await terminal.showsNext("?")
    terminal.type("1\r")
    await terminal.shows(READY)
    expect(terminal.plain()).not.toContain("a-pasted-key")
    expect(await isKept(place)).toBe(true)
    terminal.type(CTRL_D)
    expect(await terminal.exitCode).toBe(0)
  })

  test("a server that comes back: try again, and the conversation begins", async () => {
    let isDown = true
    using server = google({
      loadCodeAssist: () =>
        isDown ? status(503) : { currentTier: { id: "standard-tier", name: "Standard" }, cloudaicompanionProject: "p" }
    })
    await using place = await newWorkspace()
    await place.write(CREDENTIALS, server.signedIn())
    const terminal = begin(place, server)
    await terminal.shows("? 1-")
    isDown = false
    terminal.type("Try again\r")
    await terminal.shows(READY)
    expect(terminal.plain()).toMatch(/ada@example\.com . Standard . project p/)
    terminal.type(CTRL_D)
    expect(await terminal.exitCode).toBe(0)
  })

  test("signing up: said at once, looked after, and the conversation begins", async () => {
    using server = google({
      ...loads(newcomer),
      onboardUser: () => ({ name: "operations/7" }),
      "operations/7": (_, index) =>
        index === 0 ? { name: "operations/7" } : { done: true, response: { cloudaicompanionProject: { id: "given" } } }
    })
    await using place = await newWorkspace()
    await place.write(CREDENTIALS, server.signedIn())
    const terminal = begin(place, server)
    await terminal.shows("Setting up Free...")
    await terminal.shows(READY)
    expect(terminal.plain()).toMatch(/Free . project given/)
    terminal.type("hi\r")
    await terminal.showsNext("hello")
    terminal.type("hi\r")
    await terminal.showsNext("hello")
    terminal.type(CTRL_D)
    expect(await terminal.exitCode).toBe(0)
    const [first, second] = server.named("streamGenerateContent").map(({ body }) => body)
    const session = Object(first?.request).session_id
    expect([first?.user_prompt_id, second?.user_prompt_id]).toEqual([`${session}########0`, `${session}########1`])
  })
})

describe("Ctrl-C", () => {
  const tiers = loads({ allowedTiers: [{ id: "free-tier", isDefault: true }] })
  const waits: ReadonlyArray<readonly [string, Record<string, Answer>, Record<string, unknown>, string | undefined]> = [
    ["while the sign-in is renewed", { "/token": never }, { expiry_date: 1 }, "/token"],
    ["while the account is looked up", { loadCodeAssist: never }, {}, "loadCodeAssist"],
    ["while it is signed up", { ...tiers, onboardUser: never }, {}, "onboardUser"],
    [
      "while the operation runs",
      { ...tiers, onboardUser: () => ({ name: "operations/7" }), "operations/7": () => ({ name: "operations/7" }) },
      {},
      "operations/7"
    ]
  ]
  for (const [name, answers, changes, asked] of waits) {
    test(`${name}: ends the program, and the file is whole`, async () => {
      using server = google(answers)
      await using place = await newWorkspace()
      const content = server.signedIn(changes)
      await place.write(CREDENTIALS, content)
      const terminal = begin(place, server)
      while (!server.asked().includes(asked ?? "")) await Bun.sleep(5)
      terminal.type(CTRL_C)
      expect(await terminal.exitCode).toBe(130)
      expect(await place.read(CREDENTIALS)).toBe(content)
    })
  }

  test("at gemini auth login: at the question, while the code is redeemed, while the account is set up", async () => {
    for (const [answers, keys, asked, kept] of [
      [{}, [], undefined, false],
      [{ "/token": never }, ["y\r"], "/token", false],
      // By then somebody is signed in.
      [{ loadCodeAssist: never }, ["y\r"], "loadCodeAssist", true]
    ] as const) {
      using server = google(answers)
      await using place = await newWorkspace()
      const env = { ...server.env, ...(await withDisplay(place, 'curl -sL --max-redirs 1 -o /dev/null "$1"')) }
      const terminal = startInTerminal(place, ["auth", "login"], { env })
      await terminal.shows("Do you want to continue")
      for (const key of keys) terminal.type(key)
      while (asked !== undefined && !server.asked().includes(asked)) await Bun.sleep(5)
      terminal.type(CTRL_C)
      expect(await terminal.exitCode).toBe(130)
      expect(await isKept(place)).toBe(kept)
    }
  })

  test("at a question of a conversation: back to the menu, and what was kept stays until somebody else is signed in", async () => {
    using server = google()
    await using place = await newWorkspace()
    const content = server.signedIn()
    await place.write(CREDENTIALS, content)
    const terminal = begin(place, server, await withDisplay(place, "true"))
    await terminal.shows(READY)
    terminal.type("/auth\r")
    await terminal.shows("Sign in with Google  (in use)")
    terminal.type("1\r")
    await terminal.shows("Do you want to continue")
    terminal.type(CTRL_C)
    await terminal.shows("it was not wanted")
    await terminal.showsNext("? 1-")
    terminal.type("1\r")
    await terminal.showsNext("Do you want to continue")
    terminal.type("\r")
    await terminal.showsNext("Waiting for the browser")
    terminal.type(CTRL_C)
    await terminal.shows("it was cancelled")
    await terminal.showsNext("? 1-")
    expect(await place.read(CREDENTIALS)).toBe(content)
    terminal.type("5\r")
    await terminal.showsNext("> ")
    terminal.type("still here?\r")
    await terminal.showsNext("hello")
    terminal.type(CTRL_D)
    expect(await terminal.exitCode).toBe(0)
  })

  test("at the question of /privacy: nothing is chosen", async () => {
    using server = google(loads({ currentTier: { id: "free-tier" }, cloudaicompanionProject: "p" }))
    await using place = await newWorkspace()
    await place.write(CREDENTIALS, server.signedIn())
    const terminal = begin(place, server)
    await terminal.shows(READY)
    terminal.type("/privacy\r")
    await terminal.shows("? 1-2")
    terminal.type(CTRL_C)
    await terminal.showsNext("> ")
    terminal.type(CTRL_D)
    expect(await terminal.exitCode).toBe(0)
    expect(server.named("setCodeAssistGlobalUserSetting")).toEqual([])
  })
})

describe("signing in from a conversation", () => {
  test("with a code: a wrong one, then a right one", async () => {
    using server = google()
    await using place = await newWorkspace()
    const terminal = startInTerminal(place, ["-m", "gemini-2.5-pro"], { env: server.env, columns: 2000 })
    await terminal.shows(MENU)
    terminal.type("1\r")
    await terminal.shows("authorization code")
    terminal.type("wrong\r")
    await terminal.showsNext("authorization code")
    const pages = [...terminal.plain().matchAll(/https?:\/\/\S+\/o\/oauth2\/v2\/auth\S+/g)].map(([page]) => page)
    expect(new Set(pages).size).toBe(2)
    const code = new URL(await server.agree(pages.at(-1) ?? "")).searchParams.get("code")
    terminal.type(`${code}\r`)
    await terminal.shows(`Signed in as ${EMAIL}`)
    await terminal.shows(READY)
    terminal.type(CTRL_D)
    expect(await terminal.exitCode).toBe(0)
    expect(JSON.parse(await place.read("home/.gemini/settings.json")).security.auth.selectedType).toBe("oauth-personal")
  })

  test("as somebody else: the one before is remembered as such, and after signing out nothing is in use", async () => {
    using server = google()
    await using place = await newWorkspace()
    await place.write(CREDENTIALS, server.signedIn())
    await place.write("home/.gemini/google_accounts.json", JSON.stringify({ active: "old@example.com", old: [] }))
    const { GOOGLE_GENAI_USE_GCA: _, ...env } = server.env
    await place.write("home/.gemini/settings.json", '{ "security": { "auth": { "selectedType": "oauth-personal" } } }')
    const browser = await withDisplay(place, 'curl -sL --max-redirs 1 -o /dev/null "$1"')
    const terminal = startInTerminal(place, ["-m", "gemini-2.5-pro"], { env: { ...env, ...browser }, columns: 300 })
    await terminal.shows(READY)
    terminal.type("/auth\r")
    await terminal.shows("(in use)")
    terminal.type("1\r")
    await terminal.shows("Do you want to continue")
    terminal.type("\r")
    await terminal.shows(`Signed in as ${EMAIL}`)
    await terminal.showsNext("> ")
    expect(JSON.parse(await place.read("home/.gemini/google_accounts.json"))).toEqual({
      active: EMAIL,
      old: ["old@example.com"]
    })
    const before = terminal.plain().split("(in use)").length
    terminal.type("/auth signout\r")
    await terminal.shows("signed out")
    await terminal.showsNext("? 1-")
    expect(terminal.plain().split("(in use)").length).toBe(before)
    terminal.type(CTRL_C)
    expect(await terminal.exitCode).toBe(0)
  })

  for (const [sign, label] of [
    ["CLOUD_SHELL", "Use Cloud Shell user credentials"],
    ["GEMINI_CLI_USE_COMPUTE_ADC", "Use metadata server application default credentials"]
  ] as const) {
    test(`${sign}: ${label}`, async () => {
      using server = google()
      await using place = await newWorkspace()
      const terminal = begin(place, server, { [sign]: "true", GOOGLE_CLOUD_PROJECT: "p" })
      await terminal.shows("? 1-6")
      expect(terminal.plain()).toContain(label)
      terminal.type("2\r")
      await terminal.shows(READY)
      terminal.type("hi\r")
      await terminal.showsNext("hello")
      terminal.type(CTRL_D)
      expect(await terminal.exitCode).toBe(0)
      expect(server.asked()).toContain("/computeMetadata/v1/instance/service-accounts/default/token")
      expect(await isKept(place)).toBe(false)
    })
  }

  test("OAUTH_CALLBACK_HOST says where the listener is; the page comes back to this machine", async () => {
    using server = google()
    await using place = await newWorkspace()
    const browser = await withDisplay(place, 'curl -sL --max-redirs 1 -o /dev/null "$1"; echo > "$HOME/opened"')
    for (const [host, words, code] of [
      ["0.0.0.0", `Signed in as ${EMAIL}`, 0],
      ["no host", "no listener", 41]
    ] as const) {
      const env = { ...server.env, ...browser, OAUTH_CALLBACK_HOST: host }
      const terminal = startInTerminal(place, ["auth", "login"], { env, columns: 2000 })
      await terminal.shows("Do you want to continue")
      terminal.type("\r")
      await terminal.shows(words)
      expect(await terminal.exitCode).toBe(code)
      if (code === 0) expect(terminal.plain()).toContain("redirect_uri=http%3A%2F%2F127.0.0.1")
    }
    await untilHolds(join(place.home, "opened"), "\n")
  })
})
