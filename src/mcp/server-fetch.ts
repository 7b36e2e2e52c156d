/**
 * `fetch` for remote servers: through the proxy of the run, signed, and bounded. The SDK reads whole bodies and whole
 * events into memory, so both are counted here.
 */
import { Predicate } from "effect"
import { proxyFor } from "../kernel/proxy.ts"
import { MAX_MESSAGE_BYTES } from "./message-lines.ts"
import type { Signature } from "./server-auth.ts"

export type Fetch = (url: string | URL, init?: RequestInit) => Promise<Response>

export interface ServerFetchOptions {
  readonly variables: Readonly<Record<string, string>>
  /** Its headers are those of the settings and of the login. */
  readonly sign: () => Promise<Signature>
  /** Called with each answer that is a refusal. */
  readonly onRefusal: (response: Response) => void
}

export const serverFetch =
  ({ onRefusal, sign, variables }: ServerFetchOptions): Fetch =>
  async (url, init = {}) => {
    const target = new URL(url)
    const { headers, query } = await sign()
    if (query !== undefined) target.searchParams.set(query.name, query.value)
    const proxy = proxyFor(target, variables)
    const signed = new Headers(init.headers)
    for (const [name, value] of Object.entries(headers)) if (!signed.has(name)) signed.set(name, value)
    const request: BunFetchRequestInit = { ...init, headers: signed, ...(proxy === undefined ? {} : { proxy }) }
    const response = await fetch(target, request)
    if (!response.ok) onRefusal(response)
    // Some servers answer 404 where the protocol asks for 405: they have no stream of their own.
    if (init.method === "GET" && response.status === 404 && isStreamRequest(signed)) {
      return new Response(null, { status: 405, headers: response.headers })
    }
    return response.body === null ? response : bounded(response, response.body)
  }

const isStreamRequest = (headers: Headers): boolean =>
  headers.get("accept") === "text/event-stream" && headers.has("mcp-protocol-version")

/** An answer or an event larger than any message may be is an error, not a reason to run out of memory. */
export class AnswerTooLarge extends Error {
  override readonly name = "AnswerTooLarge"
}

export const isTooLarge = (cause: unknown): boolean =>
  Predicate.isError(cause) && (cause.name === "AnswerTooLarge" || isTooLarge(cause.cause))

const NEWLINE = 10

const bounded = (response: Response, body: ReadableStream<Uint8Array>): Response => {
  const isStream = response.headers.get("content-type")?.includes("text/event-stream") === true
  let held = 0
  const counting = new TransformStream<Uint8Array, Uint8Array>({
    transform: (chunk, controller) => {
      // Each event stands on one line of the stream.
      const newline = isStream ? chunk.lastIndexOf(NEWLINE) : -1
      held = newline === -1 ? held + chunk.length : chunk.length - newline
      if (held > MAX_MESSAGE_BYTES) controller.error(new AnswerTooLarge("the answer is too large"))
      else controller.enqueue(chunk)
    }
  })
  return new Response(body.pipeThrough(counting), {
    status: response.status,
    statusText: response.statusText,
    headers: response.headers
  })
}
