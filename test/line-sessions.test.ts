/** Conversations that are kept, resumed, rewound and given away from within one. */
import { describe, expect, test } from "bun:test"
import { existsSync } from "node:fs"
import { readdir, readFile } from "node:fs/promises"
import { join } from "node:path"
import { googleError } from "./kit/google-errors.ts"
import { startModelServer } from "./kit/model-server.ts"
import { answer, ask, call, chunk, finish, say, text } from "./kit/replies.ts"
import { newWorkspace, type Workspace } from "./kit/run-gemini.ts"
import { startInTerminal } from "./kit/terminal.ts"

const READY = "  Type your message or @path/to/file"
/** What is typed before it stands there is no answer. */
const QUESTION = "(Enter: leave it): "
const ALLOW = "Allow? 1/2/3/4/5: "
const CTRL_D = "\u0004"
const SECRET = "canary-4711-canary"

const textsOf = (body: unknown): string => JSON.stringify(body)

describe("/chat", () => {
  test("keeps a conversation under a name, asks before it is overwritten, goes on from it, forgets it", async () => {
    await using server = await startModelServer([say("first answer"), say("second answer"), say("third answer")])
    await using place = await newWorkspace()
    const session = startInTerminal(place, [], { server, env: { MY_API_KEY: SECRET } })
    await session.shows(READY)
    session.type(`remember ${SECRET}\r`)
    await session.shows("first answer")
    session.type("/chat list\r")
    await session.shows("No conversation is kept yet")
    session.type("/chat save one\r")
    await session.shows("is kept as one.")
    session.type("later\r")
    await session.shows("second answer")
    session.type("/chat save one\r")
    await session.shows("Overwrite it?")
    await session.shows(QUESTION)
    session.type("n\r")
    await session.shows("one stays as it is.")
    session.type("/chat resume one\r")
    await session.shows("goes on from one.")
    session.type("and now\r")
    await session.shows("third answer")
    session.type("/chat delete one\r")
    await session.shows("one is deleted.")
    session.type("/chat resume one\r")
    await session.shows("one is not a saved conversation")
    session.type(CTRL_D)
    expect(await session.exitCode).toBe(0)
    const last = textsOf(server.generations[2]?.body)
    expect(last).toContain("first answer")
    expect(last).not.toContain("second answer")
  })

  test("writes a conversation to a file, without credentials", async () => {
    await using server = await startModelServer([say("an answer")])
    await using place = await newWorkspace()
    const session = startInTerminal(place, [], { server, env: { MY_API_KEY: SECRET } })
    await session.shows(READY)
    session.type("/chat share talk.md\r")
    await session.shows("Nothing was said yet.")
    session.type(`remember ${SECRET}\r`)
    await session.shows("an answer")
    session.type("/chat share talk.md\r")
    await session.shows("The conversation is in")
    session.type("/export-session all.json\r")
    await session.shows("The session is in")
    session.type(CTRL_D)
    expect(await session.exitCode).toBe(0)
    const shared = await readFile(join(place.cwd, "talk.md"), "utf8")
    expect(shared).toContain("## MODEL\n\nan answer")
    expect(shared).not.toContain(SECRET)
    const exported = JSON.parse(await readFile(join(place.cwd, "all.json"), "utf8"))
    expect(JSON.stringify(exported.messages)).toContain("an answer")
    expect(JSON.stringify(exported)).not.toContain(SECRET)
  })
})

const talk = async (place: Workspace, server: { readonly url: string }, prompt: string, answer: string) => {
  const session = startInTerminal(place, [], { server })
  await session.shows(READY)
  session.type(`${prompt}\r`)
  await session.shows(answer)
  return session
}

