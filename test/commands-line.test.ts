/** Slash commands, references and shell lines in a conversation: what a person types and what comes of it. */
import { describe, expect, test } from "bun:test"
import { existsSync } from "node:fs"
import { join } from "node:path"
import { type ModelServer, startModelServer } from "./kit/model-server.ts"
import { answer, chunk, finish, say, text } from "./kit/replies.ts"
import { newWorkspace, type Workspace } from "./kit/run-gemini.ts"
import { startInTerminal, type TerminalSession } from "./kit/terminal.ts"

const CTRL_C = "\u0003"
const CTRL_D = "\u0004"

interface Conversation {
  readonly session: TerminalSession
  readonly server: ModelServer
  readonly place: Workspace
  /** Types a line and waits for these words after it. */
  readonly enter: (line: string, ...words: ReadonlyArray<string>) => Promise<void>
  /** The request with this number, as JSON. */
  readonly request: (index: number) => string
}

const converse = async (
  body: (conversation: Conversation) => Promise<void>,
  options: { readonly files?: Readonly<Record<string, string>> } = {}
): Promise<void> => {
  await using server = await startModelServer((_, index) => say(`answer ${index}.`))
  await using place = await newWorkspace()
  for (const [path, content] of Object.entries(options.files ?? {})) await place.write(path, content)
  const session = startInTerminal(place, ["-m", "flash"], { server, columns: 200 })
  await session.shows("  Type your message or @path/to/file")
  const enter: Conversation["enter"] = async (line, ...words) => {
    const waits = words.map((word) => session.showsNext(word))
    session.type(`${line}\r`)
    await Promise.all(waits)
  }
  await body({ session, server, place, enter, request: (index) => JSON.stringify(server.generations[index]?.body) })
  session.type(CTRL_D)
  expect(await session.exitCode).toBe(0)
}

test("commands print, are completed, and ask", () =>
  converse(async ({ enter, request, session }) => {
    await enter("/he\t", "/memory", "/stats")
    await enter("/tools", "read_file", "run_shell_command")
    await enter("/nothing-such", "There is no command /nothing-such")
    await enter("/model", "Which one should answer from now on?", "? 1-")
    await enter("2", "The model is now pro.")
    await enter("hi", "answer 0.")
    await enter("/stats", "Requests")
    await enter("/vim", "Vi keys are on")
    await enter("/vim", "Vi keys are off")
    expect(request(0)).toContain("hi")
    expect(session.plain()).toContain("/help")
  }))

test("/clear forgets, /compress says how it went, and leaving says what was used", async () => {
  await converse(async ({ enter, request }) => {
    await enter("/compress", "Nothing to compress.")
    await enter("remember BANANA", "answer 0.")
    await enter("/copy", "Copied 9 characters.")
    await enter("/clear", "A new session begins.\r\n> ")
    await enter("what was it", "answer 1.")
    expect(request(1)).not.toContain("BANANA")
  })
})

describe("references", () => {
  const files = { "work/src/deep/widget.ts": "export const widget = 1", "work/notes one.md": "N" }

  test("are completed and attached", () =>
    converse(
      async ({ enter, request, session }) => {
        session.type("see @widget\t")
        await session.showsNext("@src/deep/widget.ts")
        await enter("", "attached 1 file", "answer 0.")
        expect(request(0)).toContain("Content from @src/deep/widget.ts")
        session.type("and @no\t")
        await session.showsNext("@notes\\ one.md")
        await enter("", "attached 1 file", "answer 1.")
      },
      { files }
    ))

  test("outside the workspace are asked about", () =>
    converse(async ({ enter, place, request }) => {
      const outside = await place.write("outside.txt", "far away")
      await enter(`see @${outside}`, "Read it?", "? 1-2:")
      await enter("2", "answer 0.")
      expect(request(0)).not.toContain("far away")
      await enter(`see @${outside}`, "Read it?", "? 1-2:")
      await enter("1", "attached 1 file", "answer 1.")
      expect(request(1)).toContain("far away")
    }))
})

