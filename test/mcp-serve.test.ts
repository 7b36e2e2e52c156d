/** This agent as an MCP server, tried with the client of the protocol's own SDK. */
import { describe, expect, test } from "bun:test"
import { existsSync } from "node:fs"
import { symlink } from "node:fs/promises"
import { join } from "node:path"
import { Client } from "@modelcontextprotocol/sdk/client/index.js"
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js"
import { CallToolResultSchema, ElicitRequestSchema } from "@modelcontextprotocol/sdk/types.js"
import { type ModelServer, startModelServer } from "./kit/model-server.ts"
import { answer, ask, call, chunk, say, text } from "./kit/replies.ts"
import { BINARY, environmentOf, newWorkspace, type Workspace } from "./kit/run-gemini.ts"

type Answer = { readonly action: "accept" | "decline" | "cancel"; readonly content?: Record<string, string> }

const connect = async (
  place: Workspace,
  server: ModelServer,
  args: ReadonlyArray<string> = [],
  onQuestion?: (message: string) => Answer
) => {
  const client = new Client(
    { name: "test", version: "1" },
    onQuestion === undefined ? {} : { capabilities: { elicitation: {} } }
  )
  if (onQuestion !== undefined) {
    client.setRequestHandler(ElicitRequestSchema, ({ params }) => ({ ...onQuestion(params.message) }))
  }
  const transport = new StdioClientTransport({
    command: BINARY,
    args: ["mcp", "serve", ...args],
    cwd: place.cwd,
    env: environmentOf(place.root, server),
    stderr: "pipe"
  })
  await client.connect(transport)
  return { client, pid: transport.pid ?? 0, [Symbol.asyncDispose]: () => client.close() }
}

const run = (client: Client, args: Readonly<Record<string, unknown>>) =>
  client.request({ method: "tools/call", params: { name: "run", arguments: args } }, CallToolResultSchema)

test("one tool is offered, and it runs a prompt with tools, progress and an answer", async () => {
  await using place = await newWorkspace()
  await place.write("work/a.txt", "alpha\n")
  await using server = await startModelServer([
    ask(call("read_file", { file_path: "a.txt" })),
    say("It says ", "alpha.")
  ])
  await using served = await connect(place, server)
  const { tools } = await served.client.listTools()
  expect(tools.map(({ inputSchema, name }) => [name, inputSchema.required])).toEqual([["run", ["prompt"]]])

  const progress: Array<string | undefined> = []
  const result = await served.client.request(
    { method: "tools/call", params: { name: "run", arguments: { prompt: "what does a.txt say?" } } },
    CallToolResultSchema,
    { onprogress: ({ message }) => void progress.push(message) }
  )
  expect(result).toMatchObject({
    isError: false,
    content: [{ type: "text", text: "It says alpha." }],
    structuredContent: {
      response: "It says alpha.",
      completion_reason: "success",
      exit_code: 0,
      permission_denials: []
    }
  })
  expect(progress.slice(0, 2)).toEqual(["calling read_file", "read_file: success"])
  expect(JSON.stringify(server.generations[1]?.body)).toContain("alpha")
})

describe("a client that can ask its user", () => {
  test.each<[Answer, boolean]>([
    [{ action: "accept", content: { decision: "allow" } }, true],
    [{ action: "accept", content: { decision: "reject" } }, false],
    [{ action: "accept" }, false],
    [{ action: "decline" }, false],
    [{ action: "cancel" }, false]
  ])("%j", async (given, isMade) => {
    await using place = await newWorkspace()
    const questions: Array<string> = []
    await using server = await startModelServer([
      ask(call("write_file", { file_path: "n.txt", content: "words of the file" })),
      say("done")
    ])
    await using served = await connect(place, server, [], (message) => {
      questions.push(message)
      return given
    })
    expect(await run(served.client, { prompt: "write" })).toMatchObject({ isError: false })
    expect(questions).toHaveLength(1)
    expect(questions[0]).toContain("words of the file")
    expect(existsSync(join(place.cwd, "n.txt"))).toBe(isMade)
  })
})

