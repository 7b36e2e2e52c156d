/** The companion of an editor, from both sides: what the model is told of the editor, diffs, trust, and what goes wrong. */
import { afterEach, beforeEach, describe, expect, test } from "bun:test"
import { chmodSync, chownSync, existsSync, mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { type Companion, type CompanionOptions, companionFolder, startCompanion } from "./kit/companion.ts"
import { type ModelServer, startModelServer } from "./kit/model-server.ts"
import { ask, call, say } from "./kit/replies.ts"
import { newWorkspace, type Workspace } from "./kit/run-gemini.ts"
import { startInTerminal, type TerminalSession } from "./kit/terminal.ts"

let place: Workspace
let companion: Companion
let server: ModelServer

beforeEach(async () => {
  place = await newWorkspace()
  await place.write("home/.gemini/settings.json", '{ "ide": { "enabled": true } }')
})

afterEach(async () => {
  await companion?.[Symbol.asyncDispose]()
  await server?.close()
  await place[Symbol.asyncDispose]()
})

const file = (path: string, timestamp: number, more: Record<string, unknown> = {}) => ({ path, timestamp, ...more })
const openFiles = (...files: ReadonlyArray<unknown>) => ({ workspaceState: { openFiles: files } })

const EDITING = openFiles(
  file("/old.ts", 1, { isActive: true, cursor: { line: 9, character: 9 } }),
  file("/main.ts", 5, { isActive: true, cursor: { line: 3, character: 7 }, selectedText: "const answer = 42" })
)

const begin = async (options: CompanionOptions, script: Parameters<typeof startModelServer>[0]) => {
  companion = await startCompanion(place, options)
  server = await startModelServer(script)
}

/** The parts of the last message of a request to the model. */
const lastMessage = (at: number): ReadonlyArray<Record<string, unknown>> => {
  const body = server.generations[at]?.body as {
    contents: ReadonlyArray<{ parts: ReadonlyArray<Record<string, unknown>> }>
  }
  return body.contents.at(-1)?.parts ?? []
}

const contextIn = (at: number): unknown => {
  const block = lastMessage(at)
    .map(({ text }) => /```json\n([\s\S]*)\n```/.exec(String(text ?? ""))?.[1])
    .find((json) => json !== undefined)
  return block === undefined ? undefined : JSON.parse(block)
}

const WHOLE = {
  activeFile: { path: "/main.ts", cursor: { line: 3, character: 7 }, selectedText: "const answer = 42" },
  otherOpenFiles: ["/old.ts"]
}

const converse = async (args: ReadonlyArray<string> = []): Promise<TerminalSession> => {
  const session = startInTerminal(place, ["--model", "gemini-2.5-flash", ...args], { server, env: { NO_PROXY: "" } })
  await session.shows("  Type your message or @path/to/file")
  return session
}

const leave = async (session: TerminalSession) => {
  session.type("\u0004")
  expect(await session.exitCode).toBe(0)
}

const noted = () => join(place.cwd, "note.txt")
const writeNote = call("write_file", { file_path: "note.txt", content: "proposed\n" })

describe("what the model is told", () => {
  test("a headless run begins with what is open, before the words, with the token and past the proxy", async () => {
    await begin({ context: EDITING }, [say("done")])
    const env = { HTTP_PROXY: "http://127.0.0.1:9", NO_PROXY: new URL(server.url).host }
    const run = await place.run(["-p", "what is this?"], { server, env })
    expect({ code: run.exitCode, stderr: run.stderr }).toEqual({ code: 0, stderr: "" })
    expect(contextIn(0)).toEqual(WHOLE)
    expect(lastMessage(0).at(-1)).toEqual({ text: "what is this?" })
    expect(new Set(companion.authorizations)).toEqual(new Set(["Bearer the-token"]))
  })

  test("in a conversation only changes follow, never between a call and its result", async () => {
    await begin({ context: EDITING }, [
      ask(call("list_directory", { dir_path: "." })),
      say("one"),
      say("two"),
      say("three")
    ])
    const session = await converse()
    await companion.until(() => companion.listeners() > 0)
    session.type("first\r")
    await session.shows("one")
    expect(contextIn(0)).toEqual(WHOLE)
    expect(lastMessage(1).map((part) => Object.keys(part)[0])).toEqual(["functionResponse"])
    const moved = file("/main.ts", 6, { isActive: true, cursor: { line: 4, character: 1 } })
    await companion.tell("ide/contextUpdate", openFiles(moved, file("/new.ts", 2)))
    await companion.tell("ide/contextUpdate", { workspaceState: { openFiles: "nonsense" } })
    await companion.tell("ping", {})
    await Bun.sleep(50)
    session.type("second\r")
    await session.shows("two")
    expect(contextIn(2)).toEqual({
      changes: {
        filesOpened: ["/new.ts"],
        filesClosed: ["/old.ts"],
        cursorMoved: { path: "/main.ts", cursor: { line: 4, character: 1 } },
        selectionChanged: { path: "/main.ts", selectedText: "" }
      }
    })
    session.type("third\r")
    await session.shows("three")
    expect(contextIn(3)).toBeUndefined()
    await leave(session)
  })

  test("a resumed session is told everything, and shows nothing of it as the person's words", async () => {
    await begin({ context: EDITING }, [say("one"), say("two")])
    await place.run(["-p", "first"], { server })
    await place.run(["-p", "second", "--resume"], { server })
    expect(contextIn(1)).toEqual(WHOLE)
    const listed = await place.run(["--list-sessions"], { server })
    expect(listed.stdout).toContain("first")
    expect(listed.stdout).not.toContain("editor tells")
  })

  test("--ide-mode asks for it, and without nothing is looked for", async () => {
    await place.write("home/.gemini/settings.json", "{}")
    await begin({ context: EDITING }, [say("one"), say("two")])
    await place.run(["-p", "first"], { server })
    expect({ told: contextIn(0), asked: companion.authorizations }).toEqual({ told: undefined, asked: [] })
    await place.run(["-p", "second", "--ide-mode"], { server })
    expect(contextIn(1)).toEqual(WHOLE)
  })
})

describe("finding the companion", () => {
  const status = async (env: Record<string, string> = {}) => {
    const run = await place.run(["-p", "/ide status"], { env, server })
    return run.stdout.trim()
  }
  const other = async (name: string, content: string, mode = 0o600) => {
    mkdirSync(companionFolder(place), { recursive: true })
    const path = join(companionFolder(place), name)
    writeFileSync(path, content)
    chmodSync(path, mode)
    return path
  }

  test("stale files, other folders, broken ones, of others and open to others do not stand in the way", async () => {
    await begin({ context: EDITING }, [say("done")])
    const own = JSON.stringify({ port: 1, workspacePath: place.cwd, authToken: "x" })
    await other("gemini-ide-server-4194303-1.json", own)
    await other("gemini-ide-server-4194302-2.json", "{ broken")
    await other("gemini-ide-server-1-3.json", JSON.stringify({ port: 3, workspacePath: "/elsewhere", authToken: "x" }))
    await other(`gemini-ide-server-${process.ppid}-4.json`, own, 0o666)
    if (process.getuid?.() === 0) chownSync(await other(`gemini-ide-server-${process.ppid}-5.json`, own), 65534, 65534)
    const run = await place.run(["-p", "hi"], { server })
    expect({ code: run.exitCode, told: contextIn(0) }).toEqual({ code: 0, told: WHOLE })
  })

  test("the environment leads to it where no file does", async () => {
    await begin({ context: EDITING, writesFile: false }, [say("done")])
    const run = await place.run(["-p", "hi"], {
      server,
      env: {
        GEMINI_CLI_IDE_SERVER_PORT: String(companion.port),
        GEMINI_CLI_IDE_WORKSPACE_PATH: place.cwd,
        GEMINI_CLI_IDE_AUTH_TOKEN: "the-token"
      }
    })
    expect({ code: run.exitCode, told: contextIn(0) }).toEqual({ code: 0, told: WHOLE })
  })

  test("over standard input and output", async () => {
    await begin({ writesFile: false }, [say("a greeting")])
    const script = await place.write(
      "companion.ts",
      `const say = (message) => console.log(JSON.stringify({ jsonrpc: "2.0", ...message }))
       const server = { protocolVersion: "2025-06-18", capabilities: {}, serverInfo: { name: "c", version: "1" } }
       for await (const line of console) {
         const { id, method } = JSON.parse(line)
         if (method === "initialize") say({ id, result: server })
         else if (id !== undefined) say({ id, error: { code: -32601, message: "no" } })
         else say({ method: "ide/contextUpdate", params: ${JSON.stringify(EDITING)} })
       }`
    )
    const stdio = { command: process.execPath, args: [script] }
    await other("gemini-ide-server-1-7.json", JSON.stringify({ workspacePath: place.cwd, stdio }))
    const session = await converse()
    session.type("/ide enable\r")
    await session.shows("🟢 Connected to the editor")
    session.type("hi\r")
    await session.shows("a greeting")
    expect(contextIn(0)).toEqual(WHOLE)
    await leave(session)
  })

  test.each<[string, CompanionOptions, RegExp]>([
    ["without a folder", { workspacePath: "" }, /🔴 Disconnected: no folder is open/],
    [
      "with other folders",
      { workspacePath: "/elsewhere" },
      /🔴 Disconnected: .*Start gemini in one of these: \/elsewhere/
    ],
    ["of which nobody says where", { workspacePath: undefined }, /🔴 Disconnected: no companion.*\/ide install/],
    [
      "that does not take the token",
      { toldToken: "wrong" },
      /🔴 Disconnected: Test Editor cannot be reached: it refuses the token/
    ]
  ])("an editor %s: /ide status says it, and the run goes on", async (_, options, said) => {
    await begin({ ...options, context: EDITING }, [say("fine")])
    const run = await place.run(["-p", "hi"], { server })
    expect({ code: run.exitCode, stdout: run.stdout.trim(), told: contextIn(0) }).toEqual({
      code: 0,
      stdout: "fine",
      told: undefined
    })
    const session = await converse()
    session.type("/ide status\r")
    await session.shows("Disconnected:")
    await leave(session)
    expect(session.plain().replace(/\r?\n */g, " ")).toMatch(said)
    expect(await status()).toContain("Disconnected")
  })
})

describe("an edit", () => {
  const edited = async (options: CompanionOptions = {}) => {
    await begin(options, [ask(writeNote), say("all done")])
    const session = await converse()
    await companion.until(() => companion.listeners() > 0)
    session.type("write it\r")
    await session.shows("Allow? ")
    return session
  }
  const opened = () => companion.until(() => companion.calls.some(({ tool }) => tool === "openDiff"))
  const kept = () => place.read("work/note.txt")

  test("is shown in the editor, and what is accepted there is written", async () => {
    const session = await edited()
    await opened()
    expect(companion.calls).toEqual([{ tool: "openDiff", args: { filePath: noted(), newContent: "proposed\n" } }])
    await companion.tell("ide/diffRejected", { filePath: "/another/file" })
    await companion.tell("ide/diffAccepted", { filePath: noted(), content: "changed\n" })
    await session.shows("Accepted in the editor.")
    await session.shows("all done")
    expect(await kept()).toBe("changed\n")
    expect(companion.calls.map(({ tool }) => tool)).toEqual(["openDiff"])
    await leave(session)
  })

  test("may be accepted there as nothing at all", async () => {
    const session = await edited()
    await opened()
    await companion.tell("ide/diffAccepted", { filePath: noted(), content: "" })
    await session.shows("all done")
    expect(await kept()).toBe("")
    await leave(session)
  })

  test.each(["ide/diffRejected", "ide/diffClosed"])("is turned down there: %s", async (method) => {
    const session = await edited()
    await opened()
    await companion.tell(method, { filePath: noted() })
    await session.shows("Turned down in the editor.")
    await session.shows("all done")
    expect(existsSync(noted())).toBe(false)
    await leave(session)
  })

  test("that is allowed at the terminal is closed there, with what was made of it until then", async () => {
    const session = await edited({ leftContent: "half changed\n" })
    await opened()
    session.type("y\r")
    await session.shows("all done")
    expect(await kept()).toBe("half changed\n")
    expect(companion.calls.at(-1)).toEqual({
      tool: "closeDiff",
      args: { filePath: noted(), suppressNotification: true }
    })
    await companion.tell("ide/diffRejected", { filePath: noted() })
    await leave(session)
  })

  test("whose diff cannot be shown, and whose editor dies, is asked about at the terminal; the loss is said once", async () => {
    const session = await edited({ failsDiffs: true })
    await opened()
    await companion.die()
    await session.shows("the connection to Test Editor was lost")
    session.type("y\r")
    await session.shows("all done")
    expect(await kept()).toBe("proposed\n")
    session.type("/ide status\r")
    await session.shows("Disconnected: the connection to Test Editor was lost")
    await leave(session)
    expect(session.plain().split("going on without it").length).toBe(2)
  })

  test("/ide disable and enable: the choice is stored, and counts at once", async () => {
    await begin({ context: EDITING }, [ask(writeNote), say("all done")])
    const session = await converse()
    await companion.until(() => companion.listeners() > 0)
    session.type("/ide disable\r")
    await session.shows("ide.enabled is false")
    expect(await place.read("home/.gemini/settings.json")).toContain('"enabled": false')
    session.type("write it\r")
    await session.shows("Allow? ")
    session.type("y\r")
    await session.shows("all done")
    expect({ told: contextIn(0), calls: companion.calls }).toEqual({ told: undefined, calls: [] })
    session.type("/ide enable\r")
    await session.shows("🟢 Connected to Test Editor")
    session.type("/ide\r")
    await session.shows("/main.ts (active)")
    await leave(session)
  })
})

describe("trust", () => {
  const trusting = (isTrusted: boolean) => ({ workspaceState: { openFiles: [], isTrusted } })
  const run = (env: Record<string, string | undefined> = {}) =>
    place.run(["-p", "/permissions"], { server, env: { GEMINI_CLI_TRUST_WORKSPACE: undefined, ...env } })

  test("the editor's word stands before the stored rules and after the variable", async () => {
    await begin({ context: trusting(true) }, [])
    expect((await run()).stdout).toContain("is trusted because your editor says so")
    expect((await run({ GEMINI_CLI_TRUST_WORKSPACE: "false" })).stdout).toContain(
      "is untrusted by GEMINI_CLI_TRUST_WORKSPACE"
    )
  })

  test("that is taken away in mid-session ends auto_edit at once and is said", async () => {
    await begin({ context: trusting(true) }, [ask(writeNote), say("all done")])
    const session = startInTerminal(place, ["--model", "gemini-2.5-flash", "--approval-mode", "auto_edit"], {
      server,
      env: { GEMINI_CLI_TRUST_WORKSPACE: "" }
    })
    await session.shows("  Type your message or @path/to/file")
    await companion.tell("ide/contextUpdate", trusting(false))
    await session.shows("does not trust this folder any more")
    session.type("write it\r")
    await session.shows("Allow? ")
    await companion.until(() => companion.calls.some(({ tool }) => tool === "openDiff"))
    session.type("n\r")
    await session.shows("all done")
    expect(existsSync(noted())).toBe(false)
    await leave(session)
  })
})
