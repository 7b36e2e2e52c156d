/** `gemini --acp` as editors use it: the SDK's own client, and the JSON Schema of the protocol over every line. */
import { afterEach, beforeEach, expect, test } from "bun:test"
import { existsSync } from "node:fs"
import { join } from "node:path"
import { type Editor, type EditorOptions, said, startEditor } from "./kit/acp-editor.ts"
import { type ModelServer, type Script, startModelServer } from "./kit/model-server.ts"
import { answer, ask, call, chunk, finish, say, text, thought } from "./kit/replies.ts"
import { newWorkspace, type Workspace } from "./kit/run-gemini.ts"

let workspace: Workspace
let server: ModelServer | undefined
const editors: Array<Editor> = []

beforeEach(async () => {
  workspace = await newWorkspace()
})

afterEach(async () => {
  const faults = editors.flatMap((editor) => editor.faults)
  for (const editor of editors.splice(0)) await editor[Symbol.asyncDispose]()
  await server?.close()
  server = undefined
  await workspace[Symbol.asyncDispose]()
  expect(faults).toEqual([])
})

const open = async (script: Script, options: EditorOptions = {}) => {
  server = await startModelServer(script)
  const editor = await startEditor(workspace, { server, ...options })
  editors.push(editor)
  return editor
}

const newSession = async (editor: Editor, more: Record<string, unknown> = {}) =>
  (await editor.request<{ sessionId: string }>("session/new", { cwd: workspace.cwd, mcpServers: [], ...more }))
    .sessionId

const prompt = (editor: Editor, sessionId: string, words: string) =>
  editor.request("session/prompt", { sessionId, prompt: [{ type: "text", text: words }] })

const errorOf = async (promise: Promise<unknown>): Promise<{ code: number; message: string; data?: unknown }> => {
  try {
    await promise
  } catch (error) {
    return error as { code: number; message: string }
  }
  throw new Error("it did not fail")
}

test("initialize tells what the agent can do", async () => {
  const editor = await open([])
  const result = await editor.request("initialize", { protocolVersion: 99 })
  expect(result).toMatchObject({
    protocolVersion: 1,
    agentInfo: { name: "gemini-cli", title: "Gemini CLI" },
    agentCapabilities: {
      loadSession: true,
      promptCapabilities: { image: true, audio: true, embeddedContext: true },
      mcpCapabilities: { http: true, sse: true },
      sessionCapabilities: { list: {}, resume: {}, close: {}, delete: {}, additionalDirectories: {} },
      auth: { logout: {} }
    }
  })
  expect((result.authMethods as Array<{ id: string }>).map(({ id }) => id)).toEqual([
    "oauth-personal",
    "gemini-api-key",
    "vertex-ai",
    "gateway"
  ])
})

test("a session answers prompts, with thoughts, text and what it took", async () => {
  const editor = await open([say("Hello")])
  const created = await editor.request("session/new", { cwd: workspace.cwd })
  expect(created).toMatchObject({
    modes: { currentModeId: "default" },
    models: { currentModelId: "auto" },
    configOptions: [{ id: "mode" }, { id: "model" }]
  })
  await editor.until(() => editor.updates.some(({ sessionUpdate }) => sessionUpdate === "available_commands_update"))
  const result = await prompt(editor, String(created.sessionId), "hi")
  expect(result).toMatchObject({ stopReason: "end_turn", _meta: { quota: { model_usage: [{}] } } })
  expect(said(editor)).toBe("Hello")
  expect(server?.generations[0]?.headers["user-agent"]).toStartWith("GeminiCLI-acp/")
  expect(editor.messages.at(-1)).toHaveProperty("result.stopReason")
})

test("a thought is shown with its subject", async () => {
  const editor = await open([answer([chunk(thought("Looking", "at it"), text("done")), finish("STOP")])])
  await prompt(editor, await newSession(editor), "hi")
  expect(said(editor, "agent_thought_chunk")).toBe("**Looking**\nat it")
})

const writes = (name: string) => ask(call("write_file", { file_path: name, content: "new\n" }))

