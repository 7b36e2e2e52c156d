/** `fetch` for remote agents: signed; what is refused is signed anew and tried again. */
import { type Fetch, fetchThrough } from "../../system/http/fetch-door.ts"
import type { HttpClient } from "../../system/http/http.ts"
import type { Headers as SignedHeaders } from "./auth-headers.ts"

export interface Signing {
  readonly headers: (url: URL, signal: AbortSignal | undefined) => Promise<SignedHeaders>
  /** What was sent is refused. False: there is nothing else to send. May take a login: `signal` ends it. */
  readonly renew: (url: URL, signal: AbortSignal | undefined) => Promise<boolean>
}

export interface RemoteFetchOptions extends Signing {
  readonly http: HttpClient
}

/** Of an answer, or of one event in a stream of them. */
const MAX_ANSWER_BYTES = 64 * 1024 * 1024

export const MAX_RENEWALS = 2

export const remoteFetch = ({ headers, http, renew }: RemoteFetchOptions): Fetch => {
  // An agent may work for long before it says anything; whoever calls it has a limit.
  const send = fetchThrough(http, { maxBytes: MAX_ANSWER_BYTES })
  return async (input, init = {}) => {
    const url = new URL(input instanceof Request ? input.url : input)
    const signal = init.signal ?? undefined
    for (let renewals = 0; ; renewals++) {
      const all = new Headers(init.headers)
      for (const [name, value] of Object.entries(await headers(url, signal))) all.set(name, value)
      const response = await send(url, { ...init, headers: all })
      const isRefused = response.status === 401 || response.status === 403
      if (!isRefused || renewals >= MAX_RENEWALS || !(await renew(url, signal))) return response
      await response.body?.cancel()
    }
  }
}
