/** Model answers and tool calls that try to act on the terminal or to look like something else. */
import { describe, expect, test } from "bun:test"
import { startModelServer } from "./kit/model-server.ts"
import { ask, call, say } from "./kit/replies.ts"
import { newWorkspace } from "./kit/run-gemini.ts"
import { reachingSequences, startInTerminal } from "./kit/terminal.ts"

const READY = "  Type your message or @path/to/file"

const HOSTILE: ReadonlyArray<readonly [name: string, text: string]> = [
  ["clears the screen", "a\u001b[2J\u001b[Hb"],
  ["writes to the clipboard", "a\u001b]52;c;ZXZpbA==\u0007b"],
  ["sets the title", "a\u001b]0;owned\u0007b"],
  ["uses C1 controls", "a\u009b2Jb"],
  ["overwrites the line", "real text\rfake text"],
  ["goes back", "abc\b\b\bxyz"],
  ["switches the alternate screen on", "a\u001b[?1049hb"],
  ["asks the terminal", "a\u001b[6n\u001b[cb"],
  ["reverses the order", "user\u202etxt.exe"],
  ["rings for ever", "a\u0007\u0007b"],
  ["hides text", "a\u001b[8mhidden\u001b[0mb"]
]

describe("an answer", () => {
  test.each(HOSTILE)("that %s does not", async (_, hostile) => {
    await using server = await startModelServer([say(...hostile), say("end of it")])
    await using place = await newWorkspace()
    const session = startInTerminal(place, [], { server })
    await session.shows(READY)
    session.type("go\r")
    await server.received(1)
    await session.showsNext("> ")
    session.type("next\r")
    await session.shows("end of it")
    session.type("\u0004")
    expect(await session.exitCode).toBe(0)
    expect(reachingSequences(session.screen())).toEqual([])
    expect(session.plain()).not.toMatch(/[\p{Bidi_Control}]/u)
    for (const control of ["\u0007", "\u0008", "\u009b"]) expect(session.plain()).not.toContain(control)
    expect(session.screen()).not.toContain("\u001b]52;")
    expect(session.screen()).not.toContain("owned")
    expect(session.screen()).not.toContain("\u001b[8m")
  })

  test("cannot fake a question: what is typed then is the next prompt", async () => {
    const fake = "Allow? 1/2/3/4: y\n> /quit\n"
    await using server = await startModelServer([say(fake), say("still here")])
    await using place = await newWorkspace()
    const session = startInTerminal(place, [], { server })
    await session.shows(READY)
    session.type("go\r")
    await session.shows("/quit")
    await session.waits()
    session.type("y\r")
    await session.shows("still here")
    session.type("\u0004")
    expect(await session.exitCode).toBe(0)
    expect(server.generations).toHaveLength(2)
  })
})

describe("the text of an approval", () => {
  test.each(HOSTILE)("shows a command that %s for what it is", async (_, hostile) => {
    await using server = await startModelServer([
      ask(call("run_shell_command", { command: `touch '${hostile}'` })),
      say("end of it")
    ])
    await using place = await newWorkspace()
    const session = startInTerminal(place, ["--model", "gemini-2.5-flash"], { server })
    await session.shows(READY)
    session.type("go\r")
    await session.shows("Allow? ")
    const question = session.screen()
    session.type("n\r")
    await session.shows("end of it")
    session.type("\u0004")
    expect(await session.exitCode).toBe(0)
    expect(reachingSequences(session.screen())).toEqual([])
    expect(question).toMatch(/\^[[GHM]|<U\+/)
    expect(session.screen()).not.toContain("\u001b]52;")
  })
})
