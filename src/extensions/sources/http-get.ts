/** A bounded GET: redirects, proxy, patience and size are the same for everything that is fetched about extensions. */
import { Effect } from "effect"
import { codeOf } from "../../kernel/atomic-write.ts"
import { proxyFor } from "../../kernel/proxy.ts"
import { ExtensionError } from "../extension-error.ts"

export interface HttpContext {
  /** They name the proxy. */
  readonly variables: Readonly<Record<string, string>>
  /** A token, and the only origin that gets to see it. */
  readonly login?: { readonly origin: string; readonly token: string } | undefined
}

const MAX_REDIRECTS = 10
const ANSWER_WITHIN = "30 seconds"
const MAX_ANSWER_BYTES = 16 * 1024 * 1024

/** Redirects are followed by hand: the token stays where it is meant for, and no server sends us to our own files. */
export const get = Effect.fnUntraced(function* (first: string, accept: string, context: HttpContext) {
  let url = first
  for (let hop = 0; hop <= MAX_REDIRECTS; hop += 1) {
    const place = URL.parse(url)
    if (place === null || !/^https?:$/.test(place.protocol)) return yield* unreachable(url, "it is not on the net")
    const response = yield* request(place, accept, context)
    const next = response.status >= 300 && response.status < 400 ? response.headers.get("location") : null
    if (next === null) return response
    url = URL.parse(next, url)?.href ?? next
  }
  return yield* unreachable(first, `more than ${MAX_REDIRECTS} redirects`)
})

const request = (url: URL, accept: string, { login, variables }: HttpContext) =>
  Effect.tryPromise({
    try: (signal) => {
      const proxy = proxyFor(url, variables)
      return fetch(url, {
        redirect: "manual",
        signal,
        headers: {
          accept,
          "user-agent": "gemini-cli",
          ...(login?.origin === url.origin ? { authorization: `token ${login.token}` } : {})
        },
        ...(proxy === undefined ? {} : { proxy })
      })
    },
    catch: (cause) => unreachable(url.href, codeOf(cause) === "unknown" ? String(cause) : codeOf(cause))
  }).pipe(Effect.timeoutFail({ duration: ANSWER_WITHIN, onTimeout: () => unreachable(url.href, "it does not answer") }))

/** The whole answer. */
export const textOf = (response: Response, url: string): Effect.Effect<string, ExtensionError> =>
  Effect.tryPromise({
    try: (signal) => boundedText(response, signal),
    catch: (cause) => unreachable(url, String(cause))
  }).pipe(Effect.timeoutFail({ duration: ANSWER_WITHIN, onTimeout: () => unreachable(url, "its answer does not end") }))

const boundedText = async (response: Response, signal: AbortSignal): Promise<string> => {
  const decoder = new TextDecoder()
  let [text, total] = ["", 0]
  for await (const piece of piecesOf(response, signal)) {
    total += piece.length
    if (total > MAX_ANSWER_BYTES) throw new RangeError("the answer is too large")
    text += decoder.decode(piece, { stream: true })
  }
  return text + decoder.decode()
}

/** The body as it comes. Whoever stops, or is stopped, ends the connection too. */
export const piecesOf = async function* (
  { body }: Response,
  signal: AbortSignal
): AsyncGenerator<Uint8Array<ArrayBuffer>, void> {
  const reader = body?.getReader()
  if (reader === undefined) return
  const leave = () => void reader.cancel().catch(() => {})
  signal.addEventListener("abort", leave, { once: true })
  try {
    for (;;) {
      const { done, value } = await reader.read()
      signal.throwIfAborted()
      if (done) return
      yield value
    }
  } finally {
    signal.removeEventListener("abort", leave)
    leave()
  }
}

export const unreachable = (url: string, reason: string): ExtensionError =>
  new ExtensionError({
    kind: "source",
    detail: `${url} cannot be fetched: ${reason}.`,
    advice: "Check the address and the connection, and try again."
  })