test("an edit is asked about with its diff, then made and shown", async () => {
  const editor = await open([writes("a.txt"), say("done")])
  await prompt(editor, await newSession(editor), "write it")
  const [question] = editor.questions
  expect(question?.options.map(({ kind, optionId }) => [optionId, kind])).toEqual([
    ["proceed_always", "allow_always"],
    ["proceed_once", "allow_once"],
    ["cancel", "reject_once"]
  ])
  const path = join(workspace.cwd, "a.txt")
  expect(question?.toolCall).toMatchObject({
    status: "pending",
    title: "Writing to a.txt",
    kind: "edit",
    content: [{ type: "diff", path, oldText: null, newText: "new\n" }, {}]
  })
  expect(question?.toolCall.toolCallId).toStartWith("write_file")
  const states = editor.updates.flatMap((update) =>
    update.sessionUpdate === "tool_call" || update.sessionUpdate === "tool_call_update" ? [update.status] : []
  )
  expect(states).toEqual(["pending", "in_progress", "completed"])
  expect(await workspace.read("work/a.txt")).toBe("new\n")
})

test("a no is told to the model, and the turn goes on", async () => {
  const editor = await open([writes("a.txt"), say("all right")], { permission: () => "cancel" })
  const result = await prompt(editor, await newSession(editor), "write it")
  expect(result.stopReason).toBe("end_turn")
  expect(existsSync(join(workspace.cwd, "a.txt"))).toBe(false)
  expect(JSON.stringify(server?.generations[1]?.body)).toContain("canceled by the user")
})

test.each(["nonsense", "proceed_always_server"])("the answer %p is a no", async (optionId) => {
  const editor = await open([writes("a.txt"), say("all right")], { permission: () => optionId })
  await prompt(editor, await newSession(editor), "write it")
  expect(existsSync(join(workspace.cwd, "a.txt"))).toBe(false)
})

test("always for edits switches the mode, and the editor is told", async () => {
  const editor = await open([writes("a.txt"), writes("b.txt"), say("done")], { permission: () => "proceed_always" })
  await prompt(editor, await newSession(editor), "write them")
  expect(editor.questions).toHaveLength(1)
  expect(editor.updates).toContainEqual(
    expect.objectContaining({ sessionUpdate: "current_mode_update", currentModeId: "autoEdit" })
  )
  expect(editor.updates.some(({ sessionUpdate }) => sessionUpdate === "config_option_update")).toBe(true)
})

test("a saved approval is offered where the settings allow it, and none where they forbid it", async () => {
  await workspace.write(
    "home/.gemini/settings.json",
    JSON.stringify({ security: { enablePermanentToolApproval: true } })
  )
  const editor = await open([ask(call("run_shell_command", { command: "touch x" })), say("done")], {
    permission: () => "proceed_always_and_save"
  })
  await prompt(editor, await newSession(editor), "go")
  expect(editor.questions[0]?.options.map(({ optionId }) => optionId)).toEqual([
    "proceed_always",
    "proceed_always_and_save",
    "proceed_once",
    "cancel"
  ])
  expect(await workspace.read("home/.gemini/policies/auto-saved.toml")).toContain("touch")
})

test("modes: by id, by the other spelling, and none that is unknown", async () => {
  const editor = await open([])
  const sessionId = await newSession(editor)
  expect(await editor.request("session/set_mode", { sessionId, modeId: "auto_edit" })).toEqual({})
  const list = await editor.request("session/set_config_option", { sessionId, configId: "mode", value: "yolo" })
  expect(list).toMatchObject({ configOptions: [{ id: "mode", currentValue: "yolo" }, {}] })
  expect(await errorOf(editor.request("session/set_mode", { sessionId, modeId: "wild" }))).toMatchObject({
    code: -32602
  })
  expect(await editor.request("session/set_model", { sessionId, modelId: "anything" })).toEqual({})
})

test("cancel ends the prompt while the model answers, and the history keeps it", async () => {
  const editor = await open([{ _tag: "Answer", chunks: [chunk(text("half of "))], ending: "hang" }, say("second")])
  const sessionId = await newSession(editor)
  const running = prompt(editor, sessionId, "tell me")
  await editor.until(() => said(editor) !== "")
  await editor.notify("session/cancel", { sessionId })
  expect(await running).toEqual({ stopReason: "cancelled" })
  await prompt(editor, sessionId, "again")
  expect(JSON.stringify(server?.generations.at(-1)?.body)).toContain("tell me")
})

