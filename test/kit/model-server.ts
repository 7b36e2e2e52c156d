/**
 * The scripted model: a loopback server that speaks the REST API of Gemini and Vertex AI, gives the next reply of its
 * script to each generation call, and keeps every request for the test to look at.
 *
 * `node:http`, because a test needs the socket itself: to cut it, to reset it, and to see that the client left.
 */
import { once } from "node:events"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { errorBody, googleError } from "./google-errors.ts"
import { type Strictness, violationOf } from "./history-rules.ts"
import { answer, chunk, finish, type Reply, text } from "./replies.ts"
import { bodyOf, piecesOf } from "./reply-bytes.ts"

export interface ModelRequest {
  readonly method: string
  readonly path: string
  readonly query: URLSearchParams
  readonly headers: Readonly<Record<string, string>>
  /** The parsed JSON body; the text where it is not JSON. */
  readonly body: unknown
  /** Last segment of the resource: `gemini-3.5-flash`. */
  readonly model: string | undefined
  /** What follows the colon: `streamGenerateContent`. */
  readonly operation: string | undefined
  /** The client closed the connection before the reply was complete. */
  readonly aborted: boolean
}

export type Script = ReadonlyArray<Reply> | ((request: ModelRequest, index: number) => Reply)

export interface ModelServer extends AsyncDisposable {
  readonly url: string
  /** Every request, in order of arrival. */
  readonly requests: ReadonlyArray<ModelRequest>
  /** Only those that ask for an answer. */
  readonly generations: ReadonlyArray<ModelRequest>
  /** Resolves when that many requests have arrived. */
  readonly received: (count: number) => Promise<void>
  /** Resolves when a client has closed a connection before its reply was complete. */
  readonly someoneLeft: () => Promise<void>
  readonly close: () => Promise<void>
}

export interface ServerOptions {
  /** Requests that the real API would refuse get a 400 instead of the next reply. */
  readonly strict?: boolean | Strictness
  /**
   * Which model answers a prompt is asked of a small model first. That question belongs to no script and gets the same
   * answer always (a hard prompt), unless a test is about it: then it is a call like all others.
   */
  readonly classifier?: "scripted"
}

export const startModelServer = async (script: Script, options: ServerOptions = {}): Promise<ModelServer> => {
  const requests: Array<Mutable<ModelRequest>> = []
  let generationCount = 0
  const wake = new EventTarget()

  const replyTo = (request: ModelRequest): Reply => {
    if (!isGeneration(request)) return sideReply(request)
    const violation = options.strict ? violationOf(request.body, strictnessOf(options.strict)) : undefined
    if (violation !== undefined) return googleError(400, violation)
    const index = generationCount++
    if (typeof script === "function") return script(request, index)
    return script[index] ?? googleError(400, `the script has ${script.length} replies, and this is call ${index + 1}`)
  }

  const server = createServer((incoming, outgoing) => {
    const serve = async () => {
      const request = await read(incoming)
      if (options.classifier !== "scripted" && isClassifying(request)) return await send(HARD, request, outgoing)
      requests.push(request)
      outgoing.once("close", () => {
        request.aborted = !outgoing.writableFinished && !hungUp.has(outgoing)
        wake.dispatchEvent(new Event("change"))
      })
      wake.dispatchEvent(new Event("change"))
      await send(replyTo(request), request, outgoing)
    }
    // A client that goes away while we write is an expected end, not a failure of the server.
    serve().catch(() => outgoing.destroy())
  })

  const until = async (isReached: () => boolean): Promise<void> => {
    while (!isReached()) await once(wake, "change")
  }
  const close = async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  }

  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    get generations() {
      return requests.filter(isGeneration)
    },
    received: (count) => until(() => requests.length >= count),
    someoneLeft: () => until(() => requests.some((request) => request.aborted)),
    close,
    [Symbol.asyncDispose]: close
  }
}

type Mutable<T> = { -readonly [Key in keyof T]: T[Key] }

/** Connections that the script itself broke: their end says nothing about the client. */
const hungUp = new WeakSet<ServerResponse>()

const strictnessOf = (strict: true | Strictness): Strictness => (strict === true ? {} : strict)

const isGeneration = (request: ModelRequest): boolean =>
  request.operation === "streamGenerateContent" || request.operation === "generateContent"

/** By the field that the answer must have: a number for newer models, a word for older ones. */
const isClassifying = (request: ModelRequest): boolean =>
  request.operation === "generateContent" && /"(?:complexity_score|model_choice)"/.test(JSON.stringify(request.body))

const RESOURCE =
  /^\/(?:[a-z0-9]+\/)?(?:projects\/[^/]+\/locations\/[^/]+\/)?(?:publishers\/google\/)?models\/([^/:]+):([A-Za-z]+)$/

