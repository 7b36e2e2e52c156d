/** A conversation at the terminal: starting, prompts, cancelling, leaving. */
import { describe, expect, test } from "bun:test"
import { existsSync } from "node:fs"
import { join } from "node:path"
import { googleError } from "./kit/google-errors.ts"
import { startModelServer } from "./kit/model-server.ts"
import { isAlive } from "./kit/processes.ts"
import { answer, ask, call, chunk, say, text } from "./kit/replies.ts"
import { newWorkspace } from "./kit/run-gemini.ts"
import { reachingSequences, startInTerminal } from "./kit/terminal.ts"

const READY = "  Type your message or @path/to/file"
const CTRL_C = "\u0003"
const CTRL_D = "\u0004"

describe("a conversation", () => {
  test("greets, answers prompt after prompt with the whole history, and ends at Ctrl-D", async () => {
    await using server = await startModelServer([say("first answer"), say("second answer")])
    await using place = await newWorkspace()
    const session = startInTerminal(place, [], { server })
    await session.shows(READY)
    session.type("one\r")
    await session.shows("first answer")
    session.type("two\r")
    await session.shows("second answer")
    session.type(CTRL_D)
    expect(await session.exitCode).toBe(0)
    expect(JSON.stringify(server.generations[1]?.body)).toContain("first answer")
    expect(reachingSequences(session.screen())).toEqual([])
  })

  test.each([
    ["-i", ["-i", "from the flag"]],
    ["words", ["from", "the", "flag"]]
  ])("begins with the prompt of %s and stays", async (_, args) => {
    await using server = await startModelServer([say("answered"), say("again")])
    await using place = await newWorkspace()
    const session = startInTerminal(place, args, { server })
    await session.shows("answered")
    session.type("more\r")
    await session.shows("again")
    expect(session.plain()).toContain("from the flag")
    expect(session.plain()).not.toContain("MCP servers")
    session.type(CTRL_D)
    expect(await session.exitCode).toBe(0)
    expect(JSON.stringify(server.generations[0]?.body)).toContain("from the flag")
  })

  test("keeps what is typed while it starts, and a command stays a command", async () => {
    await using server = await startModelServer([say("answered")])
    await using place = await newWorkspace()
    const session = startInTerminal(place, [], { server })
    session.type("early bird\r")
    await session.shows("answered")
    session.type("/quit\r")
    expect(await session.exitCode).toBe(0)
    expect(JSON.stringify(server.generations[0]?.body)).toContain("early bird")
    expect(server.generations).toHaveLength(1)
  })

  test("goes on after a failed model call, and says what happened", async () => {
    await using server = await startModelServer([googleError(400, "the key is not valid"), say("better")])
    await using place = await newWorkspace()
    const session = startInTerminal(place, [], { server })
    await session.shows(READY)
    session.type("one\r")
    await session.shows("the key is not valid")
    session.type("two\r")
    await session.shows("better")
    session.type(CTRL_D)
    expect(await session.exitCode).toBe(0)
  })

  test("keeps what is entered while the model works, and sends it joined", async () => {
    await using place = await newWorkspace()
    const typed = Promise.withResolvers<void>()
    await using server = await startModelServer([{ ...say("one", "two"), endsAfter: typed.promise }, say("both")])
    const session = startInTerminal(place, [], { server })
    await session.shows(READY)
    session.type("first\r")
    await server.received(1)
    session.type("second\r")
    session.type("third\r")
    await session.shows("third")
    typed.resolve()
    await session.shows("both")
    expect(JSON.stringify(server.generations[1]?.body)).toContain("second\\n\\nthird")
    session.type(CTRL_D)
    expect(await session.exitCode).toBe(0)
  })
})

describe("a recorded conversation", () => {
  test("says how to go on with it, and goes on with --resume", async () => {
    await using server = await startModelServer([say("the word is plum"), say("plum again")])
    await using place = await newWorkspace()
    const session = startInTerminal(place, [], { server })
    await session.shows(READY)
    session.type("say a word\r")
    await session.shows("the word is plum")
    await session.shows("7 out")
    session.type(CTRL_D)
    expect(await session.exitCode).toBe(0)
    const [, id] = /gemini --resume (\S+)/.exec(session.plain()) ?? []
    expect(id).toBeString()

    const next = startInTerminal(place, ["--resume", id ?? ""], { server })
    await next.shows(READY)
    next.type("which word?\r")
    await next.shows("plum again")
    next.type(CTRL_D)
    expect(await next.exitCode).toBe(0)
    expect(JSON.stringify(server.generations[1]?.body)).toContain("the word is plum")
  })

  test("a session that does not exist is refused before anything is asked", async () => {
    await using place = await newWorkspace()
    const session = startInTerminal(place, ["--resume", "nothing-like-it"], {})
    expect(await session.exitCode).toBe(42)
    expect(session.plain()).toContain("nothing-like-it")
  })
})

