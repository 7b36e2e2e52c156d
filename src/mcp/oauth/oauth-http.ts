/** Small requests of a login: bounded in time and size, with failures in words for people. */
import { Duration, Effect, Option, Schema } from "effect"
import { ask as askOnTheNet, type HttpAnswer } from "../../system/http/ask.ts"
import type { HttpClient, HttpRequest } from "../../system/http/http.ts"
import { isOnTheNet } from "../../system/http/redirects.ts"

const MAX_BODY = 1024 * 1024
export const METADATA_WITHIN = Duration.seconds(5)
const DEFAULT_WITHIN = Duration.seconds(30)

/** Fails with a reason; a refusal by status is an answer. */
export const ask = (
  http: HttpClient,
  text: string,
  request: Omit<HttpRequest, "url"> = {},
  within: Duration.Duration = DEFAULT_WITHIN
): Effect.Effect<HttpAnswer, string> =>
  Effect.suspend(() => {
    const url = URL.parse(text)
    if (url === null || !isOnTheNet(url)) return Effect.fail(`${text} is not an address of the web`)
    return askOnTheNet(http, { ...request, url }, { within, maxBytes: MAX_BODY }).pipe(
      Effect.mapError(({ detail, kind }) => (kind === "timeout" ? detail : `${url.host} cannot be reached: ${detail}`))
    )
  })

/** A document that is not there, or is not what it should be, is `None`: the next place is tried. */
export const askFor = <A, I>(
  http: HttpClient,
  url: string,
  schema: Schema.Schema<A, I>
): Effect.Effect<Option.Option<A>> =>
  ask(http, url, { headers: { accept: "application/json" } }, METADATA_WITHIN).pipe(
    Effect.map(({ status, text }) =>
      status === 200 ? Schema.decodeUnknownOption(Schema.parseJson(schema))(text) : Option.none()
    ),
    Effect.orElseSucceed(() => Option.none())
  )
