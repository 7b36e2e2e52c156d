/** Approval at the terminal: what is asked, every answer, and what must never count as one. */
import { describe, expect, test } from "bun:test"
import { existsSync } from "node:fs"
import { join } from "node:path"
import { type ModelServer, startModelServer } from "./kit/model-server.ts"
import { ask, call, type Part, say } from "./kit/replies.ts"
import { newWorkspace, type Workspace } from "./kit/run-gemini.ts"
import { reachingSequences, startInTerminal, type TerminalSession } from "./kit/terminal.ts"

const READY = "  Type your message or @path/to/file"
const QUESTION = "Allow? "

const touch = (name: string) => call("run_shell_command", { command: `touch ${name}` })
const made = (place: Workspace, name: string) => existsSync(join(place.cwd, name))

/** A conversation in which the model asks for these calls, one turn after the other, and then says `done`. */
const asked = async (
  place: Workspace,
  turns: ReadonlyArray<ReadonlyArray<Part>>,
  env: Record<string, string> = {}
): Promise<{ readonly session: TerminalSession; readonly server: ModelServer }> => {
  const server = await startModelServer([...turns.map((calls) => ask(...calls)), say("all done"), say("bye")])
  const session = startInTerminal(place, ["--model", "gemini-2.5-flash"], { server, env })
  await session.shows(READY)
  session.type("do it\r")
  return { session, server }
}

const leave = async ({ session, server }: { readonly session: TerminalSession; readonly server: ModelServer }) => {
  session.type("\u0004")
  expect(await session.exitCode).toBe(0)
  await server.close()
}

/** What the model was told about its calls. */
const toldModel = (server: ModelServer): string => JSON.stringify(server.generations.at(-1)?.body)

