/** Options that change one run: what the model is told and offered, where the run works, what it leaves. */
import { describe, expect, test } from "bun:test"
import { existsSync, readdirSync } from "node:fs"
import { join } from "node:path"
import { documentOf, eventsOf } from "./kit/documents.ts"
import { type ModelRequest, startModelServer } from "./kit/model-server.ts"
import { answer, call, chunk, DEFAULT_USAGE, finish, say } from "./kit/replies.ts"
import { newWorkspace } from "./kit/run-gemini.ts"

const MODEL = ["-m", "gemini-2.5-flash"]

const bodyOf = (request: ModelRequest | undefined) =>
  request?.body as {
    readonly systemInstruction: { readonly parts: ReadonlyArray<{ readonly text: string }> }
    readonly generationConfig: { readonly thinkingConfig?: object }
    readonly tools?: ReadonlyArray<{ readonly functionDeclarations: ReadonlyArray<{ readonly name: string }> }>
    readonly contents: ReadonlyArray<{ readonly parts: ReadonlyArray<object> }>
  }
const instructionOf = (request: ModelRequest | undefined): string =>
  bodyOf(request)
    .systemInstruction.parts.map(({ text }) => text)
    .join("")
const toolsOf = (request: ModelRequest | undefined): ReadonlyArray<string> =>
  (bodyOf(request).tools ?? []).flatMap(({ functionDeclarations }) => functionDeclarations.map(({ name }) => name))

test("the system prompt: replaced, and what is appended stands behind it; texts, files and a variable", async () => {
  await using server = await startModelServer([say("x"), say("y")])
  await using place = await newWorkspace()
  await place.write("work/more.txt", "FROM A FILE, with, commas")
  const given = [
    "--system-prompt",
    "ONLY THIS",
    "--append-system-prompt",
    "@more.txt",
    "--append-system-prompt",
    "@@at"
  ]
  expect((await place.run(["-p", "hi", ...MODEL, ...given], { server })).exitCode).toBe(0)
  expect(instructionOf(server.generations[0])).toMatch(/^ONLY THIS\n\nFROM A FILE, with, commas\n\n@at/)
  const env = { GEMINI_APPEND_SYSTEM_PROMPT: "BY VARIABLE" }
  await place.run(["-p", "hi", ...MODEL], { server, env })
  expect(instructionOf(server.generations[1])).toMatch(/.{500}BY VARIABLE/s)
})

test("tools: only those that are named, none, all but some; slips are refused before anything is sent", async () => {
  await using server = await startModelServer(() => say("x"))
  await using place = await newWorkspace()
  const offered = async (...args: ReadonlyArray<string>) => {
    const { exitCode } = await place.run(["-p", "hi", ...MODEL, ...args], { server })
    expect(exitCode).toBe(0)
    return toolsOf(server.generations.at(-1))
  }
  expect(await offered("--tools", "read_file,glob")).toEqual(["glob", "read_file"].toSorted(byOrderOf(await offered())))
  expect(await offered("--no-tools")).toEqual([])
  expect(await offered("--tools", "")).toEqual([])
  expect(await offered("--exclude-tools", "glob,read_*")).not.toContain("glob")
  const sent = server.requests.length
  const slip = await place.run(["-p", "hi", "--tools", "read_fil"], { server })
  expect(slip).toMatchObject({ exitCode: 42, stderr: expect.stringContaining("Did you mean read_file") })
  const both = await place.run(["-p", "hi", "--tools", "glob", "--no-tools"], { server })
  expect(both.exitCode).toBe(1)
  expect(server.requests.length).toBe(sent)
})

const byOrderOf =
  (names: ReadonlyArray<string>) =>
  (one: string, other: string): number =>
    names.indexOf(one) - names.indexOf(other)

