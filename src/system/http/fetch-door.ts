/**
 * The network for foreign code that wants a `fetch`: the same rules as for our own requests. What such code forgets to
 * bound is bounded here, by the clock of the runtime: what calls us runs on no other.
 */
import { Duration } from "effect"
import type { HttpClient, HttpRequest } from "./http.ts"
import { HttpError, placeOf } from "./http-error.ts"
import { isOnTheNet, leave, MAX_REDIRECTS, nextRequest } from "./redirects.ts"
import { CONNECTED_WITHIN, canConnect, noAnswer, notConnected, passed, placeToConnect } from "./slow-answer.ts"

export type Fetch = (input: string | URL | Request, init?: RequestInit) => Promise<Response>

export interface DoorBounds {
  /** The longest wait for status and headers. Absent: whoever asks bounds it. */
  readonly answerWithin?: Duration.Duration
  /** The longest silence inside of a body. Absent: some answers are streams of events that may never come. */
  readonly gap?: Duration.Duration
  /** Of a body, or of one line in a stream of events. */
  readonly maxBytes: number
}

export const fetchThrough =
  (http: HttpClient, bounds: DoorBounds): Fetch =>
  async (input, init = {}) => {
    const { signal, ...first } =
      input instanceof Request ? await partsOf(input, init) : { ...init, url: new URL(input) }
    let request = requestOf(first)
    for (let hop = 0; ; hop += 1) {
      if (!isOnTheNet(request.url)) throw refused(request.url, "it is not on the net")
      const response = await answerTo(http, request, bounds, signal)
      const next = init.redirect === "manual" ? undefined : nextRequest(request, response)
      if (next === undefined) return counted(response, request.url, bounds.maxBytes)
      await leave(response)
      if (typeof next === "string") throw refused(request.url, next)
      if (hop === MAX_REDIRECTS) throw refused(request.url, `more than ${MAX_REDIRECTS} redirects`)
      request = next
    }
  }

const answerTo = async (
  http: HttpClient,
  { body, headers = {}, method = "GET", url }: HttpRequest,
  { answerWithin, gap }: DoorBounds,
  signal: AbortSignal | null | undefined
): Promise<Response> => {
  const late = new AbortController()
  let isAnswered = false
  const giveUp = (error: HttpError) => {
    if (!isAnswered) late.abort(error)
  }
  const asked = http.exchange(url, {
    method,
    headers,
    signal: signal === null || signal === undefined ? late.signal : AbortSignal.any([signal, late.signal]),
    ...(body === undefined ? {} : { body }),
    ...(gap === undefined ? {} : { timeout: Duration.toMillis(gap) })
  })
  void passed(Duration.toMillis(CONNECTED_WITHIN)).then(async () => {
    const place = placeToConnect(http, url)
    if (!isAnswered && !(await canConnect(place))) giveUp(notConnected(url, place))
  })
  if (answerWithin !== undefined) {
    void passed(Duration.toMillis(answerWithin)).then(() => giveUp(noAnswer(url, answerWithin)))
  }
  try {
    return await asked
  } finally {
    isAnswered = true
  }
}

const partsOf = async (given: Request, init: RequestInit) => ({
  method: given.method,
  headers: given.headers,
  signal: given.signal,
  ...(given.body === null ? {} : { body: await given.bytes() }),
  ...init,
  url: new URL(given.url)
})

/** Bodies are texts, bytes or files: a stream could not be sent a second time, and nobody here sends one. */
const requestOf = ({ body, headers, method, url }: RequestInit & { readonly url: URL }): HttpRequest => {
  if (body === undefined || body === null) return { url, method, headers }
  if (typeof body === "string") return { url, method, headers, body }
  if (body instanceof Blob) return { url, method, headers, body }
  if (body instanceof Uint8Array) return { url, method, headers, body: new Uint8Array(body) }
  if (!(body instanceof URLSearchParams)) throw new TypeError("a body has to be text or bytes")
  const typed = new Headers(headers)
  if (!typed.has("content-type")) typed.set("content-type", "application/x-www-form-urlencoded;charset=UTF-8")
  return { url, method, headers: typed, body: body.toString() }
}

const NEWLINE = 10

/** Foreign code reads whole bodies and whole events into memory. */
const counted = (response: Response, url: URL, maxBytes: number): Response => {
  if (response.body === null) return response
  const isStream = response.headers.get("content-type")?.includes("text/event-stream") === true
  let held = 0
  const counting = new TransformStream<Uint8Array, Uint8Array>({
    transform: (piece, controller) => {
      const newline = isStream ? piece.lastIndexOf(NEWLINE) : -1
      held = newline === -1 ? held + piece.length : piece.length - newline
      if (held <= maxBytes) controller.enqueue(piece)
      else {
        const detail = "the answer is too large"
        controller.error(new HttpError({ kind: "too-large", url: placeOf(url), detail }))
      }
    }
  })
  const { headers, status, statusText } = response
  return new Response(response.body.pipeThrough(counting), { status, statusText, headers })
}

const refused = (url: URL, detail: string) => new HttpError({ kind: "redirect", url: placeOf(url), detail })
