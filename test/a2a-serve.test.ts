/** `gemini a2a serve` with the protocol's own client, in both versions, and with callers that nobody wants. */
import { afterEach, beforeEach, describe, expect, test } from "bun:test"
import { existsSync, readFileSync, statSync } from "node:fs"
import { join } from "node:path"
import type { StreamResponse } from "@a2a-js/sdk"
import { Role } from "@a2a-js/sdk"
import { type Client, ClientFactory, DefaultAgentCardResolver, JsonRpcTransportFactory } from "@a2a-js/sdk/client"
import { type ModelServer, type Script, startModelServer } from "./kit/model-server.ts"
import { answer, ask, call, chunk, finish, say, text } from "./kit/replies.ts"
import { newWorkspace, type RunningProcess, type Workspace } from "./kit/run-gemini.ts"

let place: Workspace
let model: ModelServer | undefined
const running: Array<RunningProcess> = []

beforeEach(async () => {
  place = await newWorkspace()
})

afterEach(async () => {
  for (const one of running.splice(0)) {
    one.kill("SIGKILL")
    await one.result.catch(() => undefined)
  }
  await model?.close()
  model = undefined
  await place[Symbol.asyncDispose]()
})

interface Ready {
  readonly url: string
  readonly card: string
  readonly pid: number
  readonly credentials?: string
}

interface Served extends Ready {
  readonly process: RunningProcess
  readonly token: string
  readonly post: (path: string, body: unknown, headers?: Record<string, string>) => Promise<Response>
  readonly get: (path: string, headers?: Record<string, string>) => Promise<Response>
}

const serve = async (
  script: Script = [],
  args: ReadonlyArray<string> = [],
  env: Record<string, string | undefined> = {}
): Promise<Served> => {
  model ??= await startModelServer(script)
  const process = place.start(["a2a", "serve", "-m", "gemini-2.5-flash", ...args], {
    server: model,
    env: { CODER_AGENT_WORKSPACE_PATH: place.cwd, ...env }
  })
  running.push(process)
  const patience = Date.now() + 12_000
  while (!process.stdoutSoFar().includes("\n")) {
    if (Date.now() > patience) throw new Error(`it did not start: ${process.stderrSoFar()}`)
    await Bun.sleep(10)
  }
  const ready: Ready & { type: string } = JSON.parse(process.stdoutSoFar())
  expect(ready.type).toBe("ready")
  const token = ready.credentials === undefined ? "" : JSON.parse(readFileSync(ready.credentials, "utf8")).token
  const headers = token === "" ? {} : { authorization: `Bearer ${token}` }
  const send = (path: string, init: RequestInit, more: Record<string, string>) =>
    fetch(new URL(path, ready.url), { ...init, headers: { ...headers, "content-type": "application/json", ...more } })
  return {
    ...ready,
    process,
    token,
    post: (path, body, more = {}) =>
      send(path, { method: "POST", body: typeof body === "string" ? body : JSON.stringify(body) }, more),
    get: (path, more = {}) => send(path, {}, more)
  }
}

const rpc = (method: string, params: unknown) => ({ jsonrpc: "2.0", id: 1, method, params })

const clientOf = async ({ token, url }: Served, version: "1.0" | "0.3"): Promise<Client> => {
  const fetchImpl = ((input: string, init?: RequestInit) => {
    const headers = new Headers(init?.headers)
    headers.set("authorization", `Bearer ${token}`)
    return fetch(input, { ...init, headers })
  }) as typeof fetch
  const legacyCompat = { enabled: true }
  const cardFetch = ((input: string) =>
    fetch(input, version === "1.0" ? { headers: { "a2a-version": "1.0" } } : {})) as typeof fetch
  const cardResolver = new DefaultAgentCardResolver({ fetchImpl: cardFetch, legacyCompat })
  const transports = [new JsonRpcTransportFactory({ fetchImpl, legacyCompat })]
  return await new ClientFactory({ transports, cardResolver }).createFromUrl(url)
}

const part = (content: unknown) => ({ content, metadata: undefined, filename: "", mediaType: "" })
const words = (value: string) => part({ $case: "text", value })
const data = (value: unknown) => part({ $case: "data", value })

