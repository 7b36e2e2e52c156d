/** A companion that is none, or that does what none should: the run goes on, bounded, and tells no secret. */
import { afterEach, beforeEach, describe, expect, test } from "bun:test"
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { FastCheck as fc } from "effect"
import { type Companion, companionFolder, startCompanion } from "./kit/companion.ts"
import { type ModelServer, startModelServer } from "./kit/model-server.ts"
import { ask, call, say } from "./kit/replies.ts"
import { newWorkspace, type Workspace } from "./kit/run-gemini.ts"
import { startInTerminal } from "./kit/terminal.ts"

const TOKEN = "canary-token-of-the-editor"
let place: Workspace
let server: ModelServer

beforeEach(async () => {
  place = await newWorkspace()
  await place.write("home/.gemini/settings.json", '{ "ide": { "enabled": true } }')
})

afterEach(async () => {
  await server?.close()
  await place[Symbol.asyncDispose]()
})

const leaveFile = (port: number) => {
  mkdirSync(companionFolder(place), { recursive: true })
  const file = join(companionFolder(place), `gemini-ide-server-${process.pid}-${port}.json`)
  writeFileSync(file, JSON.stringify({ port, workspacePath: place.cwd, authToken: TOKEN }), { mode: 0o600 })
}

const listen = (answer: (socket: Bun.Socket, data: Uint8Array) => void) =>
  Bun.listen({ hostname: "127.0.0.1", port: 0, socket: { data: answer, error: () => {} } })

const FINE = { stdout: "fine\n", exitCode: 0 }

describe("on the port of the companion there is", () => {
  const others: ReadonlyArray<readonly [string, (socket: Bun.Socket) => void]> = [
    ["nobody who answers", () => {}],
    ["somebody who hangs up", (socket) => void socket.end()],
    ["another protocol", (socket) => void socket.write("SSH-2.0-OpenSSH_9.6\r\n")],
    [
      "a page",
      (socket) => void socket.end("HTTP/1.1 200 OK\r\ncontent-type: text/html\r\ncontent-length: 6\r\n\r\n<html>")
    ],
    [
      "an answer without an end",
      (socket) => void socket.write("HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n\r\n{")
    ],
    [
      "an answer of the wrong kind",
      (socket) => void socket.end("HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 4\r\n\r\nnull")
    ]
  ]
  for (const [what, answer] of others) {
    test(`${what}: the run goes on without an editor`, async () => {
      using other = listen(answer)
      leaveFile(other.port)
      server = await startModelServer(() => say("fine"))
      expect(await place.run(["-p", "hi"], { server })).toMatchObject(FINE)
    })
  }

  test("a service that sends elsewhere: the token stays here", async () => {
    const seen: Array<string> = []
    using elsewhere = Bun.serve({
      hostname: "127.0.0.1",
      port: 0,
      fetch: (request) => {
        seen.push(JSON.stringify([...request.headers]))
        return new Response("")
      }
    })
    using other = Bun.serve({
      hostname: "127.0.0.1",
      port: 0,
      fetch: () => new Response(null, { status: 307, headers: { location: `http://localhost:${elsewhere.port}/mcp` } })
    })
    leaveFile(other.port ?? 0)
    server = await startModelServer(() => say("fine"))
    expect(await place.run(["-p", "hi"], { server })).toMatchObject(FINE)
    expect(seen.join("\n")).not.toContain(TOKEN)
  })
})

