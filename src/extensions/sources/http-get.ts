/** A bounded GET: redirects, proxy, patience and size are the same for everything that is fetched about extensions. */
import { Effect } from "effect"
import { codeOf } from "../../kernel/atomic-write.ts"
import { proxyFor } from "../../kernel/proxy.ts"
import { ExtensionError } from "../extension-error.ts"

export interface HttpContext {
  readonly variables: Readonly<Record<string, string>>
}

const MAX_REDIRECTS = 10
const ANSWER_WITHIN = "30 seconds"
const MAX_ANSWER_BYTES = 16 * 1024 * 1024

/** Redirects are followed by hand: the token stays with the host that it was meant for. */
export const get = Effect.fnUntraced(function* (first: string, accept: string, { variables }: HttpContext) {
  const home = hostOf(first)
  let url = first
  for (let hop = 0; hop <= MAX_REDIRECTS; hop += 1) {
    const response = yield* request(url, accept, hostOf(url) === home ? (variables.GITHUB_TOKEN ?? "") : "", variables)
    const next = response.status >= 300 && response.status < 400 ? response.headers.get("location") : null
    if (next === null) return response
    url = new URL(next, url).href
  }
  return yield* unreachable(first, `more than ${MAX_REDIRECTS} redirects`)
})

const request = (url: string, accept: string, token: string, variables: HttpContext["variables"]) =>
  Effect.tryPromise({
    try: (signal) => {
      const proxy = proxyFor(new URL(url), variables)
      return fetch(url, {
        redirect: "manual",
        signal,
        headers: {
          accept,
          "user-agent": "gemini-cli",
          ...(token === "" ? {} : { authorization: `token ${token}` })
        },
        ...(proxy === undefined ? {} : { proxy })
      })
    },
    catch: (cause) => unreachable(url, codeOf(cause) === "unknown" ? String(cause) : codeOf(cause))
  }).pipe(Effect.timeoutFail({ duration: ANSWER_WITHIN, onTimeout: () => unreachable(url, "it does not answer") }))

const hostOf = (url: string): string => {
  try {
    return new URL(url).host
  } catch {
    return ""
  }
}

/** The whole answer. */
export const textOf = (response: Response, url: string): Effect.Effect<string, ExtensionError> =>
  Effect.tryPromise({
    try: () => boundedText(response),
    catch: (cause) => unreachable(url, String(cause))
  })

const boundedText = async (response: Response): Promise<string> => {
  const decoder = new TextDecoder()
  let [text, total] = ["", 0]
  for await (const piece of response.body ?? []) {
    total += piece.length
    if (total > MAX_ANSWER_BYTES) throw new RangeError("the answer is too large")
    text += decoder.decode(piece, { stream: true })
  }
  return text + decoder.decode()
}

export const unreachable = (url: string, reason: string): ExtensionError =>
  new ExtensionError({
    kind: "source",
    detail: `${url} cannot be fetched: ${reason}.`,
    advice: "Check the address and the connection, and try again."
  })