describe("/resume", () => {
  test("lists earlier conversations and goes on with the chosen one, in its file", async () => {
    await using server = await startModelServer([say("old answer"), say("new answer"), say("much later")])
    await using place = await newWorkspace()
    const first = await talk(place, server, "old question", "old answer")
    first.type(CTRL_D)
    expect(await first.exitCode).toBe(0)
    const session = await talk(place, server, "new question", "new answer")
    session.type("/resume\r")
    await session.shows("With which conversation")
    await session.shows(QUESTION)
    session.type("1\r")
    await session.shows("> old question")
    session.type("go on\r")
    await session.shows("much later")
    session.type("/quit\r")
    expect(await session.exitCode).toBe(0)
    const last = textsOf(server.generations[2]?.body)
    expect(last).toContain("old answer")
    expect(last).not.toContain("new answer")
    const listed = await place.run(["--list-sessions", "-o", "json"])
    expect(JSON.parse(listed.stdout).map(({ title }: { title: string }) => title)).toEqual([
      "old question",
      "new question"
    ])
  })

  test("shows what got no answer, and why", async () => {
    await using server = await startModelServer([say("an answer"), googleError(400, "the model is on fire")])
    await using place = await newWorkspace()
    const first = await talk(place, server, "asked well", "an answer")
    first.type("asked in vain\r")
    await first.shows("the model is on fire")
    first.type(CTRL_D)
    expect(await first.exitCode).toBe(0)
    const session = startInTerminal(place, ["--resume"], { server })
    await session.shows("> asked well")
    await session.shows("> asked in vain")
    await session.shows("(no answer: ")
    await session.shows("the model is on fire")
    await session.shows(READY)
    session.type(CTRL_D)
    expect(await session.exitCode).toBe(0)
  })

  test("shows where a conversation stood when it goes on by --resume", async () => {
    await using server = await startModelServer([say("the **bold** answer"), say("unused")])
    await using place = await newWorkspace()
    const first = await talk(place, server, "a question", "the bold answer")
    first.type(CTRL_D)
    await first.exitCode
    const session = startInTerminal(place, ["--resume"], { server })
    await session.shows("> a question")
    await session.shows("the bold answer")
    session.type("/quit --delete\r")
    await session.shows("The session is deleted.")
    expect(await session.exitCode).toBe(0)
    expect(session.plain().trimEnd().endsWith("The session is deleted.")).toBe(true)
    expect((await place.run(["--list-sessions"])).stdout).toContain("No previous sessions")
  })
})

test("what a script asked once is marked, left out where that is wanted, and not what --resume means", async () => {
  await using server = await startModelServer([
    say("the answer"),
    say("for a script"),
    say("and on"),
    say("over"),
    say("unrecorded")
  ])
  await using place = await newWorkspace()
  const first = await talk(place, server, "a question", "the answer")
  first.type(CTRL_D)
  await first.exitCode
  await place.run(["-p", "asked once"], { server })
  const listed = JSON.parse((await place.run(["--list-sessions", "-o", "json"])).stdout)
  expect(listed.map(({ oneShot }: { oneShot: boolean }) => oneShot)).toEqual([false, true])
  const session = startInTerminal(place, ["--resume"], { server })
  await session.shows("> a question")
  session.type("/chat\r")
  await session.shows("asked once")
  await session.shows("one-shot")
  await session.shows(QUESTION)
  session.type("1\r")
  await session.shows("> asked once")
  session.type("go on\r")
  await session.shows("and on")
  session.type(CTRL_D)
  expect(await session.exitCode).toBe(0)
  // It has become a conversation, and the last one.
  expect((await place.run(["--continue", "-p", "more"], { server })).stdout).toContain("over")
  expect(textsOf(server.generations[3]?.body)).toContain("for a script")
  expect((await place.run(["sessions", "list"])).stdout).not.toContain("one-shot")
  await place.write("home/.gemini/settings.json", '{ "general": { "recordOneShots": false } }')
  expect((await place.run(["-p", "leave no trace"], { server })).stdout).toContain("unrecorded")
  expect(JSON.parse((await place.run(["--list-sessions", "-o", "json"])).stdout)).toHaveLength(2)
  const { projects } = JSON.parse((await place.run(["stats", "--all", "--json"])).stdout)
  expect(Object.values(projects)).toMatchObject([{ sessions: 2, prompts: 4 }])
})

test("/rewind lists the prompts and takes conversation and files back to before one of them", async () => {
  await using server = await startModelServer([
    say("hello"),
    ask(call("write_file", { file_path: "made.txt", content: "made\n" })),
    say("written"),
    answer([chunk(text("once more")), finish("STOP", { prompt: 10, candidates: 91 })])
  ])
  await using place = await newWorkspace()
  const session = startInTerminal(place, ["--approval-mode", "auto_edit"], { server })
  await session.shows(READY)
  session.type("hi\r")
  await session.shows("hello")
  session.type("make it\r")
  await session.shows("written")
  session.type("/rewind\r")
  await session.shows("2  make it  1 file +1 -0")
  session.type("/rewind 7\r")
  await session.shows("There is no prompt 7")
  session.type("/rewind 2\r")
  await session.shows("Conversation and files")
  await session.shows(QUESTION)
  session.type("1\r")
  await session.shows("which is in the line again")
  expect(existsSync(join(place.cwd, "made.txt"))).toBe(false)
  session.type(" again\r")
  await session.shows("91 out")
  session.type(CTRL_D)
  expect(await session.exitCode).toBe(0)
  const last = textsOf(server.generations[3]?.body)
  expect(last).toContain("make it again")
  expect(last).not.toContain("write_file__")
})