const message = (parts: ReadonlyArray<unknown>, more: Record<string, unknown> = {}) => ({
  tenant: "",
  message: {
    messageId: crypto.randomUUID(),
    contextId: "",
    taskId: "",
    role: Role.ROLE_USER,
    parts,
    metadata: undefined,
    extensions: [],
    referenceTaskIds: [],
    ...more
  },
  configuration: undefined,
  metadata: undefined
})

interface Seen {
  readonly taskId: string
  readonly contextId: string
  readonly kinds: ReadonlyArray<string>
  readonly text: string
  readonly output: string
  readonly state: number | undefined
  readonly metadata: Record<string, unknown>
  readonly calls: ReadonlyArray<Record<string, unknown>>
}

/** Everything that a stream told. */
const heard = async (stream: AsyncIterable<StreamResponse>): Promise<Seen> => {
  const seen = {
    taskId: "",
    contextId: "",
    kinds: [] as string[],
    text: "",
    output: "",
    state: undefined as number | undefined,
    metadata: {},
    calls: [] as Record<string, unknown>[]
  }
  for await (const { payload } of stream) {
    if (payload?.$case === "task") {
      seen.kinds.push("task")
      seen.taskId = payload.value.id
      seen.contextId = payload.value.contextId
    }
    if (payload?.$case === "artifactUpdate") {
      const [first] = payload.value.artifact?.parts ?? []
      if (first?.content?.$case === "text") seen.output += first.content.value
    }
    if (payload?.$case !== "statusUpdate") continue
    const { contextId, metadata, status, taskId } = payload.value
    seen.taskId = taskId
    seen.contextId = contextId
    seen.state = status?.state
    seen.metadata = metadata ?? {}
    const kind = String(metadata?.coderAgent?.kind)
    if (seen.kinds.at(-1) !== kind) seen.kinds.push(kind)
    const content = status?.message?.parts[0]?.content
    if (content?.$case === "text" && kind === "text-content") seen.text += content.value
    if (content?.$case === "data" && kind.startsWith("tool-call")) seen.calls.push(content.value)
  }
  return seen
}

const INPUT_REQUIRED = 6
const CANCELED = 5
const note = () => join(place.cwd, "note.txt")
const writeNote = call("write_file", { file_path: "note.txt", content: "proposed\n" })

describe.each(["1.0", "0.3"] as const)("a client of version %s", (version) => {
  test("streams a task, answers its question with another text, and goes on with it", async () => {
    const server = await serve([ask(writeNote), say("written"), say("again")])
    const client = await clientOf(server, version)
    const first = await heard(client.sendMessageStream(message([words("write it")]) as never))
    expect(first.kinds).toEqual(["task", "state-change", "tool-call-update", "tool-call-confirmation", "state-change"])
    expect(first.state).toBe(INPUT_REQUIRED)
    const asked = first.calls.at(-1) as {
      request: { callId: string; args: unknown }
      status: string
      confirmationDetails: object
    }
    expect(asked).toMatchObject({
      status: "awaiting_approval",
      request: { name: "write_file", args: { newContent: "proposed\n" } },
      confirmationDetails: { type: "edit", filePath: note(), newContent: "proposed\n", originalContent: null }
    })
    expect(existsSync(note())).toBe(false)
    const { contextId, taskId } = first
    const answer = { callId: asked.request.callId, outcome: "proceed_once", newContent: "changed\n" }
    const second = await heard(client.sendMessageStream(message([data(answer)], { contextId, taskId }) as never))
    expect({ text: second.text, state: second.state }).toEqual({ text: "written", state: INPUT_REQUIRED })
    expect(second.calls.map(({ status }) => status)).toEqual(["executing", "success"])
    expect(second.metadata).toMatchObject({ usageMetadata: expect.anything(), model: "gemini-2.5-flash" })
    expect(readFileSync(note(), "utf8")).toBe("changed\n")
    const third = await heard(client.sendMessageStream(message([words("go on")], { contextId, taskId }) as never))
    expect(third.text).toBe("again")
    const sent = JSON.stringify(model?.generations.at(-1)?.body)
    expect(sent).toContain("write it")
    expect(sent).toContain("written")
  })

  test("has a call refused, runs nothing, and cancels the task", async () => {
    const server = await serve([ask(writeNote), say("a pity")])
    const client = await clientOf(server, version)
    const first = await heard(client.sendMessageStream(message([words("write it")]) as never))
    const { contextId, taskId } = first
    const [asked] = first.calls.slice(-1) as Array<{ request: { callId: string } }>
    const answer = { callId: asked?.request.callId, outcome: "cancel" }
    const second = await heard(client.sendMessageStream(message([data(answer)], { contextId, taskId }) as never))
    expect(second.calls.map(({ status }) => status)).toEqual(["cancelled"])
    expect({ state: second.state, asked: model?.generations.length }).toEqual({ state: INPUT_REQUIRED, asked: 1 })
    expect(existsSync(note())).toBe(false)
    const third = await heard(client.sendMessageStream(message([words("and now?")], { contextId, taskId }) as never))
    expect(third.text).toBe("a pity")
    expect(JSON.stringify(model?.generations[1]?.body)).toContain("functionResponse")
    const ended = await client.cancelTask({ tenant: "", id: taskId, metadata: undefined } as never)
    expect(ended.status?.state).toBe(CANCELED)
  })
})

