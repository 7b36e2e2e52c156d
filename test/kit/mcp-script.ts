/**
 * An MCP server that does what a test tells it to, well or badly: a program that speaks the protocol by hand over
 * standard input and output. Started by `scriptedServer`.
 */
import { appendFileSync } from "node:fs"

export interface McpScript {
  readonly tools?: ReadonlyArray<Readonly<Record<string, unknown>>>
  /** That many more tools, named `tool_0` and so on. */
  readonly toolCount?: number
  readonly prompts?: ReadonlyArray<Readonly<Record<string, unknown>>>
  readonly resources?: ReadonlyArray<Readonly<Record<string, unknown>>>
  readonly instructions?: string
  /** Entries on one page of a list. */
  readonly pageSize?: number
  /** Results by the name of the tool; the arguments as text for any other. */
  readonly results?: Readonly<Record<string, unknown>>
  /** Refusals by the name of the tool. */
  readonly errors?: Readonly<Record<string, { readonly code: number; readonly message: string }>>
  /** Messages that get no answer. */
  readonly ignores?: ReadonlyArray<string>
  /** Ends with this code when a message of this method comes. */
  readonly diesAt?: { readonly method: string; readonly code: number }
  /** Lines that are no messages, before each answer. */
  readonly noise?: string
  /** Every answer is sent twice, after one to a request that nobody made. */
  readonly isConfused?: boolean
  /** Bytes written to standard error at the start. */
  readonly stderrBytes?: number
  /** Every call is answered with that many bytes on one line. */
  readonly resultBytes?: number
  /** Goes on when it is asked to leave. */
  readonly isStubborn?: boolean
  /** After a call: these tools instead of the first ones, announced. */
  readonly laterTools?: ReadonlyArray<Readonly<Record<string, unknown>>>
  /** Progress notifications before the answer to a call. */
  readonly progress?: ReadonlyArray<Readonly<Record<string, unknown>>>
  /** Asks the client for its roots when it is ready. */
  readonly asksRoots?: boolean
  /** Every message that comes in, a line each. */
  readonly log?: string
  /** Its process id, and that of a child which sleeps, a line each. */
  readonly pids?: string
}

interface Message {
  readonly id?: number
  readonly method?: string
  readonly params?: Readonly<Record<string, unknown>>
  readonly result?: unknown
}

if (import.meta.main) serve(JSON.parse(process.argv[2] ?? "{}"))

function serve(script: McpScript): void {
  let tools = [...(script.tools ?? []), ...manyTools(script.toolCount ?? 0)]
  const send = (message: object) => {
    if (script.noise !== undefined) process.stdout.write(`${script.noise}\n`)
    process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`)
  }
  const answer = (id: number | undefined, result: unknown) => {
    if (script.isConfused === true) send({ id: 987_654, result: {} })
    send({ id, result })
    if (script.isConfused === true) send({ id, result })
  }
  const page = (kind: string, all: ReadonlyArray<unknown>, cursor: unknown) => {
    const start = typeof cursor === "string" ? Number(cursor) : 0
    const end = start + (script.pageSize ?? all.length)
    return { [kind]: all.slice(start, end), ...(end < all.length ? { nextCursor: String(end) } : {}) }
  }
  const call = ({ id, params = {} }: Message) => {
    const token = (params._meta as { progressToken?: unknown } | undefined)?.progressToken
    for (const step of script.progress ?? [])
      send({ method: "notifications/progress", params: { ...step, progressToken: token } })
    // A server that reports progress takes some time.
    if (script.progress !== undefined) return void setTimeout(() => reply(id, params), 30)
    reply(id, params)
  }
  const reply = (id: number | undefined, params: Readonly<Record<string, unknown>>) => {
    const error = script.errors?.[String(params.name)]
    if (error !== undefined) return send({ id, error })
    const text = script.resultBytes === undefined ? JSON.stringify(params.arguments) : "x".repeat(script.resultBytes)
    answer(id, script.results?.[String(params.name)] ?? { content: [{ type: "text", text }] })
    if (script.laterTools === undefined) return
    tools = [...script.laterTools]
    send({ method: "notifications/tools/list_changed" })
  }
  const handle = (message: Message) => {
    const { id, method = "", params } = message
    if (script.diesAt?.method === method) process.exit(script.diesAt.code)
    if (script.ignores?.includes(method) === true) return
    switch (method) {
      case "initialize":
        return answer(id, {
          protocolVersion: params?.protocolVersion,
          capabilities: {
            tools: {},
            ...(script.prompts === undefined ? {} : { prompts: {} }),
            ...(script.resources === undefined ? {} : { resources: {} })
          },
          serverInfo: { name: "scripted", version: "1" },
          ...(script.instructions === undefined ? {} : { instructions: script.instructions })
        })
      case "notifications/initialized":
        return script.asksRoots === true ? send({ id: 77, method: "roots/list" }) : undefined
      case "tools/list":
        return answer(id, page("tools", tools, params?.cursor))
      case "prompts/list":
        return answer(id, page("prompts", script.prompts ?? [], params?.cursor))
      case "resources/list":
        return answer(id, page("resources", script.resources ?? [], params?.cursor))
      case "prompts/get":
        return answer(id, { messages: [{ role: "user", content: { type: "text", text: JSON.stringify(params) } }] })
      case "resources/read":
        return answer(id, { contents: [{ uri: params?.uri, text: `content of ${String(params?.uri)}` }] })
      case "tools/call":
        return call(message)
    }
  }

  if (script.pids !== undefined) {
    const child = Bun.spawn(["sleep", "1000"])
    appendFileSync(script.pids, `${process.pid}\n${child.pid}\n`)
  }
  if (script.stderrBytes !== undefined) process.stderr.write("e".repeat(script.stderrBytes))
  if (script.isStubborn === true) {
    process.on("SIGTERM", () => {})
    setInterval(() => {}, 1000)
  }
  let rest = ""
  process.stdin.on("data", (chunk) => {
    const lines = (rest + String(chunk)).split("\n")
    rest = lines.pop() ?? ""
    for (const line of lines) {
      if (script.log !== undefined) appendFileSync(script.log, `${line}\n`)
      handle(JSON.parse(line))
    }
  })
}

function manyTools(count: number) {
  return Array.from({ length: count }, (_, index) => ({
    name: `tool_${index}`,
    description: `Does the thing of number ${index} with what it is given.`,
    inputSchema: {
      type: "object",
      properties: { path: { type: "string", description: "Where." }, depth: { type: ["number", "null"] } },
      required: ["path"]
    }
  }))
}

/** The settings of a server that plays this script. */
export const scriptedServer = (script: McpScript) => ({
  command: process.execPath,
  args: [import.meta.path, JSON.stringify(script)]
})
