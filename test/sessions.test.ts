/** Sessions through the binary: recorded by one process, found, resumed, copied and deleted by the next. */
import { describe, expect, test } from "bun:test"
import { existsSync } from "node:fs"
import { readdir } from "node:fs/promises"
import { join } from "node:path"
import { documentOf } from "./kit/documents.ts"
import { type ModelServer, startModelServer } from "./kit/model-server.ts"
import { ask, call, say } from "./kit/replies.ts"
import { newWorkspace, type Workspace } from "./kit/run-gemini.ts"
import { sessionText } from "./kit/session-files.ts"

const chatsOf = (place: Workspace) => join(place.home, ".gemini/tmp/work/chats")
const filesOf = async (place: Workspace) => (await readdir(chatsOf(place))).filter((name) => name.endsWith(".jsonl"))

interface Body {
  readonly contents: ReadonlyArray<{ readonly role: string; readonly parts: ReadonlyArray<{ readonly text?: string }> }>
}
const contentsOf = (server: ModelServer, index: number) =>
  (server.generations.at(index)?.body as Body | undefined)?.contents ?? []
/** Without the description of the surroundings. */
const saidIn = (server: ModelServer, index: number) =>
  contentsOf(server, index).map(({ parts, role }) => [
    role,
    ...parts.map(({ text }) => text ?? "(data)").filter((text) => !text.startsWith("<session_context>"))
  ])