test("several tasks at once share nothing, and a new start of the server knows them", async () => {
  await place.write("work/one/mark.txt", "first folder")
  await place.write("work/two/mark.txt", "second folder")
  model = await startModelServer((request) => {
    const sent = JSON.stringify(request.body)
    if (sent.includes("what did you see")) return say(sent.includes("first folder") ? "it was one" : "it was two")
    return sent.includes("functionResponse") ? say("seen") : ask(call("read_file", { file_path: "mark.txt" }))
  })
  const env = { CODER_AGENT_WORKSPACE_PATH: undefined }
  const server = await serve([], [], env)
  const client = await clientOf(server, "1.0")
  const start = (folder: string) => {
    const metadata = { coderAgent: { kind: "agent-settings", workspacePath: join(place.cwd, folder) } }
    return heard(client.sendMessageStream(message([words("look")], { metadata }) as never))
  }
  const [one, two] = await Promise.all([start("one"), start("two")])
  expect([one.text, two.text]).toEqual(["seen", "seen"])
  expect(one.taskId).not.toBe(two.taskId)
  server.process.kill("SIGTERM")
  await server.process.result
  const again = await clientOf(await serve([], [], env), "1.0")
  const goOn = ({ contextId, taskId }: Seen) =>
    heard(again.sendMessageStream(message([words("what did you see")], { contextId, taskId }) as never))
  expect((await goOn(one)).text).toBe("it was one")
  expect((await goOn(two)).text).toBe("it was two")
})

test("a caller who hangs up ends the run, and can go on with the task", async () => {
  const sleep = call("run_shell_command", { command: "echo begun > begun.txt; sleep 60" })
  const server = await serve([ask(sleep), say("here again")], ["--approval-mode", "yolo"])
  const body = rpc("message/stream", {
    message: { kind: "message", role: "user", messageId: "1", parts: [{ kind: "text", text: "run it" }] }
  })
  const hangUp = new AbortController()
  const stream = await fetch(server.url, {
    method: "POST",
    body: JSON.stringify(body),
    headers: { authorization: `Bearer ${server.token}` },
    signal: hangUp.signal
  })
  const first = new TextDecoder().decode((await stream.body?.getReader().read())?.value)
  const taskId = /"id":"([0-9a-f-]{36})"/.exec(first)?.[1]
  const patience = Date.now() + 12_000
  while (!existsSync(join(place.cwd, "begun.txt")) && Date.now() < patience) await Bun.sleep(10)
  hangUp.abort()
  const stateOf = async () => {
    const answer = (await (await server.post("/", rpc("tasks/get", { id: taskId }))).json()) as {
      result: { status: { state: string } }
    }
    return answer.result.status.state
  }
  while ((await stateOf()) !== "input-required" && Date.now() < patience) await Bun.sleep(20)
  const client = await clientOf(server, "0.3")
  const again = await heard(client.sendMessageStream(message([words("and now?")], { taskId }) as never))
  expect(again.text).toBe("here again")
})

