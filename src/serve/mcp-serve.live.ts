/**
 * `gemini mcp serve`: this agent as an MCP server on standard input and output. One tool runs a prompt under the policy
 * of this machine; what happens meanwhile goes to the client as progress. A cancelled call ends its run, and the end of
 * the input ends them all.
 */
import { Server } from "@modelcontextprotocol/sdk/server/index.js"
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js"
import {
  CallToolRequestSchema,
  ElicitResultSchema,
  ErrorCode,
  isJSONRPCRequest,
  type JSONRPCMessage,
  ListToolsRequestSchema
} from "@modelcontextprotocol/sdk/types.js"
import { Effect, Option, Predicate, Ref, Runtime } from "effect"
import { jsonText } from "../kernel/readable-text.ts"
import { messageLines } from "../mcp/message-lines.ts"
import type { ProtocolEvent } from "../protocol/event.ts"
import type { Person } from "../tools/from-config.ts"
import { type Elicit, personBehind } from "./elicited-approval.ts"
import { type AgentReport, progressOf, readArguments, resultOf, runTool, type ServedAgent } from "./run-tool.ts"

/** Each has its own tools and children; more would only wait for each other. */
const MAX_RUNS = 4

/** What goes on when the client leaves has this long to end. */
const GRACE = "3 seconds"

/** The SDK's own limit is that of a machine; this is one of a person. */
const LONGEST_QUESTION_MS = 600_000

export interface ServeOptions {
  readonly version: string
  /** Writes to standard output. */
  readonly write: (text: string) => Effect.Effect<void, unknown>
}

/** Ends when the client closes the input. */
export const serveMcp = Effect.fn("Serve.mcp")(function* (runAgent: ServedAgent, { version, write }: ServeOptions) {
  const places = yield* Effect.makeSemaphore(MAX_RUNS)
  const runtime = yield* Effect.runtime<never>()
  /** Those that have not ended, whoever still waits for them. */
  const runs = new Set<Promise<unknown>>()
  const server = new Server({ name: "gemini", version }, { capabilities: { tools: {} } })
  server.setRequestHandler(ListToolsRequestSchema, () => ({ tools: [runTool] }))
  server.setRequestHandler(
    CallToolRequestSchema,
    async ({ params }, { _meta, sendNotification, sendRequest, signal }) => {
      if (params.name !== runTool.name) return refusal(`There is no tool ${params.name}; the only one is run.`)
      const request = readArguments(params.arguments ?? {})
      if (Option.isNone(request)) {
        return refusal(
          "The arguments do not fit: prompt must be a text, approval_mode one of default, auto_edit, yolo, plan."
        )
      }
      const token = _meta?.progressToken
      const tell = (progress: number, message: string) =>
        token === undefined
          ? Promise.resolve()
          : sendNotification({ method: "notifications/progress", params: { progressToken: token, progress, message } })
      const elicit: Elicit = (form) =>
        sendRequest({ method: "elicitation/create", params: form }, ElicitResultSchema, {
          signal,
          timeout: LONGEST_QUESTION_MS
        })
      const person = server.getClientCapabilities()?.elicitation === undefined ? undefined : personBehind(elicit)
      const running = Runtime.runPromise(runtime)(
        places.withPermits(1)(reporting(runAgent, request.value, { tell, person })),
        { signal }
      )
      const ended = Promise.allSettled([running])
      runs.add(ended)
      void ended.then(() => runs.delete(ended))
      return resultOf(await running)
    }
  )
  const streams = { input: Bun.stdin.stream(), send: (line: string) => Runtime.runPromise(runtime)(write(line)) }
  const transport = stdioServerTransport(streams, (onMessage) =>
    messageLines({ onMessage, onNoise: () => {}, onTooLong: () => void server.close() })
  )
  yield* Effect.acquireUseRelease(
    Effect.promise(() => server.connect(transport)),
    () => Effect.promise(() => transport.ended),
    // The runs that are under way are cancelled with it; what they started ends before the program does.
    () =>
      Effect.promise(() => server.close()).pipe(
        Effect.zipRight(Effect.interruptible(Effect.promise(() => Promise.all(runs)))),
        Effect.timeoutOption(GRACE)
      )
  )
})

const refusal = (text: string) => ({ content: [{ type: "text" as const, text }], isError: true })

/** Progress must grow with every notification, whatever it is about. */
const reporting = (
  runAgent: ServedAgent,
  request: Parameters<ServedAgent>[0],
  { person, tell }: ClientSide
): Effect.Effect<AgentReport> =>
  Effect.gen(function* () {
    const count = yield* Ref.make(0)
    const onEvent = (event: ProtocolEvent) => {
      const message = progressOf(event)
      return message === undefined
        ? Effect.void
        : Ref.updateAndGet(count, (before) => before + 1).pipe(
            // A client that does not listen any more is noticed elsewhere.
            Effect.flatMap((progress) => Effect.ignore(Effect.tryPromise(() => tell(progress, message))))
          )
    }
    return yield* runAgent(request, onEvent, person)
  })

interface ClientSide {
  readonly tell: (progress: number, message: string) => Promise<void>
  readonly person: Person | undefined
}

interface StdioServerTransport extends Transport {
  /** Reads until the client closes our input. */
  readonly ended: Promise<void>
}

interface ServerStreams {
  readonly input: ReadableStream<Uint8Array>
  /** Hands a whole line to the client. */
  readonly send: (line: string) => Promise<void>
}

/**
 * The standard input and output of this process as a transport. Not the SDK's own, which writes through
 * `process.stdout`: what that has not sent when the process ends is lost.
 */
const stdioServerTransport = (
  { input, send }: ServerStreams,
  takeLines: (onMessage: (line: string) => void) => (chunk: Uint8Array) => void
): StdioServerTransport => {
  const over = Promise.withResolvers<void>()
  const transport: StdioServerTransport = {
    ended: over.promise,
    start: () => {
      const take = takeLines((line) => receive(transport, line))
      void read(input, take).finally(over.resolve)
      return Promise.resolve()
    },
    send: (message: JSONRPCMessage) => send(`${jsonText(message)}\n`),
    close: () => {
      over.resolve()
      transport.onclose?.()
      return Promise.resolve()
    }
  }
  return transport
}

/** The SDK passes over what is nearly a request; whoever made it would wait for ever. */
const receive = (transport: Transport, line: string): void => {
  try {
    const message = JSON.parse(line)
    const id = Predicate.hasProperty(message, "method") && Predicate.hasProperty(message, "id") ? message.id : undefined
    if ((typeof id !== "string" && typeof id !== "number") || isJSONRPCRequest(message)) transport.onmessage?.(message)
    else {
      const error = { code: ErrorCode.InvalidRequest, message: "Invalid request" }
      void transport.send({ jsonrpc: "2.0", id, error }).catch(transport.onerror)
    }
  } catch (cause) {
    transport.onerror?.(cause instanceof Error ? cause : new Error(String(cause)))
  }
}

const read = async (input: ReadableStream<Uint8Array>, take: (chunk: Uint8Array) => void): Promise<void> => {
  for await (const chunk of input) take(chunk)
}
