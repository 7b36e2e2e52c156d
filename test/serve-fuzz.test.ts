/**
 * The three protocols that others speak to this program, attacked with messages that are nearly right: none ends it or
 * holds it up, everything with an id is answered once, and afterwards it works as before.
 */
import { expect, test } from "bun:test"
import { FastCheck as fc } from "effect"
import { type ModelServer, startModelServer } from "./kit/model-server.ts"
import { say } from "./kit/replies.ts"
import { BINARY, environmentOf, newWorkspace, type Workspace } from "./kit/run-gemini.ts"

const MESSAGES = 2_000
type Message = Record<string, unknown>

/** What may stand in place of a value: of another kind, far too deep, or a word that means something to a program. */
const odd = fc.oneof(
  { weight: 6, arbitrary: fc.jsonValue({ maxDepth: 3 }) },
  fc.constantFrom<unknown>(
    "__proto__",
    "constructor",
    "\u0000",
    "\u001b[2J",
    "../../../etc/passwd",
    "/",
    -1,
    1e308,
    [],
    {}
  ),
  fc.integer({ min: 1, max: 400 }).map((depth) => JSON.parse(`${"[".repeat(depth)}${"]".repeat(depth)}`)),
  fc.string({ unit: "binary", maxLength: 40 })
)

type Change =
  | { readonly how: "put" | "add"; readonly at: number; readonly value: unknown }
  | { readonly how: "drop"; readonly at: number }

const change: fc.Arbitrary<Change> = fc.oneof(
  fc.record({ how: fc.constantFrom("put" as const, "add" as const), at: fc.nat(), value: odd }),
  fc.record({ how: fc.constant("drop" as const), at: fc.nat() })
)

/** Every object and list of a message. */
const placesIn = (value: unknown): ReadonlyArray<Message> =>
  typeof value === "object" && value !== null ? [value as Message, ...Object.values(value).flatMap(placesIn)] : []

/** The id stays: it is what the answer is found by. */
const changed = (message: Message, changes: ReadonlyArray<Change>): Message => {
  const copy = structuredClone(message)
  for (const one of changes) {
    const slots = placesIn(copy).flatMap((place) =>
      Object.keys(place).flatMap((key) => (place === copy && key === "id" ? [] : [{ place, key }]))
    )
    const slot = slots[one.at % Math.max(1, slots.length)]
    if (slot === undefined) continue
    if (one.how === "drop") delete slot.place[slot.key]
    else slot.place[one.how === "add" ? "extra" : slot.key] = one.value
  }
  return copy
}

/** Messages of this list, each changed in a few places, with an id of its own. */
const mutated = (kinds: ReadonlyArray<Message>, seed: number): ReadonlyArray<Message> =>
  fc
    .sample(fc.tuple(fc.nat({ max: kinds.length - 1 }), fc.array(change, { minLength: 1, maxLength: 3 })), {
      numRuns: MESSAGES,
      seed
    })
    .map(([kind, changes], at) => changed({ jsonrpc: "2.0", id: `m${at}`, ...kinds[kind] }, changes))

/** Lines that are cut, doubled, or no text. */
const brokenLines = (kinds: ReadonlyArray<Message>, seed: number): ReadonlyArray<string> =>
  fc
    .sample(fc.tuple(fc.nat({ max: kinds.length - 1 }), fc.nat(), fc.string({ unit: "binary", maxLength: 6 })), {
      numRuns: 300,
      seed
    })
    .map(([kind, at, noise]) => {
      const line = JSON.stringify({ jsonrpc: "2.0", ...kinds[kind] })
      const cut = at % line.length
      return `${line.slice(0, cut)}${noise.replaceAll("\n", "")}${at % 2 === 0 ? "" : line.slice(cut)}`
    })

const PATIENCE_MS = 30_000

const until = async (what: string, isReached: () => boolean) => {
  const patience = Date.now() + PATIENCE_MS
  while (!isReached()) {
    if (Date.now() > patience) throw new Error(`${what} never came`)
    await Bun.sleep(20)
  }
}