test("cancel drops a question that nobody answers", async () => {
  const editor = await open([writes("a.txt")], { permission: () => undefined })
  const sessionId = await newSession(editor)
  const running = prompt(editor, sessionId, "write")
  await editor.until(() => editor.questions.length > 0)
  await editor.notify("session/cancel", { sessionId })
  expect(await running).toEqual({ stopReason: "cancelled" })
})

test("a second prompt takes the place of the first", async () => {
  const editor = await open([{ _tag: "Answer", chunks: [chunk(text("first"))], ending: "hang" }, say("second")])
  const sessionId = await newSession(editor)
  const first = prompt(editor, sessionId, "one")
  await editor.until(() => said(editor) === "first")
  const second = prompt(editor, sessionId, "two")
  expect(await first).toEqual({ stopReason: "cancelled" })
  expect(await second).toMatchObject({ stopReason: "end_turn" })
})

test("prompts and a cancel that come while the one before still ends: each is answered, and none goes on", async () => {
  const editor = await open(() => ({ _tag: "Answer", chunks: [chunk(text("first"))], ending: "hang" }))
  const sessionId = await newSession(editor)
  for (const gap of [0, 0, 5]) {
    const running: Array<Promise<Record<string, unknown>>> = []
    for (const words of ["one", "two", "three", "four"]) {
      running.push(prompt(editor, sessionId, words))
      if (gap > 0) await Bun.sleep(gap)
    }
    await editor.notify("session/cancel", { sessionId })
    expect(await Promise.all(running)).toEqual(running.map(() => ({ stopReason: "cancelled" })))
  }
})

test("a call that is under way when the prompt is cancelled has failed", async () => {
  const editor = await open([ask(call("run_shell_command", { command: "trap '' TERM INT; sleep 600" }))], {
    args: ["--approval-mode", "yolo"]
  })
  const sessionId = await newSession(editor)
  const running = prompt(editor, sessionId, "wait")
  const states = () =>
    editor.updates.flatMap((update) => (update.sessionUpdate.startsWith("tool_call") ? [Object(update).status] : []))
  await editor.until(() => states().includes("in_progress"))
  await editor.notify("session/cancel", { sessionId })
  expect(await running).toEqual({ stopReason: "cancelled" })
  expect(states()).toEqual(["pending", "in_progress", "failed"])
})

test("$/cancel_request ends a prompt like a cancel", async () => {
  const editor = await open([{ _tag: "Answer", chunks: [chunk(text("first"))], ending: "hang" }])
  const sessionId = await newSession(editor)
  const controller = new AbortController()
  const running = editor.request(
    "session/prompt",
    { sessionId, prompt: [{ type: "text", text: "one" }] },
    controller.signal
  )
  await editor.until(() => said(editor) === "first")
  controller.abort()
  expect(await running).toEqual({ stopReason: "cancelled" })
})

test("a cancel without a prompt, or for nobody, does no harm", async () => {
  const editor = await open([say("fine")])
  const sessionId = await newSession(editor)
  await editor.notify("session/cancel", { sessionId })
  await editor.notify("session/cancel", { sessionId: "nobody" })
  expect(await errorOf(editor.request("session/cancel", { sessionId }))).toMatchObject({ code: -32601 })
  expect(await prompt(editor, sessionId, "hi")).toMatchObject({ stopReason: "end_turn" })
})

test.each([
  [answer([chunk(text("cut")), finish("MAX_TOKENS")]), "max_tokens"],
  [answer([chunk(text("no")), finish("SAFETY")]), "refusal"]
] as const)("an answer that stops early: %#", async (reply, stopReason) => {
  const editor = await open(() => reply)
  expect(await prompt(editor, await newSession(editor), "hi")).toMatchObject({ stopReason })
})

test("a limit of turns is a reason to stop", async () => {
  await workspace.write("home/.gemini/settings.json", JSON.stringify({ model: { maxSessionTurns: 1 } }))
  const editor = await open([ask(call("list_directory", { dir_path: "." })), say("never")])
  expect(await prompt(editor, await newSession(editor), "hi")).toMatchObject({ stopReason: "max_turn_requests" })
})