describe("what a caller may ask for", () => {
  test("an answer of a form", async () => {
    await using place = await newWorkspace()
    await using server = await startModelServer([say('{"n": 3}')])
    await using served = await connect(place, server)
    const output_schema = { type: "object", properties: { n: { type: "number" } }, required: ["n"] }
    expect(await run(served.client, { prompt: "three?", output_schema })).toMatchObject({
      structuredContent: { structured: { n: 3 } }
    })
  })

  test("another folder, whose policy and trust count", async () => {
    await using place = await newWorkspace()
    await place.write("other/b.txt", "beta\n")
    await using server = await startModelServer([ask(call("list_directory", { dir_path: "." })), say("done")])
    await using served = await connect(place, server, ["--include-directories", "../other"])
    expect(await run(served.client, { prompt: "look", cwd: "../other" })).toMatchObject({ isError: false })
    expect(JSON.stringify(server.generations[1]?.body)).toContain("b.txt")
  })

  test("what needs a question is refused, unless the mode allows it", async () => {
    await using place = await newWorkspace()
    const write = ask(call("write_file", { file_path: "n.txt", content: "x" }))
    await using server = await startModelServer([write, say("no"), write, say("yes")])
    await using served = await connect(place, server, ["--approval-mode", "auto_edit"])
    expect(await run(served.client, { prompt: "write", approval_mode: "default" })).toMatchObject({
      structuredContent: { permission_denials: [{ tool_name: "write_file" }] }
    })
    expect(await run(served.client, { prompt: "write" })).toMatchObject({ isError: false })
    expect(await place.read("work/n.txt")).toBe("x")
  })

  test.each([
    [{}, "The arguments do not fit"],
    [{ prompt: "x", approval_mode: "root" }, "The arguments do not fit"],
    [{ prompt: "x", cwd: "no/such/folder" }, "there is no such folder"],
    [{ prompt: "x", output_schema: { type: 5 } }, "not a usable JSON Schema"]
  ])("%j is refused in words", async (args, words) => {
    await using place = await newWorkspace()
    await using server = await startModelServer([])
    await using served = await connect(place, server)
    const result = await run(served.client, args)
    expect({ isError: result.isError, text: JSON.stringify(result.content) }).toEqual({
      isError: true,
      text: expect.stringContaining(words)
    })
    expect(server.requests).toEqual([])
  })
})