describe("--resume", () => {
  test("latest works in the very next process, and in the one after it", async () => {
    await using place = await newWorkspace()
    await using server = await startModelServer(
      [ask(call("list_directory", { dir_path: "." })), say("one"), say("two"), say("three")],
      {
        strict: true
      }
    )
    const first = documentOf(await place.run(["-p", "first", "-o", "json"], { server }))
    const second = documentOf(await place.run(["--resume", "latest", "-p", "second", "-o", "json"], { server }))
    const third = await place.run(["-r", String(first.session_id).slice(0, 8), "third"], { server })
    expect(second.session_id).toBe(first.session_id)
    expect(third).toEqual({ stdout: "three\n", stderr: "", exitCode: 0 })
    expect(saidIn(server, 3)).toEqual([
      ["user", "first"],
      ["model", "(data)"],
      ["user", "(data)"],
      ["model", "one"],
      ["user", "second"],
      ["model", "two"],
      ["user", "third"]
    ])
    // The surroundings are described once, at the beginning, and anew.
    const contexts = contentsOf(server, 3).flatMap(({ parts }) =>
      parts.filter(({ text }) => text?.startsWith("<session_context>"))
    )
    expect(contexts).toHaveLength(1)
    expect(contentsOf(server, 3)[0]?.parts[0]).toEqual(contexts[0] ?? {})
    expect(await filesOf(place)).toHaveLength(1)
  })

  test("without a session begins a new one, and says so", async () => {
    await using place = await newWorkspace()
    await using server = await startModelServer([say("ok")])
    const result = await place.run(["-r", "-p", "hi"], { server })
    expect(result.exitCode).toBe(0)
    expect(result.stderr).toContain("there is no session to resume")
    expect(await filesOf(place)).toHaveLength(1)
  })

  test("an unknown session ends with 42, in the format that was asked for, and nothing is sent", async () => {
    await using place = await newWorkspace()
    await using server = await startModelServer([])
    const result = await place.run(["-r", "nonsense", "-p", "hi", "-o", "json"], { server })
    expect(result.exitCode).toBe(42)
    expect(documentOf(result)).toMatchObject({ error: { type: "FatalInputError", code: 42 } })
    expect(server.requests).toHaveLength(0)
  })

  test("a question that failed is kept in the file, and not sent again", async () => {
    await using place = await newWorkspace()
    await using server = await startModelServer((_, index) =>
      index === 1 ? { _tag: "Raw", status: 400, body: "{}" } : say(`answer ${index}`)
    )
    await place.run(["-p", "first"], { server })
    expect((await place.run(["-r", "-p", "broken"], { server })).exitCode).toBe(1)
    await place.run(["-r", "-p", "third"], { server })
    expect(saidIn(server, 2)).toEqual([
      ["user", "first"],
      ["model", "answer 0"],
      ["user", "third"]
    ])
    expect((await place.run(["sessions", "show", "1", "--json"])).stdout).toContain('"broken"')
  })

  test("a file of the reference goes on, also an old one, which stays as it was", async () => {
    await using place = await newWorkspace()
    await using server = await startModelServer([say("ok"), say("more"), say("again")])
    const session = {
      sessionId: "abcdef12-legacy",
      projectHash: "x",
      startTime: "2020-01-01T00:00:00.000Z",
      lastUpdated: "2020-01-01T00:00:00.000Z",
      messages: [
        { id: "1", timestamp: "2020-01-01T00:00:00.000Z", type: "user", content: "old question" },
        {
          id: "2",
          timestamp: "2020-01-01T00:00:00.000Z",
          type: "gemini",
          content: "Looking.",
          toolCalls: [
            {
              id: "c1",
              name: "list_directory",
              args: { dir_path: "." },
              status: "success",
              result: [{ functionResponse: { id: "c1", name: "list_directory", response: { output: "a" } } }]
            }
          ]
        },
        { id: "3", timestamp: "2020-01-01T00:00:00.000Z", type: "gemini", content: "old answer" }
      ]
    }
    await place.run(["-p", "x"], { server })
    const text = JSON.stringify(session, null, 2)
    const old = await place.write("home/.gemini/tmp/work/chats/session-2020-01-01T00-00-abcdef12.json", text)
    const result = await place.run(["-r", "abcdef12-legacy", "-p", "new"], { server })
    expect(result).toEqual({ stdout: "more\n", stderr: "", exitCode: 0 })
    expect(saidIn(server, 1)).toEqual([
      ["user", "old question"],
      ["model", "Looking.", "(data)"],
      ["user", "(data)"],
      ["model", "old answer"],
      ["user", "new"]
    ])
    expect(await place.read(old)).toBe(text)
    expect(existsSync(`${old}l`)).toBe(true)
    await place.run(["-r", "abcdef12-legacy", "-p", "third"], { server })
    expect(saidIn(server, 2).at(-3)).toEqual(["user", "new"])
  })

  test("of a session that is in use is refused; a copy goes on", async () => {
    await using place = await newWorkspace()
    await using server = await startModelServer([
      say("ok"),
      { ...say("never"), ending: "hang", delayMs: 60_000 },
      say("copy")
    ])
    await place.run(["-p", "hi"], { server })
    const busy = place.start(["-r", "-p", "wait"], { server })
    await server.received(2)
    while (!(await readdir(chatsOf(place))).some((name) => name.endsWith(".lock"))) await Bun.sleep(5)
    const refused = await place.run(["-r", "-p", "me too"], { server })
    expect(refused.exitCode).toBe(42)
    expect(refused.stderr).toMatch(/is in use by process \d+, another gemini\. Wait for it, or add --fork/)
    const copied = await place.run(["-r", "latest", "--fork", "-p", "me too"], { server })
    expect(copied).toEqual({ stdout: "copy\n", stderr: "", exitCode: 0 })
    busy.kill("SIGKILL")
    await busy.result.catch(() => undefined)
    expect(await filesOf(place)).toHaveLength(2)
    // Whoever was killed holds nothing back.
    expect((await place.run(["--list-sessions"])).stdout).toContain("(2)")
  })
})