test("a failure of the service is an error with its status", async () => {
  const body = JSON.stringify({ error: { code: 400, message: "bad thing", status: "INVALID_ARGUMENT" } })
  const editor = await open(() => ({ _tag: "Raw", status: 400, body }))
  const error = await errorOf(prompt(editor, await newSession(editor), "hi"))
  expect(error).toMatchObject({ code: 400, data: { status: "INVALID_ARGUMENT" } })
  expect(error.message).toContain("bad thing")
})

test("a session is listed, loaded with all that was said, resumed without it, closed and deleted", async () => {
  const editor = await open([writes("a.txt"), say("written"), say("more")])
  const sessionId = await newSession(editor)
  await prompt(editor, sessionId, "please write")
  expect(await editor.request("session/list", { cwd: workspace.cwd })).toMatchObject({
    sessions: [{ sessionId, cwd: workspace.cwd, title: "please write" }]
  })
  expect(await editor.request("session/close", { sessionId })).toEqual({})
  expect(await errorOf(prompt(editor, sessionId, "hi"))).toMatchObject({
    code: -32602,
    message: `Session not found: ${sessionId}`
  })

  const other = await startEditor(workspace, { server: server as ModelServer })
  editors.push(other)
  await other.request("session/load", { sessionId, cwd: workspace.cwd, mcpServers: [] })
  const before = other.messages.findIndex((message) => "result" in message && message.id === 1)
  expect(
    other.messages
      .slice(1, before)
      .map((message) => JSON.stringify(message))
      .join("")
  ).toContain("please write")
  expect(said(other, "user_message_chunk")).toBe("please write")
  expect(said(other)).toBe("written")
  expect(other.updates.find(({ sessionUpdate }) => sessionUpdate === "tool_call")).toMatchObject({
    status: "completed",
    content: [{ type: "diff", path: join(workspace.cwd, "a.txt") }]
  })
  await prompt(other, sessionId, "go on")
  expect(JSON.stringify(server?.generations.at(-1)?.body)).toContain("please write")

  await other.request("session/close", { sessionId })
  const told = other.updates.length
  await other.request("session/resume", { sessionId, cwd: workspace.cwd, mcpServers: [] })
  await other.until(() => other.updates.length > told)
  expect(other.updates.slice(told).map(({ sessionUpdate }) => sessionUpdate)).toEqual(["available_commands_update"])
  expect(await other.request("session/delete", { sessionId })).toEqual({})
  expect(await other.request("session/list", {})).toEqual({ sessions: [] })
})

test("a session that another process writes is not opened", async () => {
  const editor = await open([say("one")])
  const sessionId = await newSession(editor)
  await prompt(editor, sessionId, "hi")
  const other = await startEditor(workspace, { server: server as ModelServer })
  editors.push(other)
  const error = await errorOf(other.request("session/load", { sessionId, cwd: workspace.cwd, mcpServers: [] }))
  expect(error.message).toContain("in use by process")
})

test("sessions run beside each other, each in its own folder and mode", async () => {
  await workspace.write("work/one/here.txt", "")
  await workspace.write("work/two/other.txt", "")
  const editor = await open((request) => {
    const body = JSON.stringify(request.body)
    if (body.includes("functionResponse")) return say(body.includes("here.txt") ? "one" : "two")
    return ask(call("list_directory", { dir_path: "." }))
  })
  const ids = await Promise.all(["one", "two"].map((name) => newSession(editor, { cwd: join(workspace.cwd, name) })))
  await editor.request("session/set_mode", { sessionId: ids[0], modeId: "yolo" })
  await Promise.all(ids.map((id) => prompt(editor, id, "look")))
  const wordsOf = (id: string | undefined) =>
    said({ updates: editor.updates.filter(({ sessionId }) => sessionId === id) })
  expect(ids.map(wordsOf)).toEqual(["one", "two"])
  expect(
    await editor.request("session/set_config_option", { sessionId: ids[1], configId: "model", value: "flash" })
  ).toMatchObject({ configOptions: [{ currentValue: "default" }, { currentValue: "flash" }] })
})