test("thinking: flag, variable and setting reach the request; what a model cannot is said", async () => {
  await using server = await startModelServer(() => say("x"))
  await using place = await newWorkspace()
  await place.write("work/.gemini/settings.json", '{"run":{"thinking":"high"}}')
  const thinking = () => bodyOf(server.generations.at(-1)).generationConfig.thinkingConfig
  await place.run(["-p", "hi", ...MODEL], { server })
  expect(thinking()).toMatchObject({ thinkingBudget: 24_576 })
  await place.run(["-p", "hi", ...MODEL, "--thinking=off"], { server, env: { GEMINI_THINKING: "low" } })
  expect(thinking()).toMatchObject({ thinkingBudget: 0 })
  const { stderr } = await place.run(["-p", "hi", "-m", "gemini-2.5-pro"], { server, env: { GEMINI_THINKING: "off" } })
  expect(thinking()).toMatchObject({ thinkingBudget: 128 })
  expect(stderr).toContain("128 to 32768 tokens")
  const wrong = await place.run(["-p", "hi", "--thinking", "much"], { server })
  expect(wrong).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('--thinking cannot be "much"') })
})

test("files: text in a frame, a picture beside it, standard input by name; a missing one is 42", async () => {
  await using server = await startModelServer([say("x")])
  await using place = await newWorkspace()
  const png = Buffer.from("89504e470d0a1a0a0000000d49484452", "hex")
  await place.write("work/a, b.txt", "text of a file")
  await place.write("work/p.png", png)
  const args = ["-p", "look", ...MODEL, "-f", "a, b.txt", "--file", "p.png", "-f", "-"]
  const result = await place.run(args, { server, stdin: { pipe: "piped text" } })
  expect(result).toMatchObject({ exitCode: 0, stdout: "x\n" })
  const parts = bodyOf(server.generations[0]).contents.flatMap(({ parts: all }) => all)
  const text = JSON.stringify(parts)
  expect(parts).toContainEqual({ inlineData: { mimeType: "image/png", data: png.toString("base64") } })
  expect(text).toContain("attached file a, b.txt")
  expect(text).toContain("attached file stdin")
  expect(text.indexOf("look")).toBeLessThan(text.indexOf("piped text"))
  for (const [file, said] of [
    ["none.txt", "no such file"],
    [".", "is a folder"]
  ] as const) {
    const wrong = await place.run(["-p", "x", "-f", file], { server })
    expect(wrong).toMatchObject({ exitCode: 42, stderr: expect.stringContaining(said) })
  }
})

test("--cwd: works there; paths before it count from where the program was called", async () => {
  await using server = await startModelServer(() =>
    answer([chunk(call("list_directory", { dir_path: "." })), finish("STOP", DEFAULT_USAGE)])
  )
  await using place = await newWorkspace()
  await place.write("work/before.txt", "BEFORE")
  await place.write("work/sub/after.txt", "AFTER")
  const args = ["-p", "x", ...MODEL, "-f", "before.txt", "-C", "sub", "-f", "after.txt", "--max-turns", "1"]
  await place.run(args, { server })
  const text = JSON.stringify(bodyOf(server.generations[0]).contents)
  expect(text).toContain("BEFORE")
  expect(text).toContain("AFTER")
  expect(text).toContain(join(place.cwd, "sub"))
  const wrong = await place.run(["-p", "x", "-C", "nowhere", "-o", "json"], { server })
  expect(wrong.exitCode).toBe(42)
  expect(documentOf(wrong)).toMatchObject({ error: { message: expect.stringContaining("nowhere (ENOENT)") } })
})

test("--settings: above the project's file, below flags; a fault is named with its place", async () => {
  await using server = await startModelServer(() => say("x"))
  await using place = await newWorkspace()
  await place.write("work/.gemini/settings.json", '{"model":{"name":"gemini-2.5-pro"}}')
  await place.write(
    "work/one.json",
    '{ // a comment\n  "model": {"name": "gemini-2.5-flash-lite"}, "tools": {"core": ["glob"]}}'
  )
  await place.run(["-p", "hi", "--settings", "one.json"], { server })
  expect(server.generations.at(-1)?.model).toBe("gemini-2.5-flash-lite")
  expect(toolsOf(server.generations.at(-1))).toEqual(["glob"])
  await place.run(["-p", "hi", "--settings", "one.json", ...MODEL], { server })
  expect(server.generations.at(-1)?.model).toBe("gemini-2.5-flash")
  const faulty = await place.run(["-p", "hi", "--settings", '{\n"tools": {"core": 3}}'], { server })
  expect(faulty).toMatchObject({ exitCode: 52, stderr: expect.stringContaining("--settings:2") })
  const missing = await place.run(["-p", "hi", "--settings", "gone.json"], { server })
  expect(missing).toMatchObject({ exitCode: 42, stderr: expect.stringContaining("gone.json: no such file") })
})