const talk = (server: Served) => {
  const say = (method: string, text: string, more: Record<string, unknown> = {}, signal?: AbortSignal) =>
    fetch(server.url, {
      method: "POST",
      body: JSON.stringify(
        rpc(method, {
          message: {
            kind: "message",
            role: "user",
            messageId: crypto.randomUUID(),
            parts: [{ kind: "text", text }],
            ...more
          }
        })
      ),
      headers: { authorization: `Bearer ${server.token}` },
      ...(signal === undefined ? {} : { signal })
    })
  /** The events of a stream as they come, as a few words each. */
  async function* told(response: Response): AsyncGenerator<{ taskId: string; word: string }> {
    let rest = ""
    for await (const piece of response.body ?? []) {
      rest += new TextDecoder().decode(piece)
      const events = rest.split("\n\n")
      rest = events.pop() ?? ""
      for (const event of events) {
        const { result } = JSON.parse(event.replace(/^data: /, ""))
        const { id, metadata, status, taskId } = result
        const text = status?.message?.parts[0]?.text
        yield { taskId: taskId ?? id, word: text ?? metadata?.coderAgent?.kind ?? result.kind }
      }
    }
  }
  const all = async (events: AsyncIterable<{ word: string }>) => (await Array.fromAsync(events)).map(({ word }) => word)
  return { say, told, all }
}

const SLOWLY = answer([chunk(text("first answer")), finish("STOP")], { gapMs: 400 })
const HANGING = answer([chunk(text("x"))], { ending: "hang" })

test("a text that comes while the task works waits; either caller hears what is theirs, and leaves alone", async () => {
  const server = await serve((_, index) => [SLOWLY, say("second answer"), HANGING][index] ?? say("third answer"))
  const { all, say: send, told } = talk(server)
  const one = told(await send("message/stream", "one"))
  const { taskId } = (await one.next()).value ?? {}
  const [first, second] = await Promise.all([all(one), all(told(await send("message/stream", "two", { taskId })))])
  expect({ first, second }).toEqual({
    first: ["state-change", "first answer", "state-change"],
    second: ["state-change", "second answer", "state-change"]
  })
  const hangUp = new AbortController()
  const left = told(await send("message/stream", "three", { taskId }, hangUp.signal))
  expect((await left.next()).value?.word).toBe("state-change")
  const waiting = send("message/stream", "four", { taskId })
  // Nothing may come of it, not even the head of an answer, as long as the one before it is heard.
  hangUp.abort()
  expect(await all(told(await waiting))).toEqual(["state-change", "third answer", "state-change"])
  await model?.someoneLeft()
})

test("a caller of message/send who hangs up ends the run; what has ended, or never was, is refused by name", async () => {
  const server = await serve([HANGING, say("hello")])
  const { all, say: send, told } = talk(server)
  const hangUp = new AbortController()
  const gone = send("message/send", "hi", {}, hangUp.signal).catch(() => "gone")
  await model?.received(1)
  hangUp.abort()
  expect(await gone).toBe("gone")
  await model?.someoneLeft()
  const stream = told(await send("message/stream", "hi"))
  const { taskId } = (await stream.next()).value ?? {}
  await all(stream)
  const codeOf = async (response: Promise<Response>) =>
    ((await (await response).json()) as { error?: { code: number } }).error?.code
  expect(await codeOf(server.post("/", rpc("tasks/cancel", { id: taskId })))).toBeUndefined()
  expect([
    await codeOf(server.post("/", rpc("tasks/cancel", { id: taskId }))),
    await codeOf(send("message/send", "more", { taskId })),
    await codeOf(send("message/stream", "more", { taskId })),
    await codeOf(send("message/stream", "more", { taskId: "of-somebody-else" })),
    await codeOf(server.post("/", rpc("message/stream", { message: 5 })))
  ]).toEqual([-32002, -32004, -32004, -32001, -32602])
})