describe("a companion that says too much", () => {
  const context = (...files: ReadonlyArray<unknown>) => ({ workspaceState: { openFiles: files } })
  const begin = async (first: unknown) => {
    const companion = await startCompanion(place, { context: first })
    server = await startModelServer(() => say("fine"))
    const session = startInTerminal(place, ["-m", "gemini-2.5-flash"], { server, hangAfterMs: 60_000 })
    await session.shows("  Type your message")
    await companion.until(() => companion.listeners() > 0)
    return { companion, session }
  }
  const isHeard = async ({ session }: Awaited<ReturnType<typeof begin>>) => {
    while (!session.plain().includes("/last.ts")) {
      session.type("/ide status\r")
      await session.showsNext("Connected")
    }
  }
  const end = async ({ companion, session }: Awaited<ReturnType<typeof begin>>) => {
    session.type("hi\r")
    await session.shows("fine")
    session.type("\u0004")
    expect(await session.exitCode).toBe(0)
    await companion[Symbol.asyncDispose]()
    return JSON.stringify(server.generations.at(-1)?.body)
  }
  test("paths and selections of any length: the model gets a part", async () => {
    const long = "x".repeat(3_000_000)
    const begun = await begin(
      context(
        { path: `/${long}`, timestamp: 9, isActive: true, selectedText: long },
        { path: "/short.ts", timestamp: 8, isActive: true, selectedText: long }
      )
    )
    const body = await end(begun)
    expect(body.includes("/short.ts")).toBe(true)
    expect(body.length).toBeLessThan(200_000)
  })

  test("more and more, and more in all than one message may hold: the last word counts", async () => {
    const begun = await begin(undefined)
    const selectedText = "y".repeat(100_000)
    for (let round = 0; round < 250; round += 1) {
      await begun.companion.tell("ide/contextUpdate", context({ path: `/f${round}.ts`, timestamp: 1, selectedText }))
    }
    await begun.companion.tell("ide/contextUpdate", context({ path: "/last.ts", timestamp: 1 }))
    await isHeard(begun)
    expect((await end(begun)).includes("/last.ts")).toBe(true)
  })

  test("anything that is not what a companion says is passed over", async () => {
    const begun = await begin(undefined)
    const method = fc.constantFrom("ide/contextUpdate", "ide/diffAccepted", "ide/diffClosed", "ping", "x", "")
    const odd = fc.oneof(
      fc.json().map((text) => JSON.parse(text)),
      fc.record({ workspaceState: fc.jsonValue() }),
      fc.record({ workspaceState: fc.record({ openFiles: fc.array(fc.jsonValue()), isTrusted: fc.jsonValue() }) }),
      fc.record({ filePath: fc.jsonValue(), content: fc.jsonValue() })
    )
    const params = odd.map((value) =>
      typeof value === "object" && value !== null && !Array.isArray(value) ? value : { value }
    )
    for (const [name, value] of fc.sample(fc.tuple(method, params), { numRuns: 2_000, seed: 7 })) {
      await begun.companion.tell(name, value)
    }
    await begun.companion.tell("ide/contextUpdate", context({ path: "/last.ts", timestamp: 1 }))
    await isHeard(begun)
    expect((await end(begun)).includes("/last.ts")).toBe(true)
  })
})

describe("a diff that is answered in several places at once", () => {
  const answers = {
    there: (companion: Companion, path: string) =>
      companion.tell("ide/diffAccepted", { filePath: path, content: "there\n" }),
    refused: (companion: Companion, path: string) => companion.tell("ide/diffRejected", { filePath: path })
  }
  for (const name of ["there", "refused"] as const) {
    test(`here, and ${name}: one of them counts, and the turn goes on once`, async () => {
      const companion = await startCompanion(place, {})
      const path = join(place.cwd, "note.txt")
      server = await startModelServer([
        ask(call("write_file", { file_path: "note.txt", content: "here\n" })),
        say("all done")
      ])
      const session = startInTerminal(place, ["-m", "gemini-2.5-flash"], { server })
      await session.shows("  Type your message")
      await companion.until(() => companion.listeners() > 0)
      session.type("write it\r")
      await session.shows("Allow? ")
      await companion.until(() => companion.calls.length > 0)
      session.type("y\r")
      await Promise.all([answers[name](companion, path), answers[name](companion, path)])
      await session.shows("all done")
      const content = (await Bun.file(path).exists()) ? await Bun.file(path).text() : ""
      expect(["here\n", name === "there" ? "there\n" : ""]).toContain(content)
      // A key that comes after the answer from elsewhere is typed into the next prompt.
      const asked = server.generations.map(({ body }) => (body as { contents: ReadonlyArray<unknown> }).contents.at(-1))
      expect(asked.filter((content) => JSON.stringify(content).includes("functionResponse"))).toHaveLength(1)
      session.type("\u0004")
      expect(await session.exitCode).toBe(0)
      await companion[Symbol.asyncDispose]()
    })
  }
})
