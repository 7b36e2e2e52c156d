/**
 * A remote agent for tests over HTTP, served by the SDK itself as JSON-RPC or REST. It speaks the present version of the
 * protocol or the one before, and may want to know who calls.
 */
import { formatSSEEvent, SendMessageRequest, StreamResponse } from "@a2a-js/sdk"
import { LegacyJsonRpcTransportHandler, LegacyRestTransportHandler } from "@a2a-js/sdk/compat/v0_3/server"
import {
  DefaultRequestHandler,
  InMemoryTaskStore,
  JsonRpcTransportHandler,
  ServerCallContext
} from "@a2a-js/sdk/server"
import { type Binding, card, executor, modernCard, type Received, type Version } from "./a2a-agent.ts"
import type { Certificate } from "./certificate.ts"

export interface A2aServer extends AsyncDisposable {
  readonly url: string
  readonly port: number
  readonly cardUrl: string
  readonly received: ReadonlyArray<Received>
  /** Header of each request that was let in or refused. */
  readonly authorizations: ReadonlyArray<string>
}

export interface A2aOptions {
  readonly version?: Version
  readonly binding?: Exclude<Binding, "GRPC">
  /** `Authorization` that is let in; others get 401. */
  readonly accepts?: (authorization: string) => boolean
  /** The card is shown to callers that are let in only. */
  readonly hidesCard?: boolean
  /** Speaks TLS, and calls itself by this address. */
  readonly tls?: Pick<Certificate, "key" | "certificate"> & { readonly address: string }
}

export const startA2aServer = ({
  accepts = () => true,
  binding = "JSONRPC",
  hidesCard = false,
  tls,
  version = "1.0"
}: A2aOptions = {}): A2aServer => {
  const received: Array<Received> = []
  const authorizations: Array<string> = []
  const addressOf = () => tls?.address ?? server.url.href
  const served = new Map<string, Answering>()
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    ...(tls === undefined ? {} : { tls: { key: tls.key, cert: tls.certificate } }),
    fetch: async (request): Promise<Response> => {
      const authorization = request.headers.get("authorization") ?? request.headers.get("x-api-key") ?? ""
      authorizations.push(authorization)
      const isCard = request.method === "GET"
      if (!accepts(authorization) && (!isCard || hidesCard)) return new Response("who are you?", { status: 401 })
      const { pathname } = new URL(request.url)
      if (isCard) {
        return pathname === "/card.json" ? Response.json(card(addressOf(), { binding, version })) : gone()
      }
      const context = new ServerCallContext({ requestedVersion: version })
      const answer = await served.get("agent")?.(await request.text(), context, pathname)
      if (answer === undefined) return gone()
      return isStream(answer)
        ? new Response(events(answer), { headers: { "content-type": "text/event-stream" } })
        : Response.json(answer)
    }
  })
  const handler = new DefaultRequestHandler(
    modernCard(addressOf(), binding),
    new InMemoryTaskStore(),
    executor(received)
  )
  served.set("agent", binding === "JSONRPC" ? jsonRpc(handler, version) : rest(handler, version))
  return {
    url: addressOf(),
    port: server.port ?? 0,
    cardUrl: `${addressOf()}card.json`,
    received,
    authorizations,
    [Symbol.asyncDispose]: () => server.stop(true)
  }
}

/** `undefined`: there is nothing at that path. */
type Answering = (body: string, context: ServerCallContext, path: string) => Promise<unknown>

const jsonRpc = (handler: DefaultRequestHandler, version: Version): Answering => {
  const rpc = version === "1.0" ? new JsonRpcTransportHandler(handler) : new LegacyJsonRpcTransportHandler(handler)
  return (body, context) => rpc.handle(body, context)
}

const rest = (handler: DefaultRequestHandler, version: Version): Answering => {
  if (version === "1.0") {
    return async (body, context, path) =>
      path === "/message:stream"
        ? written(handler.sendMessageStream(SendMessageRequest.fromJSON(JSON.parse(body)), context))
        : undefined
  }
  const legacy = new LegacyRestTransportHandler(handler)
  return async (body, context, path) =>
    path === "/v1/message:stream" ? legacy.sendMessageStream(JSON.parse(body), context) : undefined
}

async function* written(answers: AsyncGenerator<StreamResponse>): AsyncGenerator<unknown> {
  for await (const answer of answers) yield StreamResponse.toJSON(answer)
}

const gone = () => new Response("no", { status: 404 })

const isStream = (answer: unknown): answer is AsyncGenerator<unknown> =>
  typeof answer === "object" && answer !== null && Symbol.asyncIterator in answer

const events = (answer: AsyncGenerator<unknown>): ReadableStream<Uint8Array> => {
  const encoder = new TextEncoder()
  return new ReadableStream({
    pull: async (controller) => {
      const { done, value } = await answer.next()
      if (done === true) controller.close()
      else controller.enqueue(encoder.encode(formatSSEEvent(value)))
    },
    cancel: async () => void (await answer.return(undefined))
  })
}