test("todos become a plan", async () => {
  const todos = [
    { description: "first", status: "completed" },
    { description: "second", status: "in_progress" },
    { description: "dropped", status: "cancelled" }
  ]
  const editor = await open([ask(call("write_todos", { todos })), say("done")])
  await prompt(editor, await newSession(editor), "plan")
  expect(editor.updates.find(({ sessionUpdate }) => sessionUpdate === "plan")).toMatchObject({
    entries: [
      { content: "first", status: "completed" },
      { content: "second", status: "in_progress" }
    ]
  })
})

test("blocks become parts: media, links, embedded resources", async () => {
  await workspace.write("work/note.txt", "the note\n")
  const editor = await open([say("seen")])
  const sessionId = await newSession(editor)
  await editor.request("session/prompt", {
    sessionId,
    prompt: [
      { type: "text", text: "look at @nothing and " },
      { type: "resource_link", name: "note", uri: `file://${workspace.cwd}/note.txt` },
      { type: "image", data: "aGk=", mimeType: "image/png" },
      { type: "audio", data: "aGk=", mimeType: "audio/wav" },
      { type: "resource", resource: { uri: "zed://selection", text: "selected words" } }
    ]
  })
  const body = JSON.stringify(server?.generations[0]?.body)
  for (const piece of ["@nothing", "@note.txt", "the note", "image/png", "audio/wav", "@zed://selection"])
    expect(body).toContain(piece)
  expect(body).toContain("--- Content from referenced context ---")
  expect(body).toContain("selected words")
})

test("a linked file outside of the workspace is asked for", async () => {
  const outside = await workspace.write("outside.txt", "far away\n")
  const editor = await open([say("seen"), say("not seen")], {
    permission: () => (editors[0]?.questions.length === 1 ? "proceed_once" : "cancel")
  })
  const blocks = [{ type: "resource_link", name: "o", uri: `file://${outside}` }]
  const first = await newSession(editor)
  await editor.request("session/prompt", { sessionId: first, prompt: blocks })
  expect(editor.questions[0]?.options.map(({ optionId }) => optionId)).toEqual(["proceed_once", "cancel"])
  expect(JSON.stringify(server?.generations[0]?.body)).toContain("far away")
  await editor.request("session/prompt", { sessionId: await newSession(editor), prompt: blocks })
  expect(JSON.stringify(server?.generations[1]?.body)).toContain("was not read")
})

test("files that the editor has open are read and written there", async () => {
  const path = join(workspace.cwd, "open.txt")
  await workspace.write("work/open.txt", "on disk\n")
  const files = new Map([[path, "not saved yet\n"]])
  const editor = await open(
    [
      ask(call("read_file", { file_path: "open.txt" })),
      ask(call("replace", { file_path: "open.txt", old_string: "not saved", new_string: "changed" })),
      ask(call("write_file", { file_path: "fresh.txt", content: "fresh\n" })),
      say("done")
    ],
    { files, capabilities: { fs: { readTextFile: true, writeTextFile: true } } }
  )
  await prompt(editor, await newSession(editor), "go")
  expect(JSON.stringify(server?.generations[1]?.body)).toContain("not saved yet")
  expect(files.get(path)).toBe("changed yet\n")
  expect(files.get(join(workspace.cwd, "fresh.txt"))).toBe("fresh\n")
  expect(await workspace.read("work/open.txt")).toBe("on disk\n")
})

test("files of the program's own folder are none of the editor's, also in a session in the home folder", async () => {
  const asked: Array<string> = []
  const files = new (class extends Map<string, string> {
    override get(path: string) {
      asked.push(path)
      return undefined
    }
  })()
  await workspace.write("home/.gemini/GEMINI.md", "remember this\n")
  const editor = await open([ask(call("read_file", { file_path: ".gemini/GEMINI.md" })), say("done")], {
    files,
    capabilities: { fs: { readTextFile: true, writeTextFile: true } }
  })
  await prompt(editor, await newSession(editor, { cwd: workspace.home }), "go")
  expect(JSON.stringify(server?.generations[1]?.body)).toContain("remember this")
  expect(asked).toEqual([])
})