describe("shell lines", () => {
  test("run in a folder that cd moves, and the model hears of them at the next prompt", () =>
    converse(
      async ({ enter, request, server }) => {
        await enter("!cd src", "The next ! commands run in")
        await enter('!echo "in $(basename $PWD)"; exit 3', "in src", "(exit code 3)")
        // The sign of the line that is open already changes with it: what is typed next is a command.
        await enter("!", "leaves it.\r\n! ")
        // Until the command has ended, what is typed goes to it.
        await enter("echo again-$((1+1))", "again-2", "! ")
        await enter("!", "Shell mode is off.\r\n> ")
        expect(server.generations).toHaveLength(0)
        await enter("what happened?", "answer 0.")
        expect(request(0)).toContain("The command ended with exit code 3.")
        expect(request(0)).toContain("again-2")
      },
      { files: { "work/src/x": "" } }
    ))

  test("end with all their processes at Ctrl-C", () =>
    converse(async ({ enter, session }) => {
      // One process says that it has begun and goes on: a shell that is about to start another one may miss the signal.
      session.type("!sh -c 'echo begun-$((1+1)); exec sleep 60'; echo never\r")
      await session.showsNext("begun-2")
      const cancelled = session.showsNext("ended by a signal")
      session.type(CTRL_C)
      await cancelled
      await enter("hi", "answer 0.")
    }))
})

describe("custom commands", () => {
  const files = { "work/.gemini/commands/make.toml": 'prompt = "Made !{touch made.txt; echo it} for {{args}}"' }

  test("ask before they run something, once for the session", () =>
    converse(
      async ({ enter, place, request }) => {
        await enter("/make you", "wants to run:", "touch made.txt; echo it", "? 1-3 (Enter: leave it):")
        await enter("3", "Cancelled")
        expect(existsSync(join(place.cwd, "made.txt"))).toBe(false)
        await enter("/make you", "? 1-3 (Enter: leave it):")
        await enter("2", "answer 0.")
        expect(existsSync(join(place.cwd, "made.txt"))).toBe(true)
        expect(request(0)).toContain("Made it for you")
        await enter("/make me", "answer 1.")
      },
      { files }
    ))

  test("are read again, and a broken one is named with its line", () =>
    converse(
      async ({ enter, place }) => {
        await enter("/commands", "/make")
        await place.write("work/.gemini/commands/late.toml", 'prompt = "late"')
        await place.write("work/.gemini/commands/bad.toml", "prompt = ")
        await enter("/late", "There is no command /late")
        await enter("/commands reload", "/late", "bad.toml:1:")
        await enter("/late", "answer 0.")
      },
      { files }
    ))
})

test("settings change what a session works with, and the conversation goes on", () =>
  converse(async ({ enter, place, request }) => {
    await enter("the word is CHERRY", "answer 0.")
    await place.write("work/OTHER.md", "be brief")
    await enter("/settings set context.fileName OTHER.md", "context.fileName is set in")
    await enter("/memory list", "OTHER.md")
    await enter("go on", "answer 1.")
    expect(request(1)).toContain("CHERRY")
    expect(request(1)).toContain("be brief")
    await place.write("work/OTHER.md", "be long")
    await enter("/memory reload", "from 1 file")
    await enter("and on", "answer 2.")
    expect(request(2)).toContain("be long")
    expect(request(2)).not.toContain("be brief")
  }))

test("a folder that is trusted no more brings nothing", async () => {
  await using server = await startModelServer([say("ok")])
  await using place = await newWorkspace()
  await place.write("work/GEMINI.md", "be kind")
  await place.write("home/.gemini/trustedFolders.json", JSON.stringify({ [place.cwd]: "TRUST_FOLDER" }))
  const session = startInTerminal(place, [], { server, env: { GEMINI_CLI_TRUST_WORKSPACE: undefined } })
  await session.shows("Type your message")
  session.type("/memory list\r")
  await session.shows("work/GEMINI.md")
  session.type("/permissions trust\r")
  await session.shows("? 1-3 (Enter: leave it):")
  session.type("3\r")
  await session.shows("DO_NOT_TRUST is stored")
  session.type("/memory list\r")
  await session.shows("No context files are in use.")
  session.type("/quit\r")
  expect(await session.exitCode).toBe(0)
  expect(JSON.parse(await place.read("home/.gemini/trustedFolders.json"))).toEqual({ [place.cwd]: "DO_NOT_TRUST" })
})

test("what a command prints cannot act on the terminal", async () => {
  await converse(
    async ({ enter, session }) => {
      await enter("/memory show", "be kind")
      expect(session.screen()).not.toContain("\u001b[2J")
    },
    { files: { "work/GEMINI.md": "be kind \u001b[2J\u001b]52;c;aGk=\u0007" } }
  )
})

test("an answer that is a chunk at a time is copied whole", async () => {
  await using server = await startModelServer([answer([chunk(text("one ")), chunk(text("two")), finish("STOP")])])
  await using place = await newWorkspace()
  const session = startInTerminal(place, [], { server })
  await session.shows("Type your message")
  session.type("hi\r")
  await session.shows("one two")
  session.type("/copy\r")
  await session.shows("Copied 7 characters.")
  session.type("/quit\r")
  expect(await session.exitCode).toBe(0)
})
