/**
 * One GET request without redirects, its body bounded. Directly it goes through `node:http`, whose `lookup` pins the
 * connection to an address while the certificate is still checked against the name; `fetch` cannot do both.
 */
import type { IncomingMessage } from "node:http"
import type { LookupFunction } from "node:net"
import { Effect } from "effect"
import { httpSpan } from "../../telemetry/http-span.ts"
import { WebError } from "./web-error.ts"

export interface HttpAnswer {
  readonly status: number
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array
}

const MAX_BYTES = 10 * 1024 * 1024
const USER_AGENT = "Mozilla/5.0 (compatible; gemini-fx)"

const headersFor = (accept: string) => ({ "User-Agent": USER_AGENT, Accept: accept, "Accept-Encoding": "gzip" })

export const requestDirectly = (
  url: URL,
  addresses: ReadonlyArray<string>,
  accept: string
): Effect.Effect<HttpAnswer, WebError> =>
  Effect.promise(() => (url.protocol === "https:" ? import("node:https") : import("node:http"))).pipe(
    Effect.flatMap((transport) =>
      Effect.async<IncomingMessage, WebError>((resume, signal) => {
        const request = transport.request(
          url,
          { headers: headersFor(accept), lookup: pinnedTo(addresses), agent: false, signal },
          (response) => resume(Effect.succeed(response))
        )
        request.on("error", (cause) => resume(networkError(url, cause)))
        request.end()
        return Effect.sync(() => request.destroy())
      })
    ),
    Effect.flatMap((response) =>
      readBody(url, response, flatHeaders(response.headers)).pipe(
        Effect.ensuring(Effect.sync(() => response.destroy())),
        Effect.map((answer) => ({ ...answer, status: response.statusCode ?? 0 }))
      )
    ),
    httpSpan("GET", url)
  )

export const requestThroughProxy = (url: URL, proxy: string, accept: string): Effect.Effect<HttpAnswer, WebError> =>
  Effect.acquireUseRelease(
    Effect.sync(() => new AbortController()),
    ({ signal }) =>
      Effect.gen(function* () {
        const response = yield* Effect.tryPromise({
          try: () => fetch(url, { headers: headersFor(accept), redirect: "manual", proxy, signal, decompress: false }),
          catch: (cause) => networkError(url, cause)
        })
        const answer = yield* readBody(url, response.body ?? [], Object.fromEntries(response.headers))
        return { ...answer, status: response.status }
      }),
    // Closes a connection whose body was not read to its end.
    (controller) => Effect.sync(() => controller.abort())
  ).pipe(httpSpan("GET", url))

/** The answer of a resolver that knows the judged addresses and nothing else. */
const pinnedTo =
  (addresses: ReadonlyArray<string>): LookupFunction =>
  (_name, options, answer) => {
    const all = addresses.map((address) => ({ address, family: address.includes(":") ? 6 : 4 }))
    const [first] = all
    if (options.all === true || first === undefined) answer(null, all)
    else answer(null, first.address, first.family)
  }

const readBody = Effect.fnUntraced(function* (
  url: URL,
  source: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  headers: Readonly<Record<string, string>>
) {
  if (Number(headers["content-length"] ?? 0) > MAX_BYTES) return yield* tooLarge(url)
  const raw = yield* Effect.tryPromise({
    try: async (signal) => {
      const chunks: Array<Uint8Array> = []
      let size = 0
      for await (const chunk of source) {
        size += chunk.length
        if (size > MAX_BYTES || signal.aborted) return undefined
        chunks.push(chunk)
      }
      return Buffer.concat(chunks)
    },
    catch: (cause) => networkError(url, cause)
  })
  if (raw === undefined) return yield* tooLarge(url)
  return { headers, body: yield* decompressed(url, raw, headers["content-encoding"]) }
})

/** Small compressed bodies can hide huge ones: the bound holds for what comes out. */
const decompressed = (url: URL, body: Buffer, encoding = ""): Effect.Effect<Uint8Array, WebError> => {
  const method = encoding.trim().toLowerCase()
  if (method === "" || method === "identity") return Effect.succeed(body)
  return Effect.tryPromise({
    try: async () => {
      const zlib = await import("node:zlib")
      const options = { maxOutputLength: MAX_BYTES }
      if (method === "br") return zlib.brotliDecompressSync(body, options)
      return method === "deflate" ? zlib.inflateSync(body, options) : zlib.gunzipSync(body, options)
    },
    catch: () =>
      new WebError({ kind: "too-large", url: url.href, detail: "the compressed body is broken or too large" })
  })
}

const tooLarge = (url: URL) =>
  new WebError({ kind: "too-large", url: url.href, detail: "the body is larger than 10 MB" })

const networkError = (url: URL, cause: unknown) =>
  new WebError({ kind: "network", url: url.href, detail: cause instanceof Error ? cause.message : String(cause) })

const flatHeaders = (headers: NodeJS.Dict<string | ReadonlyArray<string>>): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      value === undefined ? [] : [[name.toLowerCase(), typeof value === "string" ? value : value.join(", ")]]
    )
  )