describe("an approval", () => {
  test("shows the whole command and why it asks, and y allows it once", async () => {
    await using place = await newWorkspace()
    const run = await asked(place, [[touch("one")], [touch("two")]])
    await run.session.shows(QUESTION)
    expect(run.session.plain()).toContain("touch one")
    expect(made(place, "one")).toBe(false)
    run.session.type("y\r")
    await run.session.showsNext(QUESTION)
    expect(made(place, "one")).toBe(true)
    run.session.type("1\r")
    await run.session.shows("all done")
    expect(made(place, "two")).toBe(true)
    expect(reachingSequences(run.session.screen())).toEqual([])
    await leave(run)
  })

  test("2 allows the same command for the session", async () => {
    await using place = await newWorkspace()
    const run = await asked(place, [[touch("one")], [touch("one")]])
    await run.session.shows(QUESTION)
    run.session.type("2\r")
    await run.session.shows("all done")
    expect(made(place, "one")).toBe(true)
    expect(run.session.plain().split("Allow this command").length).toBe(2)
    await leave(run)
  })

  test("in auto_edit a page is asked about whose host nobody named, and for the session with its host", async () => {
    await using place = await newWorkspace()
    // Nothing is sent: these addresses lead into a private network.
    const page = (host: string) => call("web_fetch", { prompt: `read http://${host}/?key=SECRET` })
    await place.write("home/.gemini/settings.json", '{ "general": { "defaultApprovalMode": "auto_edit" } }')
    const run = await asked(place, [[page("a.internal")], [page("a.internal")], [page("b.internal")]])
    await run.session.shows(QUESTION)
    expect(run.session.plain()).toContain("http://a.internal/?key=SECRET")
    expect(run.session.plain()).toContain("no prompt and no rule names a.internal")
    expect(run.session.plain()).toContain("pages of a.internal")
    run.session.type("2\r")
    await run.session.showsNext(QUESTION)
    expect(run.session.plain()).toContain("no prompt and no rule names b.internal")
    run.session.type("4\r")
    await run.session.shows("all done")
    expect(run.session.plain().split("no rule names a.internal")).toHaveLength(2)
    await leave(run)
  })

  test("4 refuses, and the words after n are told to the model", async () => {
    await using place = await newWorkspace()
    const run = await asked(place, [[touch("one")], [touch("two")]])
    await run.session.shows(QUESTION)
    run.session.type("4\r")
    await run.session.shows("cancelled")
    await run.session.showsNext(QUESTION)
    run.session.type("n use mkdir instead\r")
    await run.session.shows("all done")
    expect(toldModel(run.server)).toContain("use mkdir instead")
    expect(made(place, "one") || made(place, "two")).toBe(false)
    await leave(run)
  })

  test("Enter alone, and anything else, asks again", async () => {
    await using place = await newWorkspace()
    const run = await asked(place, [[touch("one")]])
    await run.session.shows(QUESTION)
    for (const nonsense of ["\r", "maybe\r", "9\r"]) {
      const again = run.session.showsNext(QUESTION)
      run.session.type(nonsense)
      await again
    }
    expect(made(place, "one")).toBe(false)
    run.session.type("y\r")
    await run.session.shows("all done")
    await leave(run)
  })

  test("what was typed before the question could be read never approves", async () => {
    await using place = await newWorkspace()
    const typing = Promise.withResolvers<void>()
    const server = await startModelServer([{ ...ask(touch("one")), endsAfter: typing.promise }, say("all done")])
    const session = startInTerminal(place, ["--model", "gemini-2.5-flash"], { server })
    await session.shows(READY)
    session.type("do it\r")
    await server.received(1)
    // Still typing when the question comes up: the line is the person's next input, not an answer.
    for (let press = 0; press < 12; press++) {
      const shown = session.showsNext("y")
      session.type("y")
      await shown
      if (press === 3) typing.resolve()
    }
    session.type("\r")
    await session.shows(QUESTION)
    expect(made(place, "one")).toBe(false)
    session.type("n\r")
    await session.shows("all done")
    expect(made(place, "one")).toBe(false)
    session.type("\u0003\u0004")
    await session.exitCode
    await server.close()
  })

  for (const [name, key] of [
    ["Ctrl-C", "\u0003"],
    ["Esc", "\u001b"]
  ] as const) {
    test(`${name} at the question cancels the turn, and the conversation goes on`, async () => {
      await using place = await newWorkspace()
      const server = await startModelServer([ask(touch("one")), say("another answer")])
      const session = startInTerminal(place, ["--model", "gemini-2.5-flash"], { server })
      await session.shows(READY)
      session.type("do it\r")
      await session.shows(QUESTION)
      session.type(key)
      await session.shows("cancelled")
      session.type("go on\r")
      await session.shows("another answer")
      expect(made(place, "one")).toBe(false)
      session.type("\u0004")
      expect(await session.exitCode).toBe(0)
      await server.close()
    })
  }

  test("several calls are asked about one after another; a refused one does not stop the others", async () => {
    await using place = await newWorkspace()
    const run = await asked(place, [[touch("one"), touch("two")]])
    await run.session.shows("touch one")
    await run.session.shows(QUESTION)
    const next = run.session.showsNext(QUESTION)
    run.session.type("n\r")
    await next
    run.session.type("y\r")
    await run.session.shows("all done")
    expect([made(place, "one"), made(place, "two")]).toEqual([false, true])
    await leave(run)
  })

  test("an edit is shown as a diff, and e opens it in the editor", async () => {
    await using place = await newWorkspace()
    const editor = await place.write("editor.sh", '#!/bin/sh\nprintf "changed by hand\\n" > "$1"\n')
    await place.shell(`chmod +x ${editor}`)
    const write = call("write_file", { file_path: "note.txt", content: "from the model\n" })
    const run = await asked(place, [[write]], { EDITOR: editor })
    await run.session.shows(QUESTION)
    expect(run.session.plain()).toContain("+from the model")
    const again = run.session.showsNext(QUESTION)
    run.session.type("e\r")
    await again
    run.session.type("y\r")
    await run.session.shows("all done")
    expect(await place.read("work/note.txt")).toBe("changed by hand\n")
    await leave(run)
  })

  test("Shift-Tab switches to auto_edit: edits are made without asking, commands are not", async () => {
    await using place = await newWorkspace()
    const write = call("write_file", { file_path: "note.txt", content: "text\n" })
    const server = await startModelServer([ask(write), ask(touch("one")), say("all done")])
    const session = startInTerminal(place, ["--model", "gemini-2.5-flash"], { server })
    await session.shows(READY)
    session.type("\u001b[Z")
    await session.shows("auto-edit> ")
    session.type("do it\r")
    await session.shows(QUESTION)
    expect(await place.read("work/note.txt")).toBe("text\n")
    session.type("n\r")
    await session.shows("all done")
    session.type("\u0004")
    expect(await session.exitCode).toBe(0)
    await server.close()
  })

  test("a closed window is no approval", async () => {
    await using place = await newWorkspace()
    const run = await asked(place, [[touch("one")]])
    await run.session.shows(QUESTION)
    run.session.hangUp()
    expect([0, 129]).toContain(await run.session.exitCode)
    expect(made(place, "one")).toBe(false)
    await run.server.close()
  })
})
