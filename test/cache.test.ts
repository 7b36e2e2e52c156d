/** `--cache`: the same question over the same files is not asked twice. */
import { describe, expect, test } from "bun:test"
import { createHash, createHmac } from "node:crypto"
import { readdir, rm, utimes } from "node:fs/promises"
import { documentOf, eventsOf } from "./kit/documents.ts"
import { startModelServer } from "./kit/model-server.ts"
import { ask, call, say } from "./kit/replies.ts"
import { newWorkspace, type Workspace } from "./kit/run-gemini.ts"

/** Reads the notes, then says how many requests there were before. */
const reader = () => {
  let answers = 0
  return startModelServer(({ body }) => {
    const { contents } = body as { contents: ReadonlyArray<unknown> }
    return contents.length === 1 ? ask(call("read_file", { file_path: "notes.txt" })) : say(`answer ${++answers}`)
  })
}
const ARGS = ["-p", "sum up the notes", "-m", "flash", "--cache"]

/** So that a file is older than the run that reads it. */
const aged = async (place: Workspace, path: string, content: string) => {
  const file = await place.write(path, content)
  await utimes(file, new Date(2020, 1, 1), new Date(2020, 1, 1))
  return file
}

const kept = (place: Workspace) => readdir(`${place.home}/.gemini/cache`).catch(() => [])

describe("the same question", () => {
  test("is answered in every format without a model, a key or a session, until a file of the run changes", async () => {
    await using server = await reader()
    await using place = await newWorkspace()
    await aged(place, "work/notes.txt", "milk")
    await aged(place, "work/other.txt", "x")
    const first = await place.run(ARGS, { server })
    expect(first).toEqual({ stdout: "answer 1\n", stderr: "", exitCode: 0 })
    const asked = server.requests.length
    await aged(place, "work/other.txt", "nobody read it")
    await utimes(`${place.cwd}/notes.txt`, new Date(), new Date())
    expect(await place.run(ARGS)).toEqual(first)
    const document = documentOf(await place.run([...ARGS, "-o", "json", "--last-message-file", "last.txt"]))
    expect(document).toMatchObject({ response: "answer 1", cached: true, completion_reason: "success" })
    expect(await place.read("work/last.txt")).toBe("answer 1")
    const events = eventsOf(await place.run([...ARGS, "-o", "stream-json"]))
    expect(events.at(-1)).toMatchObject({ type: "result", cached: true, status: "success" })
    expect(events.map(({ type }) => type)).toContain("tool_result")
    expect(server.requests).toHaveLength(asked)

    await aged(place, "work/notes.txt", "silk")
    const changed = await place.run([...ARGS, "--verbose"], { server })
    expect(changed.stdout).toBe("answer 2\n")
    expect(changed.stderr).toContain("notes.txt changed")
    await aged(place, "work/GEMINI.md", "Answer briefly.")
    const instructed = await place.run([...ARGS, "--verbose"], { server })
    expect(instructed.stdout).toBe("answer 3\n")
    expect(instructed.stderr).toContain("GEMINI.md is there now")
    for (const other of [
      ["-p", "sum up the letters"],
      ["-m", "pro"],
      ["--append-system-prompt", "x"],
      ["--thinking", "low"]
    ]) {
      const base =
        other[0] === "-p"
          ? ["-m", "flash", "--cache"]
          : other[0] === "-m"
            ? ["-p", "sum up the notes", "--cache"]
            : ARGS
      expect((await place.run([...base, ...other], { server })).stdout).not.toBe("answer 3\n")
    }
  })

  test("is asked again where what was kept is damaged, and kept again", async () => {
    await using server = await reader()
    await using place = await newWorkspace()
    await aged(place, "work/notes.txt", "milk")
    await place.run([...ARGS.slice(0, -1), "--cache=kept"], { server })
    const [name = ""] = await readdir(`${place.cwd}/kept`)
    const whole = await place.read(`work/kept/${name}`)
    const damages = [whole.slice(0, 100), "", whole.replace("answer 1", "answer 9"), "{}\n"]
    for (const [index, damage] of damages.entries()) {
      await place.write(`work/kept/${name}`, damage)
      const again = await place.run([...ARGS.slice(0, -1), "--cache=kept", "--verbose"], { server })
      expect(again.stdout).toBe(`answer ${index + 2}\n`)
      expect(again.stderr).toContain("damaged")
    }
    expect((await place.run([...ARGS.slice(0, -1), "--cache=kept"])).stdout).toBe("answer 5\n")
  })

  test("of 16 processes at once leaves one whole answer; a place that cannot be written is told", async () => {
    await using server = await reader()
    await using place = await newWorkspace()
    await aged(place, "work/notes.txt", "milk")
    const runs = await Promise.all(Array.from({ length: 16 }, () => place.run(ARGS, { server })))
    expect(runs.map(({ exitCode }) => exitCode)).toEqual(runs.map(() => 0))
    expect(await kept(place)).toHaveLength(1)
    expect((await place.run(ARGS)).exitCode).toBe(0)
    await place.write("work/file", "x")
    const blocked = await place.run([...ARGS.slice(0, -1), "--cache=file/below"], { server })
    expect(blocked).toMatchObject({ exitCode: 0 })
    expect(blocked.stderr).toContain("[WARNING] --cache: the answer is not kept")
  })
})

