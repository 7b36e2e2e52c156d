/**
 * One GET request to a host whose address is already known and judged. It goes through `node:http`, whose `lookup` pins
 * the connection to that address while the certificate is still checked against the name; `fetch` cannot do both.
 */
import type { IncomingMessage } from "node:http"
import type { LookupFunction } from "node:net"
import { Effect } from "effect"
import { messageOf } from "../../kernel/cause-chain.ts"
import type { HttpClient } from "./http.ts"
import { HttpError, placeOf } from "./http-error.ts"

export interface PinnedRequest {
  readonly url: URL
  /** Never empty. Nothing else is connected to. */
  readonly addresses: ReadonlyArray<string>
  readonly headers: Readonly<Record<string, string>>
  /** Of the body, as it comes and as it is after decompression. */
  readonly maxBytes: number
}

export interface PinnedAnswer {
  readonly status: number
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array
}

/** Any status is an answer, redirects too. Whoever asks bounds the time. */
export const askPinned = (http: HttpClient, request: PinnedRequest): Effect.Effect<PinnedAnswer, HttpError> =>
  Effect.flatMap(answerTo(http, request), (response) => {
    const headers = flatHeaders(response.headers)
    return bodyOf(request, response, headers).pipe(
      Effect.map((body) => ({ status: response.statusCode ?? 0, headers, body })),
      Effect.ensuring(Effect.sync(() => response.destroy()))
    )
  })

const answerTo = Effect.fnUntraced(function* (http: HttpClient, { addresses, headers, url }: PinnedRequest) {
  const isSecure = url.protocol === "https:"
  const failed = (cause: unknown) =>
    new HttpError({ kind: "network", url: placeOf(url), detail: messageOf(cause), cause })
  const transport = yield* Effect.promise(() => (isSecure ? import("node:https") : import("node:http")))
  const ca = isSecure ? yield* Effect.tryPromise({ try: () => http.certificates(), catch: failed }) : undefined
  const lookup = pinnedTo(addresses)
  return yield* Effect.async<IncomingMessage, HttpError>((resume, signal) => {
    const request = transport.request(
      url,
      { headers, lookup, agent: false, signal, ...(ca === undefined ? {} : { ca: [...ca] }) },
      (response) => resume(Effect.succeed(response))
    )
    request.on("error", (cause) => resume(failed(cause)))
    request.end()
    return Effect.sync(() => request.destroy())
  })
})

/** The answer of a resolver that knows the judged addresses and nothing else. */
const pinnedTo =
  (addresses: ReadonlyArray<string>): LookupFunction =>
  (_name, options, answer) => {
    const all = addresses.map((address) => ({ address, family: address.includes(":") ? 6 : 4 }))
    const [first] = all
    if (options.all === true || first === undefined) answer(null, all)
    else answer(null, first.address, first.family)
  }

const bodyOf = Effect.fnUntraced(function* (
  { maxBytes, url }: PinnedRequest,
  source: AsyncIterable<Uint8Array>,
  headers: Readonly<Record<string, string>>
) {
  if (Number(headers["content-length"] ?? 0) > maxBytes) return yield* tooLarge(url)
  const raw = yield* Effect.tryPromise({
    try: async (signal) => {
      const chunks: Array<Uint8Array> = []
      let size = 0
      for await (const chunk of source) {
        size += chunk.length
        if (size > maxBytes || signal.aborted) return undefined
        chunks.push(chunk)
      }
      return Buffer.concat(chunks)
    },
    catch: (cause) => new HttpError({ kind: "network", url: placeOf(url), detail: messageOf(cause), cause })
  })
  return raw === undefined ? yield* tooLarge(url) : yield* decompressed(url, raw, headers["content-encoding"], maxBytes)
})

/** Small compressed bodies can hide huge ones: the bound holds for what comes out. */
const decompressed = (
  url: URL,
  body: Buffer,
  encoding = "",
  maxOutputLength: number
): Effect.Effect<Uint8Array, HttpError> => {
  const method = encoding.trim().toLowerCase()
  if (method === "" || method === "identity") return Effect.succeed(body)
  return Effect.tryPromise({
    try: async () => {
      const zlib = await import("node:zlib")
      const options = { maxOutputLength }
      if (method === "br") return zlib.brotliDecompressSync(body, options)
      return method === "deflate" ? zlib.inflateSync(body, options) : zlib.gunzipSync(body, options)
    },
    catch: () => tooLarge(url, "the compressed body is broken or too large")
  })
}

const tooLarge = (url: URL, detail = "the body is too large") =>
  new HttpError({ kind: "too-large", url: placeOf(url), detail })

const flatHeaders = (headers: NodeJS.Dict<string | ReadonlyArray<string>>): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      value === undefined ? [] : [[name.toLowerCase(), typeof value === "string" ? value : value.join(", ")]]
    )
  )
