/** What a person can type about MCP servers: /mcp, prompts as commands, resources in a prompt; and `gemini mcp`. */
import { describe, expect, test } from "bun:test"
import { type McpScript, scriptedServer } from "./kit/mcp-script.ts"
import { startModelServer } from "./kit/model-server.ts"
import { referenceServer } from "./kit/reference-servers.ts"
import { say } from "./kit/replies.ts"
import { newWorkspace, type Workspace } from "./kit/run-gemini.ts"

const SCRIPT: McpScript = {
  tools: [{ name: "x", description: "does x", inputSchema: { type: "object", properties: { a: { type: "number" } } } }],
  prompts: [
    { name: "code review", description: "Reviews a file.", arguments: [{ name: "file", required: true }] },
    { name: "help" }
  ],
  resources: [{ uri: "notes://today", name: "Today" }]
}

const configure = (place: Workspace, mcpServers: object) =>
  place.write("home/.gemini/settings.json", JSON.stringify({ mcpServers }))

/** A prompt, and what the model was asked; `undefined` when it was not. */
const ask = async (place: Workspace, prompt: string) => {
  await using server = await startModelServer(() => say("ok"))
  const result = await place.run(["-p", prompt], { server })
  return {
    ...result,
    asked: server.generations[0] === undefined ? undefined : JSON.stringify(server.generations[0].body)
  }
}

describe("/mcp in a headless run", () => {
  test.each<[string, ReadonlyArray<string>, ReadonlyArray<string>]>([
    [
      "/mcp",
      ["✓ s: ", "(stdio) - Connected", "x (mcp_s_x)", "prompts: code review, help", "notes://today"],
      ["      does x"]
    ],
    ["/mcp list", ["✗ none: no-such-program", "could not be started"], ["      does x"]],
    ["/mcp desc", ["x (mcp_s_x)\n      does x"], ['"properties": {']],
    ["/mcp schema", ['"properties": {'], []],
    ["/mcp auth", ["No server asks for a login."], []],
    ["/mcp reload s", ["✓ s: "], ["none"]],
    ["/mcp disable s --session", ["○ s: "], []]
  ])("%s", async (line, words, others) => {
    await using place = await newWorkspace()
    await configure(place, { s: scriptedServer(SCRIPT), none: { command: "no-such-program" } })
    const { asked, exitCode, stdout } = await ask(place, line)
    expect({ exitCode, asked }).toEqual({ exitCode: 0, asked: undefined })
    for (const word of words) expect(stdout).toContain(word)
    for (const word of others) expect(stdout).not.toContain(word)
  })

  test("what was turned off stays off, until it is turned on", async () => {
    await using place = await newWorkspace()
    await configure(place, { s: scriptedServer(SCRIPT) })
    await ask(place, "/mcp disable s")
    expect((await ask(place, "/mcp")).stdout).toContain("○ s: ")
    expect((await place.run(["mcp", "enable", "S"])).stdout).toBe('MCP server "s" enabled.\n')
    expect((await ask(place, "/mcp")).stdout).toContain("✓ s: ")
  })

  test("a name that no server has", async () => {
    await using place = await newWorkspace()
    await configure(place, { s: scriptedServer(SCRIPT) })
    const { exitCode, stderr } = await ask(place, "/mcp reload docs")
    expect(exitCode).not.toBe(0)
    expect(stderr).toContain('MCP server "docs" is not configured')
  })
})

describe("prompts of servers", () => {
  test("run by name, with their arguments", async () => {
    await using place = await newWorkspace()
    await configure(place, { s: scriptedServer(SCRIPT) })
    const { asked, exitCode } = await ask(place, '/code-review "a b.ts"')
    expect(exitCode).toBe(0)
    expect(asked).toContain(
      JSON.stringify(JSON.stringify({ name: "code review", arguments: { file: "a b.ts" } })).slice(1, -1)
    )
  })

  test("say what is missing, explain themselves, and give way to built-in commands", async () => {
    await using place = await newWorkspace()
    await configure(place, { s: scriptedServer(SCRIPT) })
    expect((await ask(place, "/code-review")).stderr).toContain("/code-review needs --file.")
    expect((await ask(place, "/code-review help")).stdout).toContain('--file="..." (required)')
    expect((await ask(place, "/s.help")).asked).toBeDefined()
  })

  test("of a published server", async () => {
    await using place = await newWorkspace()
    await configure(place, { every: referenceServer("everything") })
    const { asked } = await ask(place, "/simple-prompt")
    expect(asked).toContain("This is a simple prompt")
  }, 30_000)
})

test("a resource in a prompt is attached as text from outside", async () => {
  await using place = await newWorkspace()
  await configure(place, { s: scriptedServer(SCRIPT) })
  const { asked } = await ask(place, "sum up @s:notes://today, please")
  expect(asked).toContain("Content from @s:notes://today:")
  expect(asked).toContain("<untrusted_context>\\ncontent of notes://today\\n</untrusted_context>")
})

describe("gemini mcp", () => {
  test("add, list, test and remove, with results on standard output", async () => {
    await using place = await newWorkspace()
    const { args, command } = scriptedServer(SCRIPT)
    const added = await place.run(["mcp", "add", "-e", "A=b=c", "docs", command, ...args])
    expect(added).toMatchObject({
      exitCode: 0,
      stderr: "",
      stdout: expect.stringContaining("added to the project settings")
    })
    const stored = JSON.parse(await place.read("work/.gemini/settings.json"))
    expect(stored).toEqual({ mcpServers: { docs: { command, args: [...args], env: { A: "b=c" } } } })
    const listed = await place.run(["mcp", "list"])
    expect(listed).toMatchObject({ exitCode: 0, stdout: expect.stringMatching(/^✓ docs: .*\(stdio\) - Connected\n$/) })
    const tested = await place.run(["mcp", "test", "docs", "--json"])
    expect(tested.exitCode).toBe(0)
    expect(JSON.parse(tested.stdout)).toMatchObject({ ok: true, tools: [{ name: "x", id: "mcp_docs_x" }] })
    expect(await place.run(["mcp", "remove", "docs"])).toMatchObject({ exitCode: 0, stderr: "" })
    expect(await place.run(["mcp", "list"])).toMatchObject({ stdout: "No MCP servers are configured.\n" })
  }, 30_000)

  test.each<[ReadonlyArray<string>, string]>([
    [["remove", "docs"], 'There is no MCP server "docs"'],
    [["enable", "docs"], 'There is no MCP server "docs"'],
    [["test", "ss"], "Did you mean s?"],
    [["test", "broken"], "ended with exit code 3"],
    [["disable", "s", "--session"], "inside a session only"]
  ])("mcp %j exits 1 and says why", async (args, words) => {
    await using place = await newWorkspace()
    await configure(place, { s: scriptedServer(SCRIPT), broken: { command: "sh", args: ["-c", "exit 3"] } })
    const { exitCode, stderr } = await place.run(["mcp", ...args])
    expect({ exitCode, stderr }).toEqual({ exitCode: 1, stderr: expect.stringContaining(words) })
  })
})