test("what a prompt changed can be taken back from another terminal while the conversation is open", async () => {
  await using server = await startModelServer([
    ask(call("write_file", { file_path: "made.txt", content: "made\n" })),
    say("written"),
    ask(call("run_shell_command", { command: "touch under-way && sleep 30" }))
  ])
  await using place = await newWorkspace()
  const session = startInTerminal(place, ["--yolo"], { server })
  await session.shows(READY)
  session.type("make it\r")
  await session.shows("written")
  await session.shows("14 out")
  const undone = await place.run(["undo", "--yes"])
  expect(undone).toMatchObject({ exitCode: 0, stderr: "" })
  expect(existsSync(join(place.cwd, "made.txt"))).toBe(false)
  session.type("and wait\r")
  await session.shows("sleep 30")
  const refused = await place.run(["undo", "--yes"])
  expect(refused.stderr).toContain("is still going on")
  session.type("\u0003")
  await session.shows("cancelled")
  session.type(CTRL_D)
  expect(await session.exitCode).toBe(0)
})

test("/restore brings files and conversation back, and the call is offered again", async () => {
  await using server = await startModelServer([
    ask(call("write_file", { file_path: "a.txt", content: "two\n" })),
    say("written"),
    answer([chunk(text("once more")), finish("STOP", { prompt: 10, candidates: 91 })])
  ])
  await using place = await newWorkspace()
  await place.write("work/a.txt", "one\n")
  await place.write("home/.gemini/settings.json", '{ "general": { "checkpointing": { "enabled": true } } }')
  const session = startInTerminal(place, [], { server })
  await session.shows(READY)
  session.type("change it\r")
  await session.shows(ALLOW)
  session.type("y\r")
  await session.shows("written")
  const [name = ""] = await readdir(join(place.home, ".gemini/tmp/work/checkpoints"))
  session.type(`/restore ${name.replace(/\.json$/, "")}\r`)
  await session.shows("Comes back:")
  await session.shows(QUESTION)
  const offered = session.showsNext(ALLOW)
  session.type("1\r")
  await offered
  expect(await readFile(join(place.cwd, "a.txt"), "utf8")).toBe("one\n")
  const again = session.showsNext("91 out")
  session.type("y\r")
  await again
  expect(await readFile(join(place.cwd, "a.txt"), "utf8")).toBe("two\n")
  session.type(CTRL_D)
  expect(await session.exitCode).toBe(0)
  // As if the call had been made now for the first time.
  const last = textsOf(server.generations[2]?.body)
  expect(last).not.toContain('"written"')
  expect(last.split("functionResponse")).toHaveLength(2)
  const resumed = await startModelServer([say("on")], { strict: true })
  expect((await place.run(["-r", "-p", "next"], { server: resumed })).stdout).toBe("on\n")
  expect(textsOf(resumed.generations[0]?.body)).not.toContain('"written"')
  await resumed.close()
})

test("a session goes on with the folders that were added to it, and with its statistics", async () => {
  await using server = await startModelServer([
    ask(call("list_directory", { dir_path: "." })),
    answer([chunk(text("listed")), finish("STOP", { prompt: 1234, candidates: 56 })])
  ])
  await using place = await newWorkspace()
  await place.write("other/x.txt", "x")
  const first = startInTerminal(place, [], { server })
  await first.shows(READY)
  first.type("/directory add ../other\r")
  await first.shows("Added ")
  first.type("look\r")
  await first.shows("listed")
  first.type(CTRL_D)
  await first.exitCode
  const second = startInTerminal(place, ["--resume"], { server })
  await second.shows("> look")
  second.type("/directory\r")
  await second.shows(join(place.root, "other"))
  second.type("/stats\r")
  await second.shows("Tool calls")
  expect(second.plain()).toMatch(/Tool calls\s+1 /)
  second.type("/stats model\r")
  await second.shows("1,240")
  second.type(CTRL_D)
  expect(await second.exitCode).toBe(0)
})
