/** The way to one server: a child process, or one of the SDK's remote transports with our own `fetch` below it. */
import { SSEClientTransport } from "@modelcontextprotocol/sdk/client/sse.js"
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js"
import { WebSocketClientTransport } from "@modelcontextprotocol/sdk/client/websocket.js"
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js"
import { Effect, Runtime } from "effect"
import type { HttpClient } from "../system/http/http.ts"
import type { FaultContext } from "./fault.live.ts"
import type { McpError } from "./mcp-error.ts"
import { ServerAuth } from "./server-auth.ts"
import type { ServerPlan, TransportPlan } from "./server-config.ts"
import { type Fetch, serverFetch } from "./server-fetch.ts"
import { stdioTransport } from "./stdio-transport.ts"

export interface OpenTransport {
  readonly transport: Transport
  readonly ended: () => McpError | undefined
  readonly refusal: () => FaultContext["refusal"]
  /** Tells the server that its session is over; to be done before the transport is closed. */
  readonly farewell: Effect.Effect<void>
}

const FAREWELL_WITHIN = "500 millis"

type RemotePlan = Extract<TransportPlan, { readonly headers: unknown }>

const silent = { refusal: () => undefined, farewell: Effect.void }

export const openTransport = Effect.fnUntraced(function* (plan: ServerPlan, way: TransportPlan, http: HttpClient) {
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

const remoteTransport = ({ kind, url }: RemotePlan, send: Fetch): Pick<OpenTransport, "transport" | "farewell"> => {
  if (kind === "sse") return { transport: new SSEClientTransport(new URL(url), { fetch: send }), farewell: Effect.void }
  const transport = new StreamableHTTPClientTransport(new URL(url), { fetch: send })
  const farewell = Effect.tryPromise(() => transport.terminateSession()).pipe(
    Effect.interruptible,
    Effect.timeout(FAREWELL_WITHIN),
    Effect.ignore
  )
  return { transport, farewell }
}