test("a run that changed something, asked the web or a server, or ran a command is not kept, and says so", async () => {
  const tools: ReadonlyArray<readonly [string, Readonly<Record<string, unknown>>, string]> = [
    ["write_file", { file_path: "made.txt", content: "x" }, "it called write_file"],
    ["run_shell_command", { command: "touch made.txt" }, "a command that is not known to only read"],
    ["web_fetch", { prompt: "http://127.0.0.1:1/ say" }, "it asked the web"]
  ]
  for (const [name, args, words] of tools) {
    await using server = await startModelServer(({ body }) =>
      (body as { contents: ReadonlyArray<unknown> }).contents.length === 1 ? ask(call(name, args)) : say("done")
    )
    await using place = await newWorkspace()
    const result = await place.run([...ARGS, "-y"], { server })
    expect(result).toMatchObject({ stdout: "done\n", exitCode: 0 })
    expect(result.stderr).toContain("the answer is not kept: ")
    expect(result.stderr).toContain(words)
    expect(await kept(place)).toEqual([])
  }
})

test("answers that a folder brought along are nobody's: they are sealed by who kept them", async () => {
  await using server = await reader()
  await using place = await newWorkspace()
  await aged(place, "work/notes.txt", "milk")
  const args = [...ARGS.slice(0, -1), "--cache=kept"]
  expect((await place.run(args, { server })).stdout).toBe("answer 1\n")
  const [name = ""] = await readdir(`${place.cwd}/kept`)
  // As the author of a repository would make it, who knows all that a stranger can know.
  const [, text = ""] = (await place.read(`work/kept/${name}`)).split("\n")
  const forged = text.replace("answer 1", "forged")
  expect(forged).not.toBe(text)
  const unkeyed = createHash("sha256").update(forged).digest("hex")
  const theirs = createHmac("sha256", "theirs").update(forged).digest("hex")
  for (const [index, seal] of [unkeyed, theirs].entries()) {
    await place.write(`work/kept/${name}`, `${seal}\n${forged}\n`)
    expect((await place.run(args, { server })).stdout).toBe(`answer ${index + 2}\n`)
  }
  // Another account on another machine has no part in it, unless it is given the secret.
  const env = { GEMINI_CACHE_KEY: "a secret of the team" }
  await place.run(args, { server, env })
  await rm(`${place.home}/.gemini`, { recursive: true })
  expect((await place.run(args, { env })).stdout).toBe("answer 4\n")
  const homeless = await place.run([...args, "--ephemeral"], { server })
  expect(homeless).toMatchObject({ stdout: "answer 5\n" })
  expect(homeless.stderr).toContain("GEMINI_CACHE_KEY")
  expect(await readdir(`${place.home}/.gemini`).catch(() => [])).not.toContain("cache.key")
})

test("a failed run is not kept, and --cache is refused beside what has more than one question", async () => {
  await using server = await startModelServer([])
  await using place = await newWorkspace()
  expect((await place.run(ARGS, { server })).exitCode).not.toBe(0)
  expect(await kept(place)).toEqual([])
  const refused = await place.run([...ARGS, "--resume", "latest"])
  expect(refused.stderr).toContain("--cache keeps the answer to one prompt, so it cannot go with --resume")
  expect((await place.run([...ARGS, "--ephemeral"])).stderr).toContain("--cache=DIR")
})

test("gemini cache lists, shows, prunes and clears", async () => {
  await using server = await reader()
  await using place = await newWorkspace()
  await aged(place, "work/notes.txt", "milk")
  await place.run(ARGS, { server })
  const listed = await place.run(["cache", "list"])
  expect(listed.stdout).toContain("sum up the notes")
  const key = listed.stdout.slice(0, 12)
  const shown = await place.run(["cache", "show", key])
  expect(shown.stdout).toContain("answer 1")
  expect(shown.stdout).toContain("notes.txt")
  expect((await place.run(["cache", "prune", "--older", "30d"])).stdout).toContain("0 answers were removed")
  expect((await place.run(["cache", "prune", "--older", "soon"])).exitCode).toBe(42)
  expect((await place.run(["cache", "clear"])).stdout).toContain("One answer was removed")
  expect((await place.run(["cache", "list"])).stdout).toContain("Nothing is kept")
})