describe("what the server was started with is the most that a client can have", () => {
  const refusedIn = async (
    args: ReadonlyArray<string>,
    asked: Readonly<Record<string, unknown>>,
    prepare: (place: Workspace) => Promise<unknown> = async () => {}
  ) => {
    await using place = await newWorkspace()
    await prepare(place)
    await using server = await startModelServer([say("done")])
    await using served = await connect(place, server, args)
    const result = await run(served.client, { prompt: "go", ...asked })
    return { text: result.isError === true ? JSON.stringify(result.content) : "ran", requests: server.requests.length }
  }

  test.each([
    [[], "auto_edit", "default at most (it was started without --approval-mode)"],
    [[], "yolo", "default at most"],
    [["--approval-mode", "plan"], "default", "plan at most (it was started with --approval-mode plan)"],
    [["--approval-mode", "plan"], "yolo", "plan at most"],
    [["--approval-mode", "auto_edit"], "yolo", "auto_edit at most"]
  ])("%j: no %s", async (args, approval_mode, words) => {
    const { requests, text } = await refusedIn(args, { approval_mode })
    expect(text).toContain(words)
    expect(requests).toBe(0)
  })

  test("the settings of the user are its word where no flag is given", async () => {
    const settings = (mode: string) => (place: Workspace) =>
      place.write("home/.gemini/settings.json", JSON.stringify({ general: { defaultApprovalMode: mode } }))
    expect((await refusedIn([], { approval_mode: "default" }, settings("plan"))).text).toContain("plan at most")
    expect((await refusedIn([], { approval_mode: "auto_edit" }, settings("auto_edit"))).text).toBe("ran")
  })

  test.each([
    ["..", "work in"],
    ["/", "work in"],
    ["link", "work in"],
    ["sub/../..", "work in"],
    [".git", "closed"]
  ])("no folder %s", async (cwd, words) => {
    const { requests, text } = await refusedIn([], { cwd }, async (place) => {
      await place.write("work/.git/HEAD", "")
      await place.write("work/sub/a.txt", "")
      await symlink("/etc", join(place.cwd, "link"))
    })
    expect(text).toContain(words)
    expect(requests).toBe(0)
  })

  test("a folder of its own it may have", async () => {
    const { text } = await refusedIn([], { cwd: "sub" }, (place) => place.write("work/sub/a.txt", ""))
    expect(text).toBe("ran")
  })

  test("limits and policy hold for every run, wherever it works", async () => {
    await using place = await newWorkspace()
    await place.write("work/sub/a.txt", "alpha")
    await place.write("work/p.toml", '[[rule]]\ntoolName = "list_directory"\ndecision = "deny"\npriority = 100\n')
    const look = ask(call("list_directory", { dir_path: "." }))
    await using server = await startModelServer([look, look, look, say("done")])
    await using served = await connect(place, server, ["--policy", "p.toml", "--max-turns", "2"])
    expect(await run(served.client, { prompt: "look", cwd: "sub" })).toMatchObject({
      isError: true,
      structuredContent: {
        exit_code: 53,
        permission_denials: [{ tool_name: "list_directory" }, { tool_name: "list_directory" }]
      }
    })
  })

  test("a command in its prompt is words for the model", async () => {
    await using place = await newWorkspace()
    await using server = await startModelServer([say("what?")])
    await using served = await connect(place, server)
    const prompt = "/settings set security.folderTrust.enabled false"
    expect(await run(served.client, { prompt })).toMatchObject({ isError: false, content: [{ text: "what?" }] })
    expect(JSON.stringify(server.generations[0]?.body)).toContain(prompt)
    expect(existsSync(join(place.home, ".gemini/settings.json"))).toBe(false)
  })

  test("flags that no run could have end the server at once", async () => {
    await using place = await newWorkspace()
    const { exitCode, stderr } = await place.run(["mcp", "serve", "--max-turns", "none"])
    expect({ exitCode, stderr }).toEqual({ exitCode: 1, stderr: expect.stringContaining("--max-turns") })
  })
})

test("a cancelled call ends its run, and the server goes on", async () => {
  await using place = await newWorkspace()
  await using server = await startModelServer((_, index) =>
    index === 0 ? answer([chunk(text("partial"))], { ending: "hang" }) : say("second")
  )
  await using served = await connect(place, server)
  const controller = new AbortController()
  const first = served.client.request(
    { method: "tools/call", params: { name: "run", arguments: { prompt: "one" } } },
    CallToolResultSchema,
    { signal: controller.signal }
  )
  await server.received(1)
  controller.abort()
  await expect(first).rejects.toThrow()
  await server.someoneLeft()
  expect(await run(served.client, { prompt: "two" })).toMatchObject({ content: [{ text: "second" }] })
})

test("the end of the input ends a command that does not want to", async () => {
  await using place = await newWorkspace()
  const command = "trap '' TERM INT HUP; echo $$ > pid; while true; do sleep 1; done"
  await using server = await startModelServer([ask(call("run_shell_command", { command }))])
  const served = await connect(place, server, ["--approval-mode", "yolo"])
  const running = run(served.client, { prompt: "wait" }).catch(() => "gone")
  while (!existsSync(join(place.cwd, "pid"))) await Bun.sleep(20)
  await served.client.close()
  expect(await running).toBe("gone")
  const pid = Number(await place.read("work/pid"))
  const patience = Date.now() + 5_000
  while (isAlive(pid) && Date.now() < patience) await Bun.sleep(20)
  expect([isAlive(pid), isAlive(served.pid)]).toEqual([false, false])
})

const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

test("a failed run is an error with its reason; the end of the input ends the server", async () => {
  await using place = await newWorkspace()
  await using server = await startModelServer([])
  const served = await connect(place, server)
  const result = await run(served.client, { prompt: "one" })
  expect(result).toMatchObject({ isError: true, structuredContent: { completion_reason: "api", exit_code: 1 } })
  await served.client.close()
  expect(() => process.kill(served.pid, 0)).toThrow()
})
