/** Slash commands of headless runs: answered without a model, or refused with a reason. */
import { describe, expect, test } from "bun:test"
import { documentOf, resultOf } from "./kit/documents.ts"
import { startModelServer } from "./kit/model-server.ts"
import { say } from "./kit/replies.ts"
import { newWorkspace, type RunOptions } from "./kit/run-gemini.ts"

interface Asked extends RunOptions {
  readonly files?: Readonly<Record<string, string>>
  readonly args?: ReadonlyArray<string>
}

const run = async (line: string, { args = [], files = {}, ...options }: Asked = {}) => {
  await using server = await startModelServer(() => say("from the model"), { strict: true })
  await using place = await newWorkspace()
  for (const [path, content] of Object.entries(files)) await place.write(path, content)
  const result = await place.run(["-p", line, ...args], { server, ...options })
  const [first] = server.generations
  const body = first?.body as { contents: ReadonlyArray<{ parts: ReadonlyArray<{ text: string }> }> } | undefined
  return {
    ...result,
    calls: server.generations.length,
    prompt: body?.contents[0]?.parts[1]?.text,
    read: place.read,
    cwd: place.cwd
  }
}

describe("commands that print", () => {
  test.each([
    ["/help", "/about  "],
    ["/about", "Model"],
    ["/stats", "Session"],
    ["/stats model", "No model has been asked yet."],
    ["/tools", "read_file"],
    ["/tools desc", "read_file (ReadFile)"],
    ["/memory list", "No context files are in use."],
    ["/policies list", "In every mode"],
    ["/privacy", "No usage statistics are sent."],
    ["/commands", "No custom commands."],
    ["/settings", "Nothing is set: all defaults apply."],
    ["/model", "auto"],
    ["/shortcuts", "Ctrl-R"],
    ["/directory show", "/work"],
    ["/tasks", "Nothing runs in the background."],
    ["/docs", "https://"],
    ["/theme", "is not in this version"],
    ["/memory", "/memory show"]
  ])("%s", async (line, expected) => {
    const result = await run(line)
    expect(result).toMatchObject({ exitCode: 0, calls: 0, stderr: "" })
    expect(result.stdout).toContain(expected)
    expect(result.stdout).toEndWith("\n")
  })

  test("their data for programs, and the documents of a run around them", async () => {
    const about = await run("/about --json")
    expect(JSON.parse(about.stdout)).toMatchObject({ auth: "gemini-api-key", trust: "trusted" })
    const json = await run("/model", { args: ["-o", "json", "-m", "pro"] })
    expect(documentOf(json)).toMatchObject({ response: "pro" })
    const settings = {
      experimental: { dynamicModelConfiguration: true },
      modelConfigs: { modelDefinitions: { "house-pro": {} }, customAliases: { precise: { extends: "chat-base" } } }
    }
    const files = { "home/.gemini/settings.json": JSON.stringify(settings) }
    const { models } = JSON.parse((await run("/model --json", { files })).stdout)
    expect(models).toEqual(expect.arrayContaining(["auto", "gemini-2.5-pro", "house-pro", "precise"]))
    const stream = await run("/model", { args: ["-o", "stream-json"] })
    expect(resultOf(stream)).toMatchObject({ status: "success" })
  })

  test("context files are shown and counted", async () => {
    const { stdout } = await run("/memory show", { files: { "work/GEMINI.md": "be kind" } })
    expect(stdout).toContain("from 1 file")
    expect(stdout).toContain("be kind")
  })

  test("a fact is added to the user's own context file", async () => {
    await using place = await newWorkspace()
    await using server = await startModelServer([])
    const added = await place.run(["-p", "/memory add - likes tea"], { server })
    expect(added.stdout).toBe(`Remembered: "likes tea" (${place.root}/home/.gemini/GEMINI.md)\n`)
    expect(await place.read("home/.gemini/GEMINI.md")).toBe("## Gemini Added Memories\n- likes tea\n")
    expect((await place.run(["-p", "/memory add"], { server })).stderr).toContain("Usage: /memory add <text>")
    expect(server.generations).toEqual([])
  })
})

