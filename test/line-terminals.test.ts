/** Terminals of every kind: narrow ones, ones that understand nothing, without colours, for screen readers. */
import { describe, expect, test } from "bun:test"
import { startModelServer } from "./kit/model-server.ts"
import { ask, call, say } from "./kit/replies.ts"
import { newWorkspace } from "./kit/run-gemini.ts"
import { reachingSequences, startInTerminal, type TerminalOptions } from "./kit/terminal.ts"

const READY = "Type your message or @path/to/file"
const WIDE = "日本語のテキスト 👩‍💻🇩🇪 é ".repeat(12)
const ANSWER = `# Title\n\n- one\n- two\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n${WIDE}\n\n\`\`\`ts\nconst x = 1\n\`\`\`\n`

/** A short conversation with an answer of every kind and a tool, up to the prompt after it. */
const conversation = async (options: Omit<TerminalOptions, "server">, args: ReadonlyArray<string> = []) => {
  await using server = await startModelServer([
    say(ANSWER),
    ask(call("run_shell_command", { command: "touch made" })),
    say("finished")
  ])
  await using place = await newWorkspace()
  const session = startInTerminal(place, ["-m", "gemini-2.5-flash", ...args], { ...options, server })
  await session.shows(READY)
  session.type("日本語 hello\r")
  await session.shows("const x = 1")
  await session.waits()
  session.type("run it\r")
  await session.shows("Allow? ")
  session.type("y\r")
  await session.shows("finished")
  await session.waits()
  session.type("\u0004")
  expect(await session.exitCode).toBe(0)
  expect(JSON.stringify(server.generations[0]?.body)).toContain("日本語 hello")
  return session
}

describe("a terminal", () => {
  test.each([
    [80, 24],
    [40, 10],
    [20, 5],
    [8, 3]
  ])("of %i by %i: nothing reaches beyond the current line", async (columns, rows) => {
    const session = await conversation({ columns, rows })
    expect(reachingSequences(session.screen())).toEqual([])
  })

  test("that understands nothing gets plain lines and no control characters at all", async () => {
    const session = await conversation({ env: { TERM: "dumb" } })
    expect(session.screen()).not.toContain("\u001b")
    expect(session.screen()).not.toMatch(/\r(?!\n)/)
    expect(session.screen()).toContain("> ")
  })

  test("for a screen reader is plain too", async () => {
    const session = await conversation({}, ["--screen-reader"])
    expect(session.screen()).not.toContain("\u001b")
    for (const words of ["Title", "table of 1 row: a, b", "row 1: a: 1; b: 2", "code in ts:", "done: Shell"])
      expect(session.plain().split("\r\n")).toContainEqual(expect.stringMatching(new RegExp(`^(?:> )?${words}`)))
    expect(session.plain()).not.toMatch(/[|│┌#`*]/)
  })

  test("without colours has none, and can still be edited", async () => {
    const session = await conversation({ env: { NO_COLOR: "1" } })
    expect(session.screen()).not.toMatch(new RegExp(`${"\u001b"}\\[[\\d;]*m`))
    expect(reachingSequences(session.screen())).toEqual([])
  })

  test("Ctrl-C on a plain terminal is a signal: it cancels, and twice at the prompt leaves", async () => {
    await using server = await startModelServer([{ ...say("never"), delayMs: 60_000 }])
    await using place = await newWorkspace()
    const session = startInTerminal(place, [], { server, env: { TERM: "dumb" } })
    await session.shows(READY)
    session.type("wait\r")
    await server.received(1)
    session.type("\u0003")
    await session.shows("cancelled")
    session.type("\u0003")
    await session.shows("again to leave")
    session.type("\u0003")
    expect(await session.exitCode).toBe(130)
  })

  test("that changes its size while a line is typed keeps the line", async () => {
    await using server = await startModelServer([say("got it")])
    await using place = await newWorkspace()
    const session = startInTerminal(place, [], { server })
    await session.shows(READY)
    session.type("a line that is longer than the window will be soon")
    await session.shows("will be soon")
    const drawnAgain = session.showsNext("soon")
    session.resize(20, 6)
    await drawnAgain
    session.type(" indeed\r")
    await session.shows("got it")
    session.type("\u0004")
    expect(await session.exitCode).toBe(0)
    expect(JSON.stringify(server.generations[0]?.body)).toContain(
      "a line that is longer than the window will be soon indeed"
    )
    expect(reachingSequences(session.screen())).toEqual([])
  })
})

describe("without a terminal", () => {
  test("-i is refused, names the fix, and asks no model", async () => {
    await using server = await startModelServer([say("never")])
    await using place = await newWorkspace()
    const run = await place.run(["-i", "hello"], { server, stdin: { pipe: "data" } })
    expect(run.exitCode).toBe(42)
    expect(run.stderr).toContain("--prompt-interactive flag cannot be used when input is piped")
    expect(run.stderr).toContain("-p")
    expect(server.requests).toHaveLength(0)
  })
})