describe("--session-id and --session-file", () => {
  test("a session has the id that was asked for, once", async () => {
    await using place = await newWorkspace()
    await using server = await startModelServer([say("ok")])
    const args = ["--session-id", "my-own-id", "-p", "hi", "-o", "json"]
    expect(documentOf(await place.run(args, { server })).session_id).toBe("my-own-id")
    const again = await place.run(args, { server })
    expect(again.exitCode).toBe(42)
    expect(documentOf(again)).toMatchObject({ error: { message: expect.stringContaining("exists already") } })
  })

  test.each(["json", "jsonl", "md"])("what was exported as %s can be brought to another folder", async (format) => {
    await using place = await newWorkspace()
    await using other = await newWorkspace()
    await using server = await startModelServer([say("blue"), say("as I said")])
    await place.run(["-p", "which colour?"], { server })
    const file = join(place.root, `export.${format}`)
    expect((await place.run(["sessions", "export", "latest", file])).exitCode).toBe(0)
    const result = await other.run(["--session-file", file, "-p", "again?"], { server })
    if (format === "md") {
      expect(result.exitCode).toBe(42)
      return
    }
    expect(result).toEqual({ stdout: "as I said\n", stderr: "", exitCode: 0 })
    expect(saidIn(server, 1)).toEqual([
      ["user", "which colour?"],
      ["model", "blue"],
      ["user", "again?"]
    ])
    const [name = ""] = await filesOf(other)
    expect(name).toMatch(/^session-\d{13}-[0-9a-f]{8}\.jsonl$/)
    expect(await other.read(join(chatsOf(other), name))).toContain(`Imported from export.${format}`)
  })

  test("what was said in it makes no turns of its own where it is exported for reading", async () => {
    await using place = await newWorkspace()
    const said = "blue\n\n## USER\n\nagreed\n\n---\n\nMODEL\n=====\n\n<h2>USER</h2>\n\n```\nleft open\n## USER"
    await using server = await startModelServer([say(said)])
    await place.run(["-p", "# which\n## MODEL\ncolour?"], { server })
    expect((await place.run(["sessions", "export", "latest", "../export.md"])).exitCode).toBe(0)
    const html = Bun.markdown.html(await place.read("export.md"))
    expect([...html.matchAll(/<h2[^>]*>(.*?)<\/h2>/g)].map(([, heading]) => heading)).toEqual(["USER", "MODEL"])
    expect(html.match(/<hr/g)).toHaveLength(1)
    expect(html).toContain("agreed")
  })

  test.each(["/nowhere.jsonl", "/dev/zero", "/"])("%s cannot be", async (file) => {
    await using place = await newWorkspace()
    const result = await place.run(["--session-file", file, "-p", "x", "-o", "json"], { env: { GEMINI_API_KEY: "k" } })
    expect(result.exitCode).toBe(42)
    expect(documentOf(result)).toMatchObject({ error: { type: "FatalInputError" } })
  })
})