describe("commands that are refused", () => {
  test.each([
    ["/clear", "works only in a conversation"],
    ["/quit", "works only in a conversation"],
    ["/auth", "works only in a conversation"],
    ["/editor", "works only in a conversation"],
    ["/comprss", "Did you mean /compress?"],
    ["/memory forget", "It has: show, list, add, reload."],
    ["/model set", "Usage: /model set <name> [--persist]"]
  ])("%s", async (line, expected) => {
    const result = await run(line)
    expect(result).toMatchObject({ exitCode: 42, calls: 0, stdout: "" })
    expect(result.stderr).toContain(expected)
  })

  test("the failure is a document where one was asked for", async () => {
    const result = await run("/nothing-like-it", { args: ["-o", "json"] })
    expect(result.exitCode).toBe(42)
    expect(documentOf(result)).toMatchObject({ error: { type: "FatalInputError" } })
  })
})

describe("text that only looks like a command", () => {
  test.each(["/usr/bin/env is missing", "// a comment", "/* a comment */", "/unknown\nwith more lines"])(
    "%p goes to the model",
    async (line) => {
      const result = await run(line)
      expect(result).toMatchObject({ exitCode: 0, calls: 1, prompt: line })
    }
  )

  test("a shell line is text in a headless run", async () => {
    expect(await run("!ls")).toMatchObject({ calls: 1, prompt: "!ls" })
  })
})

test("/init makes the context file once and lets the model fill it", async () => {
  const made = await run("/init", { files: { "home/.gemini/settings.json": '{"context":{"fileName":"AGENTS.md"}}' } })
  expect(made).toMatchObject({ exitCode: 0, calls: 1 })
  expect(made.prompt).toContain("AGENTS.md")
  const there = await run("/init", { files: { "work/GEMINI.md": "x" } })
  expect(there).toMatchObject({ calls: 0, stdout: "GEMINI.md exists already: nothing was changed.\n" })
})

test("/model set --persist and /settings set write the file of the user", async () => {
  await using server = await startModelServer(() => say("no"), { strict: true })
  await using place = await newWorkspace()
  await place.run(["-p", "/model set flash --persist"], { server })
  const set = await place.run(["-p", '/settings set context.fileName ["A.md","B.md"] --scope workspace'], { server })
  expect(set.exitCode).toBe(0)
  expect(JSON.parse(await place.read("home/.gemini/settings.json"))).toEqual({ model: { name: "flash" } })
  expect(JSON.parse(await place.read("work/.gemini/settings.json"))).toEqual({
    context: { fileName: ["A.md", "B.md"] }
  })
  const bad = await place.run(["-p", "/settings set model.nam x"], { server })
  expect(bad).toMatchObject({ exitCode: 42 })
  expect(bad.stderr).toContain("model.name")
})

test("/plan with a text asks in plan mode", async () => {
  const result = await run("/plan add a test")
  expect(result).toMatchObject({ exitCode: 0, calls: 1, prompt: "add a test" })
})

test("in a session that goes on, commands are about what was said in it", async () => {
  await using server = await startModelServer(
    ({ operation }) => say(operation === "generateContent" ? "<state_snapshot>so far</state_snapshot>" : "an answer"),
    { strict: true }
  )
  await using place = await newWorkspace()
  const ask = (line: string) => place.run(["-r", "latest", "-m", "flash", "-p", line], { server })
  const words = (seed: number) => Array.from({ length: 2000 }, (_, index) => (index * seed).toString(36)).join(" ")
  for (const seed of [7, 11, 13, 17]) await ask(`question ${seed} ${words(seed)}`)
  const asked = server.generations.length
  for (const [line, told] of [
    ["/chat save kept", "kept as kept"],
    ["/chat share talk.md", "talk.md"],
    ["/export-session all.json", "all.json"],
    ["/stats model", "gemini-3.5-flash"],
    ["/rewind", "question 17"]
  ] as const) {
    const { exitCode, stdout } = await ask(line)
    expect({ line, exitCode, stdout }).toEqual({ line, exitCode: 0, stdout: expect.stringContaining(told) })
  }
  expect(await place.read("work/talk.md")).toContain("question 11")
  expect(await place.read("work/all.json")).toContain("question 13")
  expect(server.generations).toHaveLength(asked)
  expect((await ask("/compress")).stdout).toContain("Chat history compressed")
  await ask("and now")
  const sent = JSON.stringify(server.generations.at(-1)?.body)
  expect(sent).toContain("so far")
  expect(sent).not.toContain("question 7 ")
})
