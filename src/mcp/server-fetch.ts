/**
 * `fetch` for remote servers: signed, and bounded. The SDK reads whole bodies and whole events into memory, so both are
 * counted on the way.
 */
import { Duration, Predicate } from "effect"
import { fetchThrough } from "../system/http/fetch-door.ts"
import type { HttpClient } from "../system/http/http.ts"
import { HttpError } from "../system/http/http-error.ts"
import { MAX_MESSAGE_BYTES } from "./message-lines.ts"
import type { Signature } from "./server-auth.ts"

export type ServerFetch = (url: string | URL, init?: RequestInit) => Promise<Response>

export interface ServerFetchOptions {
  readonly http: HttpClient
  /** The limit of the server's own settings. */
  readonly timeoutMs: number
  /** Its headers are those of the settings and of the login. */
  readonly sign: () => Promise<Signature>
  /** Called with each answer that is a refusal. */
  readonly onRefusal: (response: Response) => void
}

export const serverFetch = ({ http, onRefusal, sign, timeoutMs }: ServerFetchOptions): ServerFetch => {
  // A server may be silent for hours between two notifications.
  const send = fetchThrough(http, { answerWithin: Duration.millis(timeoutMs), maxBytes: MAX_MESSAGE_BYTES })
  return async (url, init = {}) => {
    const target = new URL(url)
    const { headers, query } = await sign()
    if (query !== undefined) target.searchParams.set(query.name, query.value)
    const signed = new Headers(init.headers)
    for (const [name, value] of Object.entries(headers)) if (!signed.has(name)) signed.set(name, value)
    const response = await send(target, { ...init, headers: signed })
    if (!response.ok) onRefusal(response)
    // Some servers answer 404 where the protocol asks for 405: they have no stream of their own.
    return init.method === "GET" && response.status === 404 && isStreamRequest(signed)
      ? new Response(null, { status: 405, headers: response.headers })
      : response
  }
}

const isStreamRequest = (headers: Headers): boolean =>
  headers.get("accept") === "text/event-stream" && headers.has("mcp-protocol-version")

/** An answer or an event larger than any message may be is an error, not a reason to run out of memory. */
export const isTooLarge = (cause: unknown): boolean =>
  cause instanceof HttpError ? cause.kind === "too-large" : Predicate.isError(cause) && isTooLarge(cause.cause)