test("variables of the reference's server stand for settings, and the log is as quiet as they say", async () => {
  await place.write("home/.gemini/settings.json", '{ "security": { "folderTrust": { "enabled": false } } }')
  await place.write("home/more.ignore", "hidden.txt\n")
  await place.write("work/hidden.txt", "x")
  await place.write("work/.gemini/settings.json", '{ "model": { "name": "of-the-project" } }')
  const look = ask(call("read_file", { file_path: "hidden.txt" }))
  const env = {
    GEMINI_CLI_TRUST_WORKSPACE: undefined,
    GEMINI_FOLDER_TRUST: "true",
    CUSTOM_IGNORE_FILE_PATHS: join(place.home, "more.ignore"),
    CHECKPOINTING: "true",
    LOG_LEVEL: "error"
  }
  const server = await serve([look, say("done")], [], env)
  const client = await clientOf(server, "1.0")
  const seen = await heard(client.sendMessageStream(message([words("secret words")]) as never))
  expect(seen.calls.at(-1)).toMatchObject({ status: "error" })
  expect(JSON.stringify(seen.calls.at(-1))).toContain("ignored")
  // Restoring is there where checkpoints are made.
  const restore = await server.post("/executeCommand", { command: "restore list" })
  expect(await restore.text()).not.toContain("not enabled")
  server.process.kill("SIGTERM")
  await server.process.result
  expect(server.process.stderrSoFar()).toContain("is not trusted")
  expect(server.process.stderrSoFar()).not.toMatch(/listening|a task/)
  const loud = await serve([say("hi")], [], { LOG_LEVEL: "info" })
  await heard((await clientOf(loud, "1.0")).sendMessageStream(message([words("secret words")]) as never))
  expect(loud.process.stderrSoFar()).toMatch(/listening.*\n.*a task has a message taskId=/)
  expect(loud.process.stderrSoFar()).not.toMatch(new RegExp(`secret words|${loud.token}`))
})

describe("who is let in", () => {
  test("the card is for everybody, in the form of the version; the rest needs the token", async () => {
    const server = await serve()
    expect(statSync(server.credentials ?? "").mode & 0o777).toBe(0o600)
    const card = await fetch(server.card)
    expect(await card.json()).toMatchObject({ name: "Gemini SDLC Agent", protocolVersion: "0.3.0", url: server.url })
    const modern = await fetch(server.card, { headers: { "a2a-version": "1.0" } })
    expect(await modern.json()).toMatchObject({
      supportedInterfaces: [{ protocolVersion: "1.0" }, { protocolVersion: "0.3" }]
    })
    const body = JSON.stringify(rpc("tasks/get", { id: "x" }))
    const bare = await fetch(server.url, { method: "POST", body })
    expect({ status: bare.status, asks: bare.headers.get("www-authenticate") }).toEqual({ status: 401, asks: "Bearer" })
    expect((await server.get("/tasks/metadata", { authorization: "Bearer wrong" })).status).toBe(401)
    expect((await server.post("/", body, { origin: "http://evil.test" })).status).toBe(403)
    for (const host of ["evil.test", "localhost:1@evil.test", "localhost.:80", "localhost:x", "[", "%"]) {
      expect([host, (await server.post("/", body, { host })).status]).toEqual([host, 403])
    }
    server.process.kill("SIGTERM")
    await server.process.result
    expect(existsSync(server.credentials ?? "")).toBe(false)
  })

  test.each<[string, ReadonlyArray<string>, Record<string, string>, RegExp]>([
    ["another address without a token of one's own", ["--host", "0.0.0.0"], {}, /needs a token/],
    ["the same with --no-token", ["--host", "0.0.0.0", "--no-token"], { GEMINI_A2A_TOKEN: "t" }, /needs a token/],
    ["a port that is none", ["--port", "http"], {}, /the port cannot be "http"/],
    ["the same in the variable", [], { CODER_AGENT_PORT: "70000" }, /the port cannot be "70000"/]
  ])("%s is refused at the start", async (_, args, env, said) => {
    const run = await place.run(["a2a", "serve", ...args], { env })
    expect(run.exitCode).toBe(1)
    expect(run.stderr).toMatch(said)
    expect(run.stdout).toBe("")
  })

  test("a port that is taken, and a store in the cloud, end it with words", async () => {
    const taken = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: () => new Response("") })
    const port = String(taken.port)
    const run = await place.run(["a2a", "serve"], { env: { CODER_AGENT_PORT: port } })
    await taken.stop(true)
    expect({ code: run.exitCode, said: run.stderr.trim() }).toEqual({
      code: 1,
      said: `error: port ${port} is in use [gemini help not-served]`
    })
    const cloud = await place.run(["a2a", "serve"], { env: { GCS_BUCKET_NAME: "b" } })
    expect(cloud.exitCode).toBe(52)
  })
})

