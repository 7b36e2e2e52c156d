/** `fetch` for remote agents: through the proxy of the run and signed; what is refused is signed anew and tried again. */
import { proxyFor } from "../../kernel/proxy.ts"
import type { Headers as SignedHeaders } from "./auth-headers.ts"

export interface Signing {
  readonly headers: (url: URL, signal: AbortSignal | undefined) => Promise<SignedHeaders>
  /** What was sent is refused. False: there is nothing else to send. May take a login: `signal` ends it. */
  readonly renew: (url: URL, signal: AbortSignal | undefined) => Promise<boolean>
}

export interface RemoteFetchOptions extends Signing {
  /** They name the proxy. */
  readonly variables: Readonly<Record<string, string>>
}

export type RemoteFetch = (input: string | URL | Request, init?: RequestInit) => Promise<Response>

export const MAX_RENEWALS = 2

export const remoteFetch =
  ({ headers, renew, variables }: RemoteFetchOptions): RemoteFetch =>
  async (input, init = {}) => {
    const url = new URL(input instanceof Request ? input.url : input)
    const proxy = proxyFor(url, variables)
    const signal = init.signal ?? undefined
    for (let renewals = 0; ; renewals++) {
      const all = new Headers(init.headers)
      for (const [name, value] of Object.entries(await headers(url, signal))) all.set(name, value)
      const response = await fetch(url, { ...init, headers: all, ...(proxy === undefined ? {} : { proxy }) })
      const isRefused = response.status === 401 || response.status === 403
      if (!isRefused || renewals >= MAX_RENEWALS || !(await renew(url, signal))) return response
      await response.body?.cancel()
    }
  }
