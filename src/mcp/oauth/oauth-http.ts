/** Small requests of a login: bounded in time and size, with failures in words for people. */
import { Duration, Effect, Option, Schema } from "effect"

export type HttpFetch = (url: string, init?: RequestInit) => Promise<Response>

export interface HttpAnswer {
  readonly status: number
  readonly text: string
  readonly headers: Headers
}

const MAX_BODY = 1024 * 1024
export const METADATA_WITHIN = Duration.seconds(5)
const DEFAULT_WITHIN = Duration.seconds(30)

/** Fails with a reason; a refusal by status is an answer. */
export const ask = (
  fetch: HttpFetch,
  url: string,
  init: RequestInit = {},
  within: Duration.Duration = DEFAULT_WITHIN
): Effect.Effect<HttpAnswer, string> =>
  Effect.tryPromise({
    try: async (signal) => {
      const response = await fetch(url, { ...init, signal })
      const text = init.method === "HEAD" ? "" : (await response.text()).slice(0, MAX_BODY)
      return { status: response.status, text, headers: response.headers }
    },
    catch: (error) => `${hostOf(url)} cannot be reached: ${error instanceof Error ? error.message : String(error)}`
  }).pipe(
    Effect.timeoutFail({
      duration: within,
      onTimeout: () => `${hostOf(url)} did not answer within ${Duration.format(within)}`
    })
  )

/** A document that is not there, or is not what it should be, is `None`: the next place is tried. */
export const askFor = <A, I>(
  fetch: HttpFetch,
  url: string,
  schema: Schema.Schema<A, I>
): Effect.Effect<Option.Option<A>> =>
  ask(fetch, url, { headers: { accept: "application/json" } }, METADATA_WITHIN).pipe(
    Effect.map(({ status, text }) =>
      status === 200 ? Schema.decodeUnknownOption(Schema.parseJson(schema))(text) : Option.none()
    ),
    Effect.orElseSucceed(() => Option.none())
  )

const hostOf = (url: string): string => URL.parse(url)?.host ?? url