test("bad input is answered, and nothing is run for it", async () => {
  const flags = ["--approval-mode", "auto_edit"]
  const server = await serve([], flags, { CODER_AGENT_WORKSPACE_PATH: undefined, GEMINI_YOLO_MODE: "true" })
  const errorOf = async (body: unknown, headers: Record<string, string> = {}) => {
    const response = await server.post("/", body, headers)
    const { error, id } = (await response.json()) as { id: unknown; error: { code: number } }
    return [response.status, error.code, id]
  }
  expect(await errorOf("{ not json")).toEqual([400, -32700, null])
  expect(await errorOf("[]")).toEqual([400, -32600, null])
  expect(await errorOf(rpc("tasks/fly", {}))).toEqual([200, -32601, 1])
  expect(await errorOf(rpc("tasks/get", { id: "of-somebody-else" }))).toEqual([200, -32001, 1])
  expect(await errorOf(rpc("tasks/get", { id: "../../settings" }))).toEqual([200, -32001, 1])
  expect(await errorOf(rpc("tasks/get", { id: 5 }))).toEqual([200, -32602, 1])
  expect(await errorOf(rpc("tasks/pushNotificationConfig/set", {}))).toEqual([200, -32003, 1])
  expect(await errorOf(rpc("GetTask", { id: "x" }), { "a2a-version": "2.0" })).toEqual([200, -32009, 1])
  expect((await server.post("/", "x".repeat(11 * 1024 * 1024))).status).toBe(413)
  const settings = (workspacePath: string, autoExecute = false) => ({
    coderAgent: { kind: "agent-settings", workspacePath, autoExecute }
  })
  const client = await clientOf(server, "1.0")
  for (const folder of ["/etc", "relative", join(place.cwd, "missing")]) {
    const seen = await heard(client.sendMessageStream(message([words("hi")], { metadata: settings(folder) }) as never))
    expect({ state: seen.state, error: String(seen.metadata.error) }).toEqual({
      state: 4,
      error: expect.stringMatching(/folder/)
    })
  }
  // The flags of the server are the most that a caller can have.
  const all = await heard(
    client.sendMessageStream(message([words("hi")], { metadata: settings(place.cwd, true) }) as never)
  )
  expect([all.state, all.metadata.error]).toEqual([4, expect.stringMatching(/^autoExecute .* auto_edit at most/)])
  expect(model?.generations).toEqual([])
})

test("tasks and commands beside the protocol", async () => {
  const server = await serve([say("hello"), say("written")])
  const made = await server.post("/tasks", { agentSettings: { workspacePath: place.cwd } })
  const id = (await made.json()) as string
  expect(made.status).toBe(201)
  const one = (await (await server.get(`/tasks/${id}/metadata`)).json()) as { metadata: Record<string, unknown> }
  expect(one.metadata).toMatchObject({ id, taskState: "submitted", model: "gemini-2.5-flash", mcpServers: [] })
  const tools = one.metadata.availableTools as Array<{ name: string; parameterSchema: unknown }>
  expect(tools.find(({ name }) => name === "read_file")?.parameterSchema).toMatchObject({ type: "object" })
  const client = await clientOf(server, "1.0")
  expect((await heard(client.sendMessageStream(message([words("hi")], { taskId: id }) as never))).text).toBe("hello")
  expect((await server.get("/tasks/nothing/metadata")).status).toBe(404)
  const { commands } = (await (await server.get("/listCommands")).json()) as { commands: Array<{ name: string }> }
  expect(commands.map(({ name }) => name).sort()).toEqual(["extensions", "memory", "restore"])
  const run = (body: unknown) => server.post("/executeCommand", body)
  expect(await (await run({ command: "extensions list", args: [] })).json()).toMatchObject({ name: "extensions list" })
  const init = await run({ command: "init" })
  expect(init.headers.get("content-type")).toBe("text/event-stream")
  const events = await init.text()
  expect(events).toMatch(/^data: \{.*"jsonrpc":"2.0"/)
  expect(events).toContain("written")
  expect(existsSync(join(place.cwd, "GEMINI.md"))).toBe(true)
  expect(await (await run({ command: "init" })).text()).toContain("exists already")
  expect([
    (await run({ command: "quit" })).status,
    (await run({})).status,
    (await run({ command: "memory", args: "x" })).status
  ]).toEqual([404, 400, 400])
})