test("--code: the code blocks of the final answer; without one the text, and a word about it", async () => {
  await using server = await startModelServer([
    say("Here:\n```sh\nls -l\n```\nand\n```\nb\n```\n"),
    say("no code"),
    say("z")
  ])
  await using place = await newWorkspace()
  expect(await place.run(["-p", "x", "--code"], { server })).toEqual({
    exitCode: 0,
    stdout: "ls -l\n\nb\n",
    stderr: ""
  })
  const none = await place.run(["-p", "x", "--code"], { server })
  expect(none).toMatchObject({ exitCode: 0, stdout: "no code\n", stderr: expect.stringContaining("no code block") })
  expect((await place.run(["-p", "x", "--code", "-o", "json"], { server })).exitCode).toBe(1)
})

test("--events: stream-json beside the text, in a file and in a descriptor; -q says nothing", async () => {
  await using server = await startModelServer(() =>
    answer([chunk(call("no_such_tool")), finish("STOP", DEFAULT_USAGE)])
  )
  await using place = await newWorkspace()
  const result = await place.run(["-p", "x", ...MODEL, "--events", "e.jsonl", "--max-turns", "2", "-q"], { server })
  const events = eventsOf({ ...result, stdout: await place.read("work/e.jsonl") })
  expect(events.map(({ type }) => type)).toContain("tool_use")
  expect(
    result.stderr
      .trim()
      .split("\n")
      .every((line) => /^(error:|Error )/.test(line))
  ).toBe(true)
  const piped = await place.shell(`$GEMINI -p x -m gemini-2.5-flash --max-turns 1 -q --events fd:3 3>fd.jsonl`, {
    server
  })
  expect(eventsOf({ ...piped, stdout: await place.read("work/fd.jsonl") }).length).toBeGreaterThan(2)
  for (const [target, said] of [
    ["fd:9", "not open"],
    ["fd:three", "names no descriptor"],
    ["fd:1", "descriptor 1 has the answer"],
    [".", "is a folder"],
    ["/nowhere/x", "ENOENT"]
  ] as const) {
    const wrong = await place.run(["-p", "x", "--events", target], { server })
    expect(wrong).toMatchObject({ exitCode: 42, stderr: expect.stringContaining(said) })
  }
})

test("an option that names a file is refused where its value is empty", async () => {
  await using place = await newWorkspace()
  const options = ["--file", "--settings", "--mcp-config", "--replay", "--record", "--events"]
  const results = await Promise.all(options.map((option) => place.run(["-p", "x", option, ""])))
  for (const [index, option] of options.entries()) {
    expect(results[index]).toMatchObject({ exitCode: 1, stderr: expect.stringContaining(`${option} needs a value`) })
  }
})

test("--ephemeral: nothing is written under the home folder, tools included", async () => {
  await using server = await startModelServer([
    answer([chunk(call("write_file", { file_path: "new.txt", content: "x" })), finish("STOP", DEFAULT_USAGE)]),
    answer([chunk(call("run_shell_command", { command: "echo hi > other.txt" })), finish("STOP", DEFAULT_USAGE)]),
    say("done")
  ])
  await using place = await newWorkspace()
  const result = await place.run(["-p", "x", ...MODEL, "--ephemeral", "--yolo"], { server })
  expect(result).toMatchObject({ exitCode: 0, stdout: "done\n" })
  expect(existsSync(join(place.cwd, "new.txt")) && existsSync(join(place.cwd, "other.txt"))).toBe(true)
  expect(readdirSync(place.home)).toEqual([])
  expect(readdirSync(join(place.root, "tmp"))).toEqual([])
  expect(toolsOf(server.generations[0])).not.toContain("save_memory")
})

describe("--mcp-config", () => {
  test.each([
    [["--mcp-config", '{"mcpServers": {"a": 3}}'], "--mcp-config: a: expected an object"],
    [["--mcp-config", "{nonsense"], "--mcp-config"],
    [["--mcp-config", "gone.json"], "gone.json: no such file"]
  ])("%p is refused", async (args, said) => {
    await using place = await newWorkspace()
    const wrong = await place.run(["-p", "x", ...args], { env: { GEMINI_API_KEY: "k" } })
    expect(wrong).toMatchObject({ exitCode: 42, stderr: expect.stringContaining(said) })
  })
})