const read = async (incoming: IncomingMessage): Promise<Mutable<ModelRequest>> => {
  const pieces: Array<Uint8Array> = []
  for await (const piece of incoming) pieces.push(piece)
  const url = new URL(incoming.url ?? "/", "http://loopback")
  const [, model, operation] = RESOURCE.exec(decodeURIComponent(url.pathname)) ?? []
  const headers = Object.entries(incoming.headers).map(([name, value]) => [name, String(value)] as const)
  return {
    method: incoming.method ?? "",
    path: url.pathname,
    query: url.searchParams,
    headers: Object.fromEntries(headers),
    body: parsed(Buffer.concat(pieces).toString("utf8")),
    model,
    operation,
    aborted: false
  }
}

const parsed = (body: string): unknown => {
  try {
    return JSON.parse(body)
  } catch {
    return body
  }
}

/** Calls that are not part of a conversation have one obvious answer each. */
const sideReply = (request: ModelRequest): Reply => {
  const size = JSON.stringify(request.body).length
  switch (request.operation) {
    case "countTokens":
      return json({ totalTokens: Math.ceil(size / 4) })
    case "embedContent":
      return json({ embedding: { values: [0.25, 0.5, 0.25] } })
    case "batchEmbedContents":
      return json({ embeddings: listIn(request.body, "requests").map(() => ({ values: [0.25, 0.5, 0.25] })) })
    case "predict":
      return json({
        predictions: listIn(request.body, "instances").map(() => ({ embeddings: { values: [0.25, 0.5, 0.25] } }))
      })
  }
  if (request.method === "GET" && request.path.endsWith("/models")) return modelsPage(request)
  const [, asked] = /\/models\/([^/:]+)$/.exec(request.path) ?? []
  if (request.method === "GET" && asked !== undefined && OFFERED.includes(asked))
    return json({ name: `models/${asked}` })
  // The token endpoint that a service-account file of a test names.
  if (request.path === "/token") return json({ access_token: "scripted-token", expires_in: 3600, token_type: "Bearer" })
  return json(errorBody(404, `no such resource: ${request.method} ${request.path}`), 404)
}

/** What the service offers, in two pages; Vertex AI has another word for it and names no limits. */
export const OFFERED = ["gemini-3.5-flash", "gemini-2.5-flash", "gemini-9-ultra"]

const modelsPage = ({ path, query }: ModelRequest): Reply => {
  const isVertex = path.includes("/publishers/google/")
  const all = [
    ...OFFERED.map((id) =>
      isVertex
        ? { name: `publishers/google/models/${id}` }
        : {
            name: `models/${id}`,
            inputTokenLimit: id === "gemini-2.5-flash" ? 2_000_000 : 1_048_576,
            outputTokenLimit: 65_536,
            supportedGenerationMethods: ["generateContent", "countTokens"]
          }
    ),
    ...(isVertex ? [] : [{ name: "models/embedding-9", supportedGenerationMethods: ["embedContent"] }])
  ]
  const isFirst = query.get("pageToken") === null
  const page = isFirst ? all.slice(0, 2) : all.slice(2)
  return json({ [isVertex ? "publisherModels" : "models"]: page, ...(isFirst ? { nextPageToken: "2" } : {}) })
}

/** In the words of both classifiers, and for nothing: a test counts the tokens of its own script. */
const HARD: Reply = answer([
  chunk(text('{ "complexity_reasoning": "", "complexity_score": 100, "reasoning": "", "model_choice": "pro" }')),
  finish("STOP")
])

/** The client has read enough for more, or has left. */
const drained = async (outgoing: ServerResponse): Promise<void> => {
  const waiting = new AbortController()
  const options = { signal: waiting.signal }
  await Promise.race([once(outgoing, "drain", options), once(outgoing, "close", options)])
  waiting.abort()
}

const listIn = (body: unknown, key: string): ReadonlyArray<unknown> => {
  const value = body instanceof Object && key in body ? (body as Record<string, unknown>)[key] : []
  return Array.isArray(value) ? value : []
}

const json = (value: unknown, status = 200): Reply => ({
  _tag: "Raw",
  status,
  headers: { "content-type": "application/json; charset=UTF-8" },
  body: JSON.stringify(value)
})

const send = async (reply: Reply, request: ModelRequest, outgoing: ServerResponse): Promise<void> => {
  const { body, headers, status } = bodyOf(reply, request.operation === "streamGenerateContent")
  const ending = reply.ending ?? "end"
  if (reply.delayMs !== undefined) await Bun.sleep(reply.delayMs)
  // Without a length the body is chunked, so that a client can tell a cut from an end.
  outgoing.writeHead(status, headers)
  outgoing.flushHeaders()
  outgoing.socket?.setNoDelay(true)
  for (const piece of piecesOf(body, reply.splitAt)) {
    if (outgoing.destroyed) return
    if (!outgoing.write(piece)) await drained(outgoing)
    // One turn of the event loop for each piece, so that it leaves by itself.
    await Bun.sleep(reply.gapMs ?? 0)
  }
  await reply.endsAfter
  if (ending === "hang") return
  if (ending === "end") return void outgoing.end()
  hungUp.add(outgoing)
  if (ending === "reset") outgoing.socket?.resetAndDestroy()
  else outgoing.socket?.destroy()
}