test("questions of the model become a form, where the editor shows forms", async () => {
  const questions = [
    { question: "Which colour?", header: "Colour", type: "choice", options: OPTIONS, multiSelect: false }
  ]
  const editor = await open([ask(call("ask_user", { questions })), say("done")], {
    capabilities: { elicitation: { form: {} } },
    form: () => ({ action: "accept", content: { answer_1: "red" } })
  })
  await prompt(editor, await newSession(editor), "ask me")
  expect(JSON.stringify(server?.generations[1]?.body)).toContain("red")
  const plain = await open([say("done")])
  await prompt(plain, await newSession(plain), "ask me")
  expect(JSON.stringify(server?.generations[0]?.body)).not.toContain('"ask_user"')
})

const OPTIONS = [
  { label: "red", description: "warm" },
  { label: "blue", description: "cold" }
]

test("slash commands are listed, carried out without a model, and others go to it", async () => {
  await workspace.write(
    "work/.gemini/commands/greet.toml",
    'description = "Greets"\nprompt = "Say hello to {{args}}"\n'
  )
  const editor = await open([say("hello"), say("what?")])
  const sessionId = await newSession(editor)
  await editor.until(() => editor.updates.length > 0)
  const names = editor.updates.flatMap((update) =>
    update.sessionUpdate === "available_commands_update" ? update.availableCommands.map(({ name }) => name) : []
  )
  expect(names).toEqual(expect.arrayContaining(["memory", "memory list", "about", "help", "init", "greet"]))
  expect(names).not.toContain("quit")
  expect(await prompt(editor, sessionId, "$about")).toEqual({
    stopReason: "end_turn",
    _meta: { quota: { token_count: { input_tokens: 0, output_tokens: 0 }, model_usage: [] } }
  })
  expect(server?.generations).toHaveLength(0)
  await prompt(editor, sessionId, "/greet Ada")
  expect(JSON.stringify(server?.generations[0]?.body)).toContain("Say hello to Ada")
  await prompt(editor, sessionId, "/quit")
  expect(JSON.stringify(server?.generations[1]?.body)).toContain("/quit")
})

test("servers that the editor names offer their tools", async () => {
  const script = join(import.meta.dir, "../node_modules/@modelcontextprotocol/server-everything/dist/index.js")
  const editor = await open([ask(call("mcp_extra_echo", { message: "ping" })), say("done")], {
    permission: () => "proceed_always_tool"
  })
  const mcpServers = [
    { name: "extra", command: process.execPath, args: [script], env: [] },
    { name: "dead", command: "/nonexistent", args: [], env: [] }
  ]
  await prompt(editor, await newSession(editor, { mcpServers }), "echo")
  expect(editor.questions[0]?.options.map(({ optionId }) => optionId)).toEqual([
    "proceed_always_server",
    "proceed_always_tool",
    "proceed_once",
    "cancel"
  ])
  expect(JSON.stringify(editor.updates)).toContain("(extra MCP Server)")
  expect(JSON.stringify(server?.generations[1]?.body)).toContain("ping")
})

test("keys that the editor gives hold for the process and are not stored", async () => {
  const editor = await open([say("hi")], { env: { GEMINI_API_KEY: undefined, GOOGLE_GEMINI_BASE_URL: undefined } })
  expect(await errorOf(editor.request("session/new", { cwd: workspace.cwd }))).toMatchObject({ code: -32000 })
  expect(await errorOf(editor.request("authenticate", { methodId: "magic" }))).toMatchObject({ code: -32602 })
  await editor.request("authenticate", {
    methodId: "gateway",
    _meta: { gateway: { baseUrl: server?.url, headers: { "x-team": "tools" } } }
  })
  await editor.request("authenticate", { methodId: "gemini-api-key", _meta: { "api-key": "from-the-editor" } })
  await prompt(editor, await newSession(editor), "hi")
  expect(server?.generations[0]?.headers).toMatchObject({ "x-goog-api-key": "from-the-editor", "x-team": "tools" })
  const settings = await workspace.read("home/.gemini/settings.json")
  expect(settings).toContain("gemini-api-key")
  expect(settings).not.toContain("from-the-editor")
})

