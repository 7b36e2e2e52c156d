/**
 * One connection to one server, from the way to it and the handshake to its end. Requests are effects: interrupting
 * one tells the server that nobody waits any more. Answers are handed over as they came; whoever asked decodes them.
 */
import { basename } from "node:path"
import { pathToFileURL } from "node:url"
import { Client } from "@modelcontextprotocol/sdk/client/index.js"
import { SSEClientTransport } from "@modelcontextprotocol/sdk/client/sse.js"
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js"
import { WebSocketClientTransport } from "@modelcontextprotocol/sdk/client/websocket.js"
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js"
import {
  ListRootsRequestSchema,
  LoggingMessageNotificationSchema,
  PromptListChangedNotificationSchema,
  ResourceListChangedNotificationSchema,
  ResultSchema,
  ToolListChangedNotificationSchema
} from "@modelcontextprotocol/sdk/types.js"
import { Deferred, Effect, Exit, Runtime, Scope } from "effect"
import type { HttpClient } from "../system/http/http.ts"
import { type FaultContext, faultOf } from "./fault.live.ts"
import { McpError } from "./mcp-error.ts"
import type { McpAnswer, McpProgress } from "./mcp-hub.ts"
import { ServerAuth } from "./server-auth.ts"
import type { ServerPlan, TransportPlan } from "./server-config.ts"
import { type ServerFetch, serverFetch } from "./server-fetch.ts"
import { stdioTransport } from "./stdio-transport.ts"

export type ListKind = "tools" | "prompts" | "resources"

export interface ConnectOptions {
  readonly version: string
  /** Folders of the workspace, absolute. */
  readonly roots: Effect.Effect<ReadonlyArray<string>>
  readonly http: HttpClient
  readonly onListChanged: (kind: ListKind) => Effect.Effect<void>
}

export interface RequestOptions {
  /** What is under way, for errors: `calling search`. */
  readonly during: string
  readonly onProgress?: (progress: McpProgress) => Effect.Effect<void>
}

export interface Connection {
  readonly offers: ReadonlySet<ListKind>
  readonly canComplete: boolean
  readonly transport: TransportPlan["kind"]
  readonly instructions: string | undefined
  readonly request: (
    method: string,
    params: Readonly<Record<string, unknown>>,
    options: RequestOptions
  ) => Effect.Effect<McpAnswer, McpError>
  /** Tells the server that the folders of the workspace changed. */
  readonly rootsChanged: Effect.Effect<void>
  /** Waits for the end of the connection. */
  readonly gone: Effect.Effect<McpError>
}

/** The connection belongs to the scope. */
export const connect = Effect.fn("Mcp.connect")(function* (plan: ServerPlan, options: ConnectOptions) {
  const way = plan.transport
  const first = inOwnScope(handshake(plan, way, options))
  if (!("isGuess" in way) || !way.isGuess) return yield* first
  // Both failed: the first answer is the one that fits what most servers are.
  return yield* Effect.catchIf(
    first,
    ({ kind }) => kind !== "unauthorized",
    (error) => Effect.mapError(inOwnScope(handshake(plan, { ...way, kind: "sse" }, options)), () => error)
  )
})

/** What a failed attempt opened is closed before the next one begins. */
const inOwnScope = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const scope = yield* Effect.acquireRelease(Scope.make(), (owned, exit) => Scope.close(owned, exit))
    return yield* Effect.onError(Scope.extend(effect, scope), () => Scope.close(scope, Exit.void))
  })

const handshake = Effect.fnUntraced(function* (plan: ServerPlan, way: TransportPlan, options: ConnectOptions) {
  const opened = yield* openTransport(plan, way, options.http)
  const client = new Client(
    { name: "gemini-cli-mcp-client", version: options.version },
    { capabilities: { roots: { listChanged: true } } }
  )
  const gone = yield* Deferred.make<McpError>()
  yield* listen(plan, client, options, gone, opened)
  yield* Effect.addFinalizer(() =>
    Effect.zipRight(opened.farewell, Effect.ignore(Effect.tryPromise(() => client.close())))
  )
  const timeout = plan.timeoutMs
  yield* Effect.tryPromise({
    try: (signal) => client.connect(opened.transport, { signal, timeout }),
    catch: faultIn(plan, opened, "connecting")
  })
  return connectionOf({ plan, way, client, opened, gone, runtime: yield* Effect.runtime<never>() })
})

const faultIn = (plan: ServerPlan, opened: OpenTransport, during: string) => (cause: unknown) =>
  faultOf(cause, { plan, during, refusal: opened.refusal(), ended: opened.ended() })