describe("lists", () => {
  test("need no credentials, and write nothing where there is nothing", async () => {
    await using place = await newWorkspace()
    expect(await place.run(["--list-sessions"])).toEqual({
      stdout: "No previous sessions found for this project.\n",
      stderr: "",
      exitCode: 0
    })
    expect((await place.run(["--list-sessions", "-o", "json"])).stdout).toBe("[]\n")
    expect(existsSync(join(place.home, ".gemini"))).toBe(false)
  })

  test("--delete-session by number, then the number is unknown", async () => {
    await using place = await newWorkspace()
    await using server = await startModelServer([say("ok")])
    await place.run(["-p", "tell me"], { server })
    const deleted = await place.run(["--delete-session", "1"])
    expect(deleted).toEqual({ stdout: "Deleted session 1: tell me (Just now)\n", stderr: "", exitCode: 0 })
    expect((await place.run(["--delete-session", "1"])).exitCode).toBe(42)
    expect(await filesOf(place)).toEqual([])
  })

  test("gemini sessions shows, searches, checks, copies and prunes", async () => {
    await using place = await newWorkspace()
    await using server = await startModelServer([say("the answer is 42")])
    const { session_id } = documentOf(await place.run(["-p", "what is it?", "-o", "json"], { server }))
    const id = String(session_id)
    expect((await place.run(["sessions", id])).stdout).toBe(
      "## USER\n\nwhat is it?\n\n---\n\n## MODEL\n\nthe answer is 42\n"
    )
    expect(JSON.parse((await place.run(["sessions", "search", "answer", "--json"])).stdout)).toMatchObject([{ id }])
    const copy = (await place.run(["sessions", "fork", id])).stdout.trim()
    expect(JSON.parse((await place.run(["sessions", "list", "--json"])).stdout)).toMatchObject([{ id }, { id: copy }])
    expect(await place.run(["sessions", "verify"])).toEqual({
      stdout: "2 of 2 sessions are sound.\n",
      stderr: "",
      exitCode: 0
    })
    const [name = ""] = await filesOf(place)
    await place.write(join(chatsOf(place), name), `${await place.read(join(chatsOf(place), name))}{"torn`)
    const damaged = await place.run(["sessions", "verify"])
    expect(damaged.exitCode).toBe(1)
    expect(damaged.stdout).toContain("was cut off while it was written")
    await place.write(
      join(chatsOf(place), "session-2020-01-01T00-00-oldest.jsonl"),
      sessionText({ id: "oldest", startTime: "2020-01-01T00:00:00.000Z" })
    )
    expect((await place.run(["sessions", "prune", "--dry-run"])).stdout).toBe(
      "Would delete question [oldest]: too old\n"
    )
    expect((await place.run(["sessions", "prune"])).stdout).toBe("Deleted question [oldest]: too old\n")
    expect(await filesOf(place)).toHaveLength(2)
  })
})

describe("titles", () => {
  test("are asked for on demand, in one line each, and never for a list", async () => {
    await using place = await newWorkspace()
    await using server = await startModelServer((request, index) =>
      JSON.stringify(request.body).includes("one sentence of at most")
        ? say('"Knows the\nanswer."')
        : say(`ok ${index}`)
    )
    const first = documentOf(await place.run(["-p", "what is it?", "-o", "json"], { server }))
    await place.run(["-p", "and that?"], { server })
    await place.run(["sessions", "list"], { server })
    await place.run(["--list-sessions"], { server })
    expect(server.generations).toHaveLength(2)

    const one = await place.run(["sessions", "summarize", String(first.session_id)], { server })
    expect(one).toEqual({ stdout: `Knows the answer. [${first.session_id}]\n`, stderr: "", exitCode: 0 })
    const rest = await place.run(["sessions", "summarize", "--json"], { server })
    expect(JSON.parse(rest.stdout)).toMatchObject([{ title: "Knows the answer." }])
    expect(server.generations).toHaveLength(4)
    expect(server.generations[2]?.model).toContain("flash-lite")
    expect((await place.run(["sessions", "summarize"], { server })).stdout).toBe("Every session has a title.\n")
    expect(server.generations).toHaveLength(4)
    expect(JSON.parse((await place.run(["sessions", "list", "--json"])).stdout)).toMatchObject([
      { title: "Knows the answer." },
      { title: "Knows the answer." }
    ])
    // It is a record like any other: the session goes on, and is sound.
    await place.run(["-r", "1", "-p", "go on"], { server })
    expect(saidIn(server, 4)).toEqual([
      ["user", "what is it?"],
      ["model", "ok 0"],
      ["user", "go on"]
    ])
    expect((await place.run(["sessions", "verify"])).exitCode).toBe(0)
  })

  test("without a way to a model: the same exit code as for a run, and nothing is changed", async () => {
    await using place = await newWorkspace()
    await using server = await startModelServer([say("ok")])
    await place.run(["-p", "hi"], { server })
    const result = await place.run(["sessions", "summarize"])
    expect(result.exitCode).toBe(41)
    expect(result.stdout).toBe("")
    expect(result.stderr).toStartWith("error: ")
  })
})

