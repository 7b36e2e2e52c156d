/**
 * One connection to the companion of an editor, over MCP. Notifications are handed on as they come, whatever they are;
 * the end of the stream that carries them is the end of the connection. Never through a proxy.
 */
import { Client } from "@modelcontextprotocol/sdk/client/index.js"
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js"
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js"
import { ResultSchema } from "@modelcontextprotocol/sdk/types.js"
import { Deferred, Duration, Effect, ExecutionStrategy, Exit, Predicate, Scope } from "effect"
import { messageOf } from "../kernel/cause-chain.ts"
import { version } from "../kernel/version.ts"
import { stdioTransport } from "../mcp/stdio-transport.ts"
import { childVariables } from "../system/child-variables.ts"
import { fetchThrough } from "../system/http/fetch-door.ts"
import * as Http from "../system/http/http.ts"
import type { CompanionWay, DiscoveryPlace, FoundCompanion } from "./companion-discovery.ts"
import { type CompanionLink, NoCompanion } from "./ide-companion.ts"

interface LinkOptions {
  readonly place: DiscoveryPlace
  readonly onNotification: (method: string, params: unknown) => void
}

const ANSWER_WITHIN = Duration.seconds(2)
const LISTED_WITHIN_MS = 1_000
const MAX_MESSAGE_BYTES = 16 * 1024 * 1024

/** By the first way that leads to it. The connection belongs to the scope. */
export const openLink = Effect.fn("Ide.openLink")(function* ({ token, ways }: FoundCompanion, options: LinkOptions) {
  const scope = yield* Effect.scope
  const [first, ...rest] = ways.map((way) => inScopeOf(scope, connect(way, token, options)))
  if (first === undefined) return yield* new NoCompanion({ detail: "it does not say where it listens" })
  // The first way is the likeliest: why it does not lead there says more than why the others do not.
  return yield* Effect.catchAll(first, (error) => Effect.mapError(Effect.firstSuccessOf([...rest, error]), () => error))
})

/** What a failed attempt opened is closed at once. */
const inScopeOf = <A, E, R>(outer: Scope.Scope, effect: Effect.Effect<A, E, R | Scope.Scope>) =>
  Effect.gen(function* () {
    const own = yield* Scope.fork(outer, ExecutionStrategy.sequential)
    return yield* Effect.onError(Scope.extend(effect, own), () => Scope.close(own, Exit.void))
  })

const connect = Effect.fnUntraced(function* (way: CompanionWay, token: string | undefined, options: LinkOptions) {
  const lost = yield* Deferred.make<void>()
  const isOver = () => Deferred.unsafeDone(lost, Effect.void)
  const transport = yield* transportFor(way, token, { ...options, isOver })
  const name = way.kind === "http" ? "streamable-http-client" : "stdio-client"
  const client = new Client({ name, version }, { capabilities: {} })
  client.fallbackNotificationHandler = ({ method, params }) => {
    options.onNotification(method, params)
    return Promise.resolve()
  }
  client.onclose = isOver
  yield* Effect.addFinalizer(() => Effect.ignore(Effect.tryPromise(() => client.close())))
  yield* Effect.tryPromise({
    try: (signal) => client.connect(transport, { signal, timeout: Duration.toMillis(ANSWER_WITHIN) }),
    catch: fault
  })
  const tools = yield* Effect.tryPromise((signal) => client.listTools({}, { signal, timeout: LISTED_WITHIN_MS })).pipe(
    Effect.map((listed) => new Set(listed.tools.map((tool) => tool.name))),
    Effect.orElseSucceed(() => new Set<string>())
  )
  return {
    showsDiffs: tools.has("openDiff") && tools.has("closeDiff"),
    call: (tool, args, within) =>
      Effect.tryPromise({
        try: (signal) =>
          client.request({ method: "tools/call", params: { name: tool, arguments: { ...args } } }, ResultSchema, {
            signal,
            timeout: Duration.toMillis(within)
          }),
        catch: fault
      }),
    lost: Deferred.await(lost)
  } satisfies CompanionLink as CompanionLink
})

const transportFor = (
  way: CompanionWay,
  token: string | undefined,
  { isOver, place }: LinkOptions & { readonly isOver: () => void }
) =>
  way.kind === "http"
    ? Effect.sync((): Transport => httpTransport(way.url, token, isOver))
    : stdioTransport(
        { name: "the editor's companion" },
        { ...way, cwd: place.cwd, env: childVariables({ inherits: defined(place.env) }) }
      ).pipe(Effect.mapError(fault))

const defined = (env: DiscoveryPlace["env"]): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])))

const httpTransport = (url: string, token: string | undefined, isOver: () => void): Transport => {
  // A tool may take as long as a person does; every request has a limit of its own.
  const send = fetchThrough(Http.make({ variables: {} }), { maxBytes: MAX_MESSAGE_BYTES })
  return new StreamableHTTPClientTransport(new URL(url), {
    requestInit: token === undefined ? {} : { headers: { authorization: `Bearer ${token}` } },
    // A lost connection is looked for anew with the next prompt: the editor may have another port by then.
    reconnectionOptions: {
      maxRetries: 0,
      initialReconnectionDelay: 1,
      maxReconnectionDelay: 1,
      reconnectionDelayGrowFactor: 1
    },
    fetch: async (target, init) => {
      if (init?.method !== "GET") return await send(target, init)
      // Some servers answer with the first notification only; until then the request is the connection.
      const response = await send(target, init).catch((cause: unknown) => {
        isOver()
        throw cause
      })
      return response.ok && response.body !== null ? watched(response, response.body, isOver) : response
    }
  })
}

/** The same answer; whoever made it hears of its end. */
const watched = (response: Response, body: ReadableStream<Uint8Array>, onEnd: () => void): Response => {
  const reader = body.getReader()
  const told = new ReadableStream<Uint8Array>({
    pull: async (controller) => {
      try {
        const { done, value } = await reader.read()
        if (!done) return controller.enqueue(value)
        onEnd()
        controller.close()
      } catch (cause) {
        onEnd()
        controller.error(cause)
      }
    },
    cancel: (reason) => reader.cancel(reason)
  })
  return new Response(told, { status: response.status, headers: response.headers })
}

const fault = (cause: unknown): NoCompanion => {
  if (Predicate.hasProperty(cause, "code") && (cause.code === 401 || cause.code === 403)) {
    return new NoCompanion({ detail: "it refuses the token. Open a new terminal in the editor" })
  }
  const [said = ""] = messageOf(cause).split("\n", 1)
  return new NoCompanion({ detail: said })
}