/** Every line of its output, as it comes. */
const start = (place: Workspace, server: ModelServer, args: ReadonlyArray<string>) => {
  const child = Bun.spawn([BINARY, ...args], {
    cwd: place.cwd,
    env: { ...environmentOf(place.root, server), CODER_AGENT_WORKSPACE_PATH: place.cwd },
    stdin: "pipe",
    stdout: "pipe",
    stderr: "pipe"
  })
  const lines: Array<Message> = []
  let rest = ""
  void (async () => {
    const decoder = new TextDecoder()
    for await (const piece of child.stdout) {
      const [last = "", ...whole] = (rest + decoder.decode(piece, { stream: true })).split("\n").reverse()
      rest = last
      lines.push(...whole.reverse().map((line) => JSON.parse(line)))
    }
  })()
  return { child, lines, stderr: new Response(child.stderr).text() }
}

/** Over standard input: all messages, then one that is right, whose answer shows that nothing is held up. */
const attackLines = async (
  place: Workspace,
  model: ModelServer,
  args: ReadonlyArray<string>,
  begin: ReadonlyArray<Message>,
  kinds: ReadonlyArray<Message>,
  last: Message
) => {
  const { child, lines, stderr } = start(place, model, args)
  const send = (line: string) => void child.stdin.write(`${line}\n`)
  const answers = () => lines.filter((line) => !("method" in line))
  for (const message of begin) send(JSON.stringify({ jsonrpc: "2.0", ...message }))
  await until("the answer to the first request", () => answers().some(({ id }) => id === "first"))
  const messages = mutated(kinds, 18)
  for (const message of messages) send(JSON.stringify(message))
  for (const line of brokenLines(kinds, 19)) send(line)
  send(JSON.stringify({ jsonrpc: "2.0", id: "last", ...last }))
  const asked = messages.flatMap(({ id, method }) => (typeof method === "string" ? [String(id)] : []))
  const answered = () => answers().map(({ id }) => id)
  await until("the last answer", () => answered().includes("last"))
  const unanswered = () => {
    const ids = new Set(answered())
    return asked.filter((id) => !ids.has(id))
  }
  await until("an answer to everything", () => unanswered().length === 0).catch(() => {
    const missing = new Set(unanswered())
    expect(messages.filter(({ id }) => missing.has(String(id)))).toEqual([])
  })
  const twice = answered().filter((id, at, all) => id !== null && all.indexOf(id) !== at)
  expect(twice).toEqual([])
  expect(answers().find(({ id }) => id === "last")).toHaveProperty("result")
  void child.stdin.end()
  expect(await child.exited).toBe(0)
  expect(await stderr).not.toContain("    at ")
}

test("ACP", async () => {
  await using place = await newWorkspace()
  await using model = await startModelServer(() => say("fine"))
  const session = crypto.randomUUID()
  const inSession = (method: string, more: Message = {}) => ({ method, params: { sessionId: session, ...more } })
  const kinds: ReadonlyArray<Message> = [
    { method: "initialize", params: { protocolVersion: 1, clientCapabilities: { fs: { readTextFile: false } } } },
    { method: "authenticate", params: { methodId: "gemini-api-key", _meta: { "api-key": "k" } } },
    { method: "session/list", params: { cwd: place.cwd, cursor: "0" } },
    inSession("session/load", { cwd: place.cwd, mcpServers: [] }),
    inSession("session/resume", { cwd: place.cwd, mcpServers: [{ name: "x", command: "/none", args: [], env: [] }] }),
    inSession("session/close"),
    inSession("session/delete"),
    inSession("session/set_mode", { modeId: "plan" }),
    inSession("session/set_model", { modelId: "gemini-2.5-flash" }),
    inSession("session/set_config_option", { configId: "mode", value: "default" }),
    inSession("session/prompt", {
      prompt: [
        { type: "text", text: "hi" },
        { type: "resource_link", uri: "file:///x" }
      ]
    }),
    inSession("session/cancel"),
    { method: "$/cancel_request", params: { requestId: "m1" } },
    { result: { outcome: { outcome: "selected", optionId: "proceed_once" } } }
  ]
  const hello = { method: "initialize", params: { protocolVersion: 1, clientCapabilities: {} } }
  const last = { method: "session/new", params: { cwd: place.cwd, mcpServers: [] } }
  await attackLines(place, model, ["--acp"], [{ id: "first", ...hello }], kinds, last)
}, 120_000)