test("--worktree: work stays in a tree of its own, which is kept with changes and removed without", async () => {
  await using server = await startModelServer([
    answer([chunk(call("write_file", { file_path: "new.txt", content: "x" })), finish("STOP", DEFAULT_USAGE)]),
    say("done"),
    say("again"),
    say("nothing")
  ])
  await using place = await newWorkspace()
  const git = "git -c user.name=t -c user.email=t@t"
  await place.shell(`git init -q . && echo a > a && git add a && ${git} commit -qm one`)
  const first = await place.run(["-p", "x", ...MODEL, "-w", "task", "--yolo"], { server })
  expect(first.stderr).toContain("is kept: it has changes")
  const tree = join(place.cwd, ".gemini/worktrees/task")
  expect(existsSync(join(tree, "new.txt")) && !existsSync(join(place.cwd, "new.txt"))).toBe(true)
  const back = await place.run(["-p", "more", ...MODEL, "-w", "task", "--resume"], { server })
  expect(back).toMatchObject({ exitCode: 0, stdout: "again\n" })
  expect(JSON.stringify(bodyOf(server.generations[2]).contents)).toContain("done")
  const clean = await place.run(["-p", "x", ...MODEL, "--worktree=clean"], { server })
  expect(clean.stderr).toContain("is removed")
  expect(existsSync(join(place.cwd, ".gemini/worktrees/clean"))).toBe(false)
  const outside = await place.run(["-p", "x", "-w", "../x"], { server })
  expect(outside.exitCode).toBe(42)
  await place.write("home/.gemini/settings.json", '{"experimental":{"worktrees":false}}')
  const forbidden = await place.run(["-p", "x", "-w", "other"], { server })
  expect(forbidden).toMatchObject({ exitCode: 42, stdout: "" })
  expect(forbidden.stderr).toContain("--worktree is forbidden by the setting experimental.worktrees")
  expect(existsSync(join(place.cwd, ".gemini/worktrees/other"))).toBe(false)
})

test("tiers: flag, variable and setting reach the request; the answer's own tier decides the price, and stats know it", async () => {
  await using server = await startModelServer((_, index) =>
    index < 3 ? say("x") : answer([chunk({ text: "x" }), { ...finish("STOP", DEFAULT_USAGE), ...servedAs("priority") }])
  )
  await using place = await newWorkspace()
  await place.write("work/.gemini/settings.json", '{"run":{"tier":"priority"}}')
  const statsOf = async (args: ReadonlyArray<string>, env = {}) => {
    const run = await place.run(["-p", "hi", ...MODEL, "-o", "json", ...args], { server, env })
    return documentOf(run).stats as { readonly cost_usd: number; readonly tiers?: object }
  }
  const [full, flex, set] = [
    await statsOf(["--tier", "standard"]),
    await statsOf(["--tier=flex"], { GEMINI_TIER: "standard" }),
    await statsOf([])
  ]
  const tiers = server.generations.map((one) => (one.body as { readonly serviceTier?: string }).serviceTier)
  expect(tiers).toEqual([undefined, "flex", "priority"])
  expect(full.tiers).toBeUndefined()
  expect(flex).toMatchObject({ tiers: { flex: { requests: 1, total_tokens: 17 } } })
  expect(flex.cost_usd).toBeCloseTo(full.cost_usd / 2, 9)
  expect(set.cost_usd).toBeCloseTo(full.cost_usd * 1.8, 9)
  // Downgraded or upgraded by the service: what it says counts.
  expect(await statsOf(["--tier=flex"])).toMatchObject({ tiers: { priority: { requests: 1 } } })
  const stats = await place.run(["stats"])
  expect(stats.stdout).toMatch(/Service tiers\n[^\n]*priority[^\n]*2 requests/)
  const slip = await place.run(["-p", "hi", "--tier", "cheap"], { server })
  expect(slip.stderr).toContain("Choose one of: standard, flex, priority, auto")
  expect(slip.exitCode).toBe(1)
})

const servedAs = (serviceTier: string) => ({
  usageMetadata: { promptTokenCount: 10, candidatesTokenCount: 5, totalTokenCount: 15, serviceTier }
})