const listen = Effect.fnUntraced(function* (
  plan: ServerPlan,
  client: Client,
  options: ConnectOptions,
  gone: Deferred.Deferred<McpError>,
  opened: OpenTransport
) {
  const runtime = yield* Effect.runtime<never>()
  const run = (effect: Effect.Effect<void>): void => void Runtime.runFork(runtime)(effect)
  const note = (message: string, text: string) =>
    run(Effect.annotateLogs(Effect.logDebug(message), { server: plan.name, text: text.slice(0, 2000) }))
  client.setRequestHandler(ListRootsRequestSchema, async () => {
    const folders = await Runtime.runPromise(runtime)(options.roots)
    return { roots: folders.map((folder) => ({ uri: pathToFileURL(folder).href, name: basename(folder) })) }
  })
  client.setNotificationHandler(ToolListChangedNotificationSchema, () => run(options.onListChanged("tools")))
  client.setNotificationHandler(PromptListChangedNotificationSchema, () => run(options.onListChanged("prompts")))
  client.setNotificationHandler(ResourceListChangedNotificationSchema, () => run(options.onListChanged("resources")))
  client.setNotificationHandler(LoggingMessageNotificationSchema, ({ params }) =>
    note(`an mcp server logged at level ${params.level}`, JSON.stringify(params.data) ?? "")
  )
  client.onerror = (error) => note("trouble on the connection to an mcp server", error.message)
  client.onclose = () =>
    Deferred.unsafeDone(
      gone,
      Effect.succeed(
        opened.ended() ?? new McpError({ server: plan.name, kind: "closed", detail: "closed the connection" })
      )
    )
})

interface Connected {
  readonly plan: ServerPlan
  readonly way: TransportPlan
  readonly client: Client
  readonly opened: OpenTransport
  readonly gone: Deferred.Deferred<McpError>
  readonly runtime: Runtime.Runtime<never>
}

const connectionOf = ({ client, gone, opened, plan, runtime, way }: Connected): Connection => {
  const declared = client.getServerCapabilities() ?? {}
  const kinds: ReadonlyArray<ListKind> = ["prompts", "tools", "resources"]
  const run = Runtime.runFork(runtime)
  return {
    offers: new Set(kinds.filter((kind) => declared[kind] !== undefined)),
    canComplete: declared.completions !== undefined,
    transport: way.kind,
    instructions: client.getInstructions(),
    request: (method, params, { during, onProgress }) =>
      Effect.tryPromise({
        try: (signal) =>
          client.request({ method, params: { ...params } }, ResultSchema, {
            signal,
            timeout: plan.timeoutMs,
            ...(onProgress === undefined
              ? {}
              : { onprogress: ({ message, progress, total }) => void run(onProgress({ progress, total, message })) })
          }),
        catch: faultIn(plan, opened, during)
      }),
    rootsChanged: Effect.ignore(Effect.tryPromise(() => client.sendRootsListChanged())),
    gone: Deferred.await(gone)
  }
}

interface OpenTransport {
  readonly transport: Transport
  readonly ended: () => McpError | undefined
  readonly refusal: () => FaultContext["refusal"]
  /** Tells the server that its session is over; to be done before the transport is closed. */
  readonly farewell: Effect.Effect<void>
}

const FAREWELL_WITHIN = "500 millis"

type RemotePlan = Extract<TransportPlan, { readonly headers: unknown }>

const silent = { refusal: () => undefined, farewell: Effect.void }

/** The way to one server: a child process, or one of the SDK's remote transports with our own `fetch` below it. */
const openTransport = Effect.fnUntraced(function* (plan: ServerPlan, way: TransportPlan, http: HttpClient) {
  switch (way.kind) {
    case "stdio": {
      const transport = yield* stdioTransport(plan, way)
      return { transport, ended: () => transport.failure(), ...silent } satisfies OpenTransport
    }
    case "ws": {
      const transport = new WebSocketClientTransport(new URL(way.url))
      return { transport, ended: () => undefined, ...silent } satisfies OpenTransport
    }
    default:
      return yield* openRemote(plan, way, http)
  }
})

const openRemote = Effect.fnUntraced(function* (plan: ServerPlan, way: RemotePlan, http: HttpClient) {
  const auth = yield* ServerAuth
  const runtime = yield* Effect.runtime<never>()
  let refusal: FaultContext["refusal"]
  const send = serverFetch({
    http,
    timeoutMs: plan.timeoutMs,
    sign: async () => {
      const { headers, query } = await Runtime.runPromise(runtime)(auth.sign(plan))
      return { headers: withFirst(way.headers, headers), query }
    },
    onRefusal: ({ headers, status }) => {
      refusal = { status, challenge: headers.get("www-authenticate") ?? undefined }
    }
  })
  return { ...remoteTransport(way, send), ended: () => undefined, refusal: () => refusal } satisfies OpenTransport
})

/** What the user wrote in the settings counts; names of headers are equal whatever their case. */
const withFirst = (
  first: Readonly<Record<string, string>>,
  second: Readonly<Record<string, string>>
): Readonly<Record<string, string>> => {
  const taken = new Set(Object.keys(first).map((name) => name.toLowerCase()))
  return { ...Object.fromEntries(Object.entries(second).filter(([name]) => !taken.has(name.toLowerCase()))), ...first }
}

const remoteTransport = (
  { kind, url }: RemotePlan,
  send: ServerFetch
): Pick<OpenTransport, "transport" | "farewell"> => {
  if (kind === "sse") return { transport: new SSEClientTransport(new URL(url), { fetch: send }), farewell: Effect.void }
  const transport = new StreamableHTTPClientTransport(new URL(url), { fetch: send })
  const farewell = Effect.tryPromise(() => transport.terminateSession()).pipe(
    Effect.interruptible,
    Effect.timeout(FAREWELL_WITHIN),
    Effect.ignore
  )
  return { transport, farewell }
}