test("bad input is answered, and the connection goes on", async () => {
  const editor = await open([say("still here")])
  editor.raw("this is no json")
  editor.raw("[]")
  editor.raw('{"jsonrpc":"2.0","id":null}')
  editor.raw(`{"jsonrpc":"2.0","id":77,"method":"x","params":"${"y".repeat(40_000_000)}"}`)
  const refused = () =>
    editor.messages.flatMap(({ error, id }) => (error === undefined ? [] : [[id, Object(error).code]]))
  await editor.until(() => refused().length >= 4)
  expect(refused()).toEqual([
    [null, -32700],
    [null, -32600],
    [null, -32600],
    [77, -32600]
  ])
  const cases: ReadonlyArray<readonly [string, unknown, number]> = [
    ["nothing/here", {}, -32601],
    ["session/prompt", { sessionId: "x", prompt: [] }, -32602],
    ["session/prompt", { sessionId: "x", prompt: [{ type: "hologram" }] }, -32602],
    ["session/load", { sessionId: "x", cwd: workspace.cwd, mcpServers: [] }, -32002],
    ["session/new", { cwd: "relative", mcpServers: [] }, -32602],
    ["session/new", { cwd: "/does/not/exist", mcpServers: [] }, -32602],
    ["session/new", {}, -32602],
    ["session/close", { sessionId: "x" }, -32602]
  ]
  for (const [method, params, code] of cases) {
    const error = await errorOf(editor.request(method, params))
    expect([method, error.code]).toEqual([method, code])
  }
  expect(await prompt(editor, await newSession(editor), "hi")).toMatchObject({ stopReason: "end_turn" })
})

test("the end of the input ends everything: the prompt, its children, the process", async () => {
  const editor = await open([ask(call("run_shell_command", { command: "echo $$ > pid; sleep 600" }))], {
    args: ["--approval-mode", "yolo"]
  })
  const running = prompt(editor, await newSession(editor), "wait").catch(() => "gone")
  while (!existsSync(join(workspace.cwd, "pid"))) await Bun.sleep(20)
  expect(await editor.end()).toBe(0)
  await running
  const pid = Number(await workspace.read("work/pid"))
  expect(() => process.kill(pid, 0)).toThrow()
})

test("requests that were made before the input ended are answered", async () => {
  const lines = [
    { id: 1, method: "session/new", params: {} },
    { id: 2, method: "initialize", params: { protocolVersion: 1 } },
    { id: 3, method: "session/new", params: { cwd: workspace.cwd, mcpServers: [] } }
  ]
  server = await startModelServer([])
  const pipe = lines.map((line) => `${JSON.stringify({ jsonrpc: "2.0", ...line })}\n`).join("")
  const { exitCode, stdout } = await workspace.run(["--acp"], { server, stdin: { pipe } })
  expect(exitCode).toBe(0)
  const answers = stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line))
  expect(answers.find(({ id }) => id === 1)).toMatchObject({ error: { code: -32600 } })
  expect(answers.find(({ id }) => id === 2)).toMatchObject({ result: { protocolVersion: 1 } })
  expect(answers.find(({ id }) => id === 3)).toHaveProperty("result.sessionId")
})

test("a signal ends it, and the exit code says so", async () => {
  const editor = await open([])
  await newSession(editor)
  editor.kill("SIGTERM")
  expect(await editor.exited).toBe(143)
})

test("an untrusted folder has its own settings ignored, and no free mode", async () => {
  await workspace.write("home/.gemini/settings.json", JSON.stringify({ security: { folderTrust: { enabled: true } } }))
  await workspace.write("work/.gemini/settings.json", JSON.stringify({ model: { name: "of-the-project" } }))
  const editor = await open([], { env: { GEMINI_CLI_TRUST_WORKSPACE: undefined } })
  const created = await editor.request("session/new", { cwd: workspace.cwd, mcpServers: [] })
  expect(created).toMatchObject({ models: { currentModelId: "auto" } })
  const { sessionId } = created
  for (const modeId of ["autoEdit", "yolo"]) {
    expect(await errorOf(editor.request("session/set_mode", { sessionId, modeId }))).toMatchObject({ code: -32602 })
  }
})
