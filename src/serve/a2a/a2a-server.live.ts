/**
 * `gemini a2a serve`: tasks for other agents over HTTP. The SDK of the protocol reads and writes its messages, in both of
 * its versions; who may send them, and how much, is decided here.
 */

import { AgentCard, TaskState } from "@a2a-js/sdk"
import { LegacyJsonRpcTransportHandler } from "@a2a-js/sdk/compat/v0_3/server"
import { TaskNotCancelableError } from "@a2a-js/sdk/errors"
import {
  type A2ARequestHandler,
  DefaultRequestHandler,
  JsonRpcTransportHandler,
  ServerCallContext
} from "@a2a-js/sdk/server"
import { Effect, Option, Predicate, Schema } from "effect"
import { serveProgram } from "../../system/http/program-server.ts"
import { refusalOf } from "./caller-gate.ts"
import { modernCard, olderCard, versionedEvents } from "./protocol-versions.ts"
import { makeExecutor, type TaskExecutor } from "./task-executor.live.ts"
import type { TaskHost } from "./task-host.ts"
import { makeTaskRoutes } from "./task-routes.live.ts"
import { makeTaskBuses, makeTaskStore } from "./task-store.live.ts"

export interface A2aOptions {
  readonly host: string
  readonly port: number
  /** `undefined`: whoever reaches the port is let in. */
  readonly token: string | undefined
  /** Where tasks are kept. */
  readonly storeFolder: string
  /** One folder is set for all tasks: commands that act on a project know which. */
  readonly hasWorkspace: boolean
}

const MAX_BODY_BYTES = 10 * 1024 * 1024
const CARD_PATH = "/.well-known/agent-card.json"
/** Tasks and their servers have this long to end. */
const GRACE = "2 seconds"

export interface A2aServer {
  readonly url: string
  readonly card: string
}

/** Belongs to the scope. Fails with a reason for people. */
export const startA2a = Effect.fn("A2a.start")(function* (host: TaskHost, options: A2aOptions) {
  const runtime = yield* Effect.runtime<never>()
  const buses = makeTaskBuses()
  const executor = makeExecutor({ host, runtime, buses })
  const store = yield* Effect.promise(() => makeTaskStore(options.storeFolder, runtime))
  const cardFor = (port: number) => ({
    url: `http://${shownHost(options.host)}:${port}/`,
    version: host.version,
    needsToken: options.token !== undefined
  })
  const handlers = new Map<number, RpcHandlers>()
  const handlersAt = (port: number): RpcHandlers => {
    const known =
      handlers.get(port) ??
      rpcHandlers(new TaskRequests(AgentCard.fromJSON(modernCard(cardFor(port))), store, executor, buses))
    handlers.set(port, known)
    return known
  }
  const routes = yield* makeTaskRoutes(host, { store, hasWorkspace: options.hasWorkspace })
  yield* Effect.addFinalizer(() => Effect.timeoutOption(Effect.interruptible(executor.closeAll), GRACE))
  const rules = { hosts: hostsOf(options.host), token: options.token }
  const port = yield* serveProgram({
    host: options.host,
    port: options.port,
    maxBodyBytes: MAX_BODY_BYTES,
    answer: async (request, at) => {
      // The name of a host may be one that no address can have: it is refused below.
      const pathname = URL.parse(request.url)?.pathname ?? ""
      const isCard = pathname === CARD_PATH && request.method === "GET"
      const refused = refusalOf(request.headers, rules, { isOpen: isCard, port: at })
      if (refused !== undefined) return refusal(refused.status, refused.message)
      if (isCard)
        return Response.json((request.headers.get(VERSION_HEADER) === "1.0" ? modernCard : olderCard)(cardFor(at)))
      if (pathname === "/" && request.method === "POST") return answerRpc(request, handlersAt(at), executor)
      const runPrompt = (words: string) =>
        answerBody(promptBody(words), "0.3", { handlers: handlersAt(at), executor, signal: request.signal })
      return (await routes(request, pathname, runPrompt)) ?? refusal(404, "there is nothing here")
    }
  })
  const { url } = cardFor(port)
  return { url, card: new URL(CARD_PATH, url).href } satisfies A2aServer as A2aServer
})

const shownHost = (host: string): string => (host.includes(":") ? `[${host}]` : host)

/** Loopback has three names; another address is known by itself. */
const hostsOf = (host: string): ReadonlyArray<string> => [
  "localhost",
  "127.0.0.1",
  "[::1]",
  ...(host === "127.0.0.1" ? [] : [shownHost(host).toLowerCase()])
]

const refusal = (status: number, message: string): Response =>
  Response.json({ error: message }, { status, headers: status === 401 ? { "www-authenticate": "Bearer" } : {} })

