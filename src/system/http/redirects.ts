/**
 * Where a redirect leads, and what goes along. Headers are meant for one party: on the way to another only those that say
 * nothing about anybody are sent, and a body goes to nobody else at all. Pure, but for the loop that follows.
 */
import { type Duration, Effect, type Scope } from "effect"
import { type HttpClient, type HttpRequest, open } from "./http.ts"
import { HttpError, placeOf } from "./http-error.ts"

const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308])
const HARMLESS: ReadonlySet<string> = new Set(["accept", "accept-encoding", "accept-language", "user-agent"])

/** The next request; `undefined`: this is the answer; a text: why it cannot be followed. */
export const nextRequest = (
  { body, headers, method = "GET", url }: HttpRequest,
  response: Pick<Response, "status" | "headers">
): HttpRequest | string | undefined => {
  const location = REDIRECTS.has(response.status) ? response.headers.get("location") : null
  if (location === null) return undefined
  const target = URL.parse(location, url.href)
  if (target === null || !isOnTheNet(target)) return `it leads to ${location}, which is not on the net`
  target.username = ""
  target.password = ""
  const isSame = isSameParty(url, target)
  const sends = method !== "GET" && method !== "HEAD"
  const asksAnew = sends && response.status < 307
  if (sends && !asksAnew && !isSame) return `it would have what was sent go to ${target.host}`
  return {
    url: target,
    method: asksAnew ? "GET" : method,
    headers: [...new Headers(headers)].filter(
      ([name]) => (isSame || HARMLESS.has(name)) && !(asksAnew && name.startsWith("content-"))
    ),
    body: asksAnew ? undefined : body
  }
}

export const isOnTheNet = ({ protocol }: URL): boolean => protocol === "http:" || protocol === "https:"

/** The same host and port, never with less protection: a host that sends us to its own https is the same. */
export const isSameParty = (from: URL, to: URL): boolean =>
  from.origin === to.origin ||
  (from.hostname === to.hostname &&
    from.protocol === "http:" &&
    to.protocol === "https:" &&
    from.port === "" &&
    to.port === "")

export interface FollowOptions {
  /** For each answer on the way. */
  readonly answerWithin: Duration.Duration
  readonly maxRedirects?: number
  /** Headers that depend on where a request goes; they are added at every step. */
  readonly headersFor?: (url: URL) => Readonly<Record<string, string>>
}

export const MAX_REDIRECTS = 5

/** `open`, and wherever it leads. */
export const follow = Effect.fnUntraced(function* (
  http: HttpClient,
  first: HttpRequest,
  { answerWithin, headersFor = () => ({}), maxRedirects = MAX_REDIRECTS }: FollowOptions
): Effect.fn.Return<Response, HttpError, Scope.Scope> {
  let request = first
  for (let hop = 0; ; hop += 1) {
    const headers = new Headers(request.headers)
    for (const [name, value] of Object.entries(headersFor(request.url))) headers.set(name, value)
    const response = yield* open(http, { ...request, headers }, answerWithin)
    const next = nextRequest(request, response)
    if (next === undefined) return response
    if (typeof next === "string") return yield* refusal(request.url, next)
    if (hop === maxRedirects) return yield* refusal(first.url, `more than ${maxRedirects} redirects`)
    yield* Effect.promise(() => leave(response))
    request = next
  }
})

/** Nobody reads it. That it cannot be left is no reason to fail. */
export const leave = async ({ body }: Response): Promise<void> => {
  await body?.cancel().catch(() => {})
}

const refusal = (url: URL, detail: string) => new HttpError({ kind: "redirect", url: placeOf(url), detail })
