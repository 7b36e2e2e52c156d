/** The first start at a terminal: no key, and a folder that nobody has decided about. */
import { describe, expect, test } from "bun:test"
import { existsSync, statSync } from "node:fs"
import { join } from "node:path"
import { startModelServer } from "./kit/model-server.ts"
import { say } from "./kit/replies.ts"
import { newWorkspace } from "./kit/run-gemini.ts"
import { startInTerminal } from "./kit/terminal.ts"

const READY = "  Type your message or @path/to/file"
const CTRL_D = "\u0004"
/** The key store of the machine that runs the tests is left alone. */
const FILE_STORE = { GEMINI_FORCE_FILE_STORAGE: "true" }

describe("without a key", () => {
  test("the three ways are said, a key can be given and kept, and the next start has it", async () => {
    await using server = await startModelServer([say("hello with a key"), say("hello again")])
    await using place = await newWorkspace()
    const env = { ...FILE_STORE, GOOGLE_GENAI_API_VERSION: "v1beta" }
    const session = startInTerminal(place, [], { env })
    await session.shows("? 1-5 (Enter: 1): ")
    expect(session.plain()).toContain("Vertex AI")
    expect(session.plain()).toContain("gateway")
    session.type("2\r")
    await session.shows("The key")
    session.type("a-secret-key\r")
    await session.shows("Keep it?")
    session.type("1\r")
    await session.shows(READY)
    session.type(CTRL_D)
    expect(await session.exitCode).toBe(0)
    expect(session.screen()).not.toContain("a-secret-key")
    const file = join(place.home, ".gemini/gemini-credentials.json")
    expect(statSync(file).mode & 0o777).toBe(0o600)
    expect(await place.read("home/.gemini/settings.json")).toContain("gemini-api-key")

    const next = startInTerminal(place, [], { env: { ...env, GOOGLE_GEMINI_BASE_URL: server.url } })
    await next.shows(READY)
    next.type("hi\r")
    await next.shows("hello with a key")
    expect(server.generations[0]?.headers["x-goog-api-key"]).toBe("a-secret-key")
    next.type(CTRL_D)
    expect(await next.exitCode).toBe(0)
  })

  test("a key for this session only is stored nowhere", async () => {
    await using place = await newWorkspace()
    const session = startInTerminal(place, [], { env: FILE_STORE })
    await session.shows("? 1-5")
    session.type("2\r")
    await session.shows("The key")
    session.type("a-secret-key\r")
    await session.shows("Keep it?")
    session.type("2\r")
    await session.shows(READY)
    session.type(CTRL_D)
    expect(await session.exitCode).toBe(0)
    expect(existsSync(join(place.home, ".gemini/gemini-credentials.json"))).toBe(false)
    expect(existsSync(join(place.home, ".gemini/settings.json"))).toBe(false)
  })

  for (const [name, keys] of [
    ["leaving", "5\r"],
    ["Ctrl-D", CTRL_D],
    ["Ctrl-C", "\u0003"],
    ["another way", "3\r"]
  ] as const) {
    test(`${name} ends with 41, which scripts know`, async () => {
      await using place = await newWorkspace()
      const session = startInTerminal(place, [], { env: FILE_STORE })
      await session.shows("? 1-5")
      session.type(keys)
      expect(await session.exitCode).toBe(41)
    })
  }

  test("a wrong key is told by the first answer, and /auth takes another", async () => {
    await using server = await startModelServer((request) =>
      request.headers["x-goog-api-key"] === "right" ? say("now it works") : googleRefusal
    )
    await using place = await newWorkspace()
    const env = { ...FILE_STORE, GEMINI_API_KEY: "wrong", GOOGLE_GEMINI_BASE_URL: server.url }
    const session = startInTerminal(place, [], { env })
    await session.shows(READY)
    session.type("one\r")
    await session.shows("API key not valid")
    session.type("/auth\r")
    await session.shows("? 1-5")
    session.type("2\r")
    await session.shows("The key")
    session.type("right\r")
    await session.shows("Keep it?")
    session.type("2\r")
    await session.showsNext("> ")
    session.type("two\r")
    await session.shows("now it works")
    session.type(CTRL_D)
    expect(await session.exitCode).toBe(0)
  })
})

const googleRefusal = {
  _tag: "Raw" as const,
  status: 400,
  headers: { "content-type": "application/json" },
  body: JSON.stringify({
    error: { code: 400, message: "API key not valid. Please pass a valid API key.", status: "INVALID_ARGUMENT" }
  })
}

describe("a folder without a rule", () => {
  const UNDECIDED = { GEMINI_CLI_TRUST_WORKSPACE: "" }

  test("is asked about once, with what it would bring, and the answer is kept", async () => {
    await using server = await startModelServer([])
    await using place = await newWorkspace()
    await place.write("work/.gemini/settings.json", '{ "mcpServers": { "docs": { "command": "docs-server" } } }')
    await place.write("work/GEMINI.md", "Be brief.")
    const session = startInTerminal(place, [], { server, env: UNDECIDED })
    await session.shows("? 1-4: ")
    expect(session.plain()).toContain("docs: docs-server")
    expect(session.plain()).toContain("GEMINI.md")
    session.type("1\r")
    await session.shows(READY)
    expect(session.plain()).toContain("(trusted)")
    session.type(CTRL_D)
    expect(await session.exitCode).toBe(0)
    expect(JSON.parse(await place.read("home/.gemini/trustedFolders.json"))).toEqual({ [place.cwd]: "TRUST_FOLDER" })

    const next = startInTerminal(place, [], { server, env: UNDECIDED })
    await next.shows(READY)
    expect(next.plain()).not.toContain("Do you trust")
    next.type(CTRL_D)
    expect(await next.exitCode).toBe(0)
  })

  test("that is not trusted can be worked in, without what it brings", async () => {
    await using server = await startModelServer([say("answered")])
    await using place = await newWorkspace()
    await place.write("work/GEMINI.md", "a secret instruction of the folder")
    const session = startInTerminal(place, [], { server, env: UNDECIDED })
    await session.shows("? 1-4: ")
    session.type("3\r")
    await session.shows(READY)
    expect(session.plain()).toContain("(untrusted)")
    session.type("hi\r")
    await session.shows("answered")
    expect(JSON.stringify(server.generations[0]?.body)).not.toContain("a secret instruction")
    session.type(CTRL_D)
    expect(await session.exitCode).toBe(0)
  })

  test("keys that were typed before the question do not answer it", async () => {
    await using server = await startModelServer([])
    await using place = await newWorkspace()
    const session = startInTerminal(place, [], { server, env: UNDECIDED })
    session.type("1\r")
    await session.shows("? 1-4: ")
    session.type("4\r")
    expect(await session.exitCode).toBe(0)
    expect(existsSync(join(place.home, ".gemini/trustedFolders.json"))).toBe(false)
  })
})