const VERSION_HEADER = "a2a-version"

interface RpcHandlers {
  readonly modern: JsonRpcTransportHandler
  readonly older: LegacyJsonRpcTransportHandler
}

/** What has ended cannot be ended, however it did. */
class TaskRequests extends DefaultRequestHandler {
  override async cancelTask(...[params, context]: Parameters<DefaultRequestHandler["cancelTask"]>) {
    const { status } = await this.getTask({ tenant: "", id: params.id, historyLength: undefined }, context)
    if (status?.state === TaskState.TASK_STATE_CANCELED) {
      throw new TaskNotCancelableError(`Task not cancelable: ${params.id}`)
    }
    return super.cancelTask(params, context)
  }
}

const rpcHandlers = (handler: A2ARequestHandler): RpcHandlers => ({
  modern: new JsonRpcTransportHandler(handler),
  older: new LegacyJsonRpcTransportHandler(handler)
})

const Envelope = Schema.Struct({
  id: Schema.optional(Schema.NullOr(Schema.Union(Schema.String, Schema.Number))),
  method: Schema.String,
  params: Schema.optional(Schema.Unknown)
})

const rpcError = (id: unknown, code: number, message: string, status = 200): Response =>
  Response.json({ jsonrpc: "2.0", id: id ?? null, error: { code, message } }, { status })

const answerRpc = async (request: Request, handlers: RpcHandlers, executor: TaskExecutor): Promise<Response> => {
  const body = parsed(await request.text())
  if (body === undefined) return rpcError(null, -32700, "the body is not JSON", 400)
  const envelope = Schema.decodeUnknownOption(Envelope)(body)
  if (Option.isNone(envelope)) return rpcError(null, -32600, "the body is not a request of JSON-RPC", 400)
  const { id } = envelope.value
  const version = request.headers.get(VERSION_HEADER) ?? "0.3"
  if (version !== "1.0" && version !== "0.3") {
    return rpcError(id, -32009, `version ${version} of the protocol is not known; 1.0 and 0.3 are`)
  }
  const wrong = paramsFault(envelope.value)
  if (wrong !== undefined) return rpcError(id, wrong.code, wrong.message)
  return answerBody(JSON.parse(JSON.stringify(body)), version, { handlers, executor, signal: request.signal })
}

/** What the SDK would call a fault of its own. */
const paramsFault = ({ method, params }: typeof Envelope.Type) => {
  if (method.startsWith("tasks/pushNotificationConfig/")) {
    return { code: -32003, message: "push notifications are not supported" }
  }
  return Predicate.hasProperty(params, "id") && typeof params.id !== "string"
    ? { code: -32602, message: "the id of a task is a text" }
    : undefined
}

/** A prompt of our own, as a client of 0.3 would send it. */
const promptBody = (words: string): RpcBody => {
  const message = {
    kind: "message",
    role: "user",
    messageId: crypto.randomUUID(),
    parts: [{ kind: "text", text: words }]
  }
  return { jsonrpc: "2.0", id: crypto.randomUUID(), method: "message/stream", params: { message } }
}

type RpcBody = Parameters<JsonRpcTransportHandler["handle"]>[0] & typeof Envelope.Type

interface Around {
  readonly handlers: RpcHandlers
  readonly executor: TaskExecutor
  /** Aborted when the client hangs up. */
  readonly signal: AbortSignal
}

const answerBody = async (
  body: RpcBody,
  version: "1.0" | "0.3",
  { executor, handlers, signal }: Around
): Promise<Response> => {
  const context = new ServerCallContext({ requestedVersion: version })
  const onGone = () => executor.leave(context)
  signal.addEventListener("abort", onGone, { once: true })
  const answer = await (version === "1.0" ? handlers.modern : handlers.older).handle(body, context)
  if (!Predicate.hasProperty(answer, Symbol.asyncIterator)) return Response.json(answer)
  const errorOf = (cause: unknown) => ({
    jsonrpc: "2.0",
    id: body.id ?? null,
    error:
      version === "1.0"
        ? JsonRpcTransportHandler.mapToJSONRPCError(cause)
        : LegacyJsonRpcTransportHandler.mapToLegacyJSONRPCError(cause)
  })
  const form = { version, isFollowUp: namesTask(body.params) }
  const events = await versionedEvents(answer, { form, errorOf, onGone })
  return "answer" in events
    ? Response.json(events.answer)
    : new Response(events, { headers: { "content-type": "text/event-stream", "cache-control": "no-cache" } })
}

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const namesTask = (params: unknown): boolean =>
  Predicate.hasProperty(params, "message") &&
  Predicate.hasProperty(params.message, "taskId") &&
  typeof params.message.taskId === "string" &&
  params.message.taskId !== ""