describe("cancelling", () => {
  for (const [name, key] of [
    ["Ctrl-C", CTRL_C],
    ["Esc", "\u001b"]
  ] as const) {
    test(`${name} ends the answer, keeps what came, and the conversation goes on`, async () => {
      await using server = await startModelServer([
        answer([chunk(text("partial words"))], { ending: "hang" }),
        say("after that")
      ])
      await using place = await newWorkspace()
      const session = startInTerminal(place, [], { server })
      await session.shows(READY)
      session.type("one\r")
      await session.shows("partial words")
      session.type(key)
      await server.someoneLeft()
      await session.shows("cancelled")
      session.type("two\r")
      await session.shows("after that")
      expect(session.plain()).toContain("partial words")
      session.type(CTRL_D)
      expect(await session.exitCode).toBe(0)
    })
  }

  test("the model hears of calls that had ended, and of the one that was under way", async () => {
    await using server = await startModelServer([
      ask(
        call("write_file", { file_path: "made.txt", content: "made\n" }),
        call("run_shell_command", { command: "sleep 1000" })
      ),
      say("after that")
    ])
    await using place = await newWorkspace()
    const session = startInTerminal(place, ["--yolo"], { server })
    await session.shows(READY)
    session.type("both\r")
    await session.shows("sleep 1000")
    session.type(CTRL_C)
    await session.shows("cancelled")
    session.type("and now?\r")
    await session.shows("after that")
    const told = JSON.stringify(server.generations[1]?.body)
    expect(told).toMatch(/"name":"write_file","response":\{"output":/)
    expect(told).toMatch(/"name":"run_shell_command","response":\{"error":"\[Operation Cancelled\]/)
    session.type(CTRL_D)
    expect(await session.exitCode).toBe(0)
  })

  test("SIGINT from outside does the same, and twice at the prompt leaves with 130", async () => {
    await using server = await startModelServer([answer([chunk(text("partial"))], { ending: "hang" })])
    await using place = await newWorkspace()
    const session = startInTerminal(place, [], { server })
    await session.shows(READY)
    session.type("one\r")
    await session.shows("partial")
    session.signal("SIGINT")
    await session.shows("cancelled")
    session.signal("SIGINT")
    await session.shows("again to leave")
    session.signal("SIGINT")
    expect(await session.exitCode).toBe(130)
  })

  test("Ctrl-C clears the line; twice leaves with 130", async () => {
    await using server = await startModelServer([])
    await using place = await newWorkspace()
    const session = startInTerminal(place, [], { server })
    await session.shows(READY)
    session.type("half a thought")
    await session.shows("half a thought")
    session.type(CTRL_C)
    await session.shows("again to leave")
    session.type(CTRL_C)
    expect(await session.exitCode).toBe(130)
    expect(server.requests).toHaveLength(0)
  })

  test("a shell command is cancelled with all its processes", async () => {
    await using server = await startModelServer([])
    await using place = await newWorkspace()
    const session = startInTerminal(place, [], { server })
    await session.shows(READY)
    // One process says that it has begun and goes on: a shell that is about to start another one may miss the signal.
    session.type("!sh -c 'echo $$ > pid; echo started; exec sleep 1000'\r")
    await session.showsNext("started\r\n")
    session.type(CTRL_C)
    await session.shows("ended by a signal")
    expect(isAlive(Number(await place.read("work/pid")))).toBe(false)
    session.type(CTRL_D)
    expect(await session.exitCode).toBe(0)
  })
})

describe("the end", () => {
  for (const [signal, code] of [
    ["SIGTERM", 143],
    ["SIGHUP", 129]
  ] as const) {
    test(`${signal} ends the conversation with ${code} and gives the terminal back`, async () => {
      await using server = await startModelServer([answer([chunk(text("partial"))], { ending: "hang" })])
      await using place = await newWorkspace()
      const session = startInTerminal(place, [], { server })
      await session.shows(READY)
      session.type("one\r")
      await session.shows("partial")
      session.signal(signal)
      expect(await session.exitCode).toBe(code)
      expect(session.screen()).toContain("\u001b[?2004l")
      await server.someoneLeft()
    })
  }

  test("a closed window ends the program and its children", async () => {
    await using server = await startModelServer([])
    await using place = await newWorkspace()
    const session = startInTerminal(place, [], { server })
    await session.shows(READY)
    // One process says that it has begun and goes on: a shell that is about to start another one may miss the signal.
    session.type("!sh -c 'echo $$ > pid; echo started; exec sleep 1000'\r")
    await session.showsNext("started\r\n")
    session.hangUp()
    expect([0, 129]).toContain(await session.exitCode)
    expect(isAlive(Number(await place.read("work/pid")))).toBe(false)
  })

  test("a window that is closed while a tool runs leaves one session, and nothing that runs", async () => {
    const command = "echo $$ > pid; echo started; sleep 1000"
    await using server = await startModelServer([ask(call("run_shell_command", { command }))])
    await using place = await newWorkspace()
    const session = startInTerminal(place, ["--approval-mode", "yolo"], { server })
    await session.shows(READY)
    session.type("go\r")
    while (!existsSync(join(place.cwd, "pid"))) await Bun.sleep(20)
    session.hangUp()
    expect([0, 129]).toContain(await session.exitCode)
    expect(isAlive(Number(await place.read("work/pid")))).toBe(false)
    const files = await place.shell("ls ../home/.gemini/tmp/*/chats")
    expect(files.stdout.trim().split("\n")).toHaveLength(1)
  })
})