test("MCP", async () => {
  await using place = await newWorkspace()
  await using model = await startModelServer(() => say("fine"))
  const hello = {
    method: "initialize",
    params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "t", version: "1" } }
  }
  const begin = [{ id: "first", ...hello }, { method: "notifications/initialized" }]
  const kinds: ReadonlyArray<Message> = [
    hello,
    { method: "ping" },
    { method: "tools/list", params: { cursor: "x" } },
    { method: "tools/call", params: { name: "rum", arguments: { prompt: "hi" }, _meta: { progressToken: 1 } } },
    { method: "notifications/cancelled", params: { requestId: "m1", reason: "r" } },
    { result: { action: "accept", content: {} } }
  ]
  await attackLines(place, model, ["mcp", "serve"], begin, kinds, { method: "tools/list" })
}, 120_000)

test("A2A", async () => {
  await using place = await newWorkspace()
  await using model = await startModelServer(() => say("fine"))
  const { child, lines, stderr } = start(place, model, ["a2a", "serve", "--no-token"])
  await until("the start", () => lines.length > 0)
  const url = String(lines[0]?.url)
  const message = { kind: "message", messageId: "x", role: "user", parts: [{ kind: "data", data: { callId: "c" } }] }
  const modern = { messageId: "x", role: "ROLE_USER", parts: [{ data: { callId: "c" } }] }
  const kinds: ReadonlyArray<Message> = [
    { method: "tasks/get", params: { id: "t", historyLength: 3 } },
    { method: "tasks/cancel", params: { id: "t" } },
    { method: "tasks/resubscribe", params: { id: "t" } },
    { method: "message/send", params: { message: { ...message, taskId: "none" } } },
    { method: "message/stream", params: { message: { ...message, taskId: "none" } } },
    { method: "GetTask", params: { id: "t" } },
    { method: "ListTasks", params: { pageSize: 3 } },
    { method: "CancelTask", params: { id: "t" } },
    { method: "SendMessage", params: { message: { ...modern, taskId: "none" } } },
    { method: "SendStreamingMessage", params: { message: { ...modern, taskId: "none" } } },
    { method: "SubscribeToTask", params: { id: "t" } }
  ]
  const post = (body: string, version: string | undefined) =>
    fetch(url, {
      method: "POST",
      body,
      headers: { "content-type": "application/json", ...(version === undefined ? {} : { "a2a-version": version }) },
      signal: AbortSignal.timeout(30_000)
    })
  const bodies = [...mutated(kinds, 20).map((one) => JSON.stringify(one)), ...brokenLines(kinds, 21)]
  let at = 0
  const worker = async () => {
    while (at < bodies.length) {
      const index = at++
      const body = bodies[index] ?? ""
      const response = await post(body, index % 2 === 0 ? "1.0" : undefined)
      const text = await response.text()
      const first = text.startsWith("data:") ? text.slice(5).split("\n", 1)[0] : text
      expect([body, response.status < 500, JSON.parse(first ?? "")]).toEqual([body, true, expect.any(Object)])
    }
  }
  await Promise.all(Array.from({ length: 8 }, worker))
  const task = await fetch(new URL("/tasks", url), {
    method: "POST",
    body: JSON.stringify({ agentSettings: { workspacePath: place.cwd } })
  })
  expect(task.status).toBe(201)
  child.kill("SIGTERM")
  expect(await child.exited).toBe(143)
  expect(await stderr).not.toContain("    at ")
}, 120_000)