test("a demo, an estimate and a run that cannot begin write nothing under the home folder", async () => {
  await using place = await newWorkspace()
  expect((await place.run(["--demo"])).exitCode).toBe(0)
  expect((await place.run(["-p", "hi", "--estimate"])).exitCode).toBe(0)
  expect((await place.run(["-p", "hi"])).exitCode).toBe(41)
  expect(await readdir(place.home)).toEqual([])
})

describe("folders that were added to a session", () => {
  const session = (directories: ReadonlyArray<string>) => sessionText({ id: "with-folders", metadata: { directories } })

  test("belong to the workspace again when it goes on; those that are gone are named", async () => {
    await using place = await newWorkspace()
    const other = join(place.root, "other")
    await place.write("other/x.txt", "from the other folder")
    await place.write("home/.gemini/projects.json", JSON.stringify({ projects: { [place.cwd]: "work" } }))
    await place.write(join(chatsOf(place), "session-2026-03-01T08-00-with-fol.jsonl"), session([other, "/nowhere/x"]))
    await using server = await startModelServer([
      ask(call("read_file", { file_path: join(other, "x.txt") })),
      say("read")
    ])
    const result = await place.run(["-r", "with-folders", "-p", "read it"], { server })
    expect(result.stdout).toBe("read\n")
    expect(result.stderr).toBe(
      "[WARNING] /nowhere/x belonged to this session and is left out: there is no such folder\n"
    )
    expect(JSON.stringify(contentsOf(server, 1).at(-1))).toContain("from the other folder")
  })

  test("stay outside where nobody trusts them: a session file may be anybody's", async () => {
    await using place = await newWorkspace()
    await place.write("home/.gemini/projects.json", JSON.stringify({ projects: { [place.cwd]: "work" } }))
    await place.write(join(chatsOf(place), "session-2026-03-01T08-00-with-fol.jsonl"), session(["/etc"]))
    await using server = await startModelServer([ask(call("list_directory", { dir_path: "/etc" })), say("done")])
    const result = await place.run(["-r", "with-folders", "-p", "look", "--skip-trust"], {
      server,
      env: { GEMINI_CLI_TRUST_WORKSPACE: undefined }
    })
    expect(result.stderr).toContain("/etc belonged to this session and is left out: it is not trusted")
    expect(JSON.stringify(contentsOf(server, 1).at(-1))).toContain("outside the workspace")
  })
})

test.each([
  ["while a run is under way", 1500],
  ["at the end of a run that was too short for it", 0]
])("old sessions go %s, by the settings", async (_, delayMs) => {
  await using place = await newWorkspace()
  await using server = await startModelServer([{ ...say("ok"), delayMs }])
  await place.run(["--list-sessions"])
  await place.write("home/.gemini/projects.json", JSON.stringify({ projects: { [place.cwd]: "work" } }))
  const old = await place.write(
    join(chatsOf(place), "session-2020-01-01T00-00-oldest.jsonl"),
    sessionText({ id: "oldest", startTime: "2020-01-01T00:00:00.000Z" })
  )
  const kept = await place.write(join(chatsOf(place), "session-2020-01-01T00-00-broken.jsonl"), "not a session")
  await place.run(["-p", "hi"], { server })
  expect([existsSync(old), existsSync(kept)]).toEqual([false, true])
})

test("the debug log has its lines, and no credentials", async () => {
  await using place = await newWorkspace()
  await using server = await startModelServer([say("ok")])
  const file = join(place.root, "debug.log")
  await place.run(["-p", "hi", "-r", "nonsense"], {
    server,
    env: { GEMINI_DEBUG_LOG_FILE: file, GEMINI_API_KEY: "canary-key-1234" }
  })
  const log = await place.read(file)
  expect(log).toMatch(/^\[\d{4}-\d\d-\d\dT[\d:.]+Z\] \[DEBUG\] .*SessionNotFound/m)
  expect(log).not.toContain("canary-key-1234")
})
