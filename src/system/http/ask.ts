/** Small requests with a whole answer: redirects followed, all of it within one time and one size. */
import { Duration, Effect } from "effect"
import { readText } from "./body.ts"
import type { HttpClient, HttpRequest } from "./http.ts"
import { HttpError, placeOf } from "./http-error.ts"
import { type FollowOptions, follow } from "./redirects.ts"

export interface AskOptions extends Omit<FollowOptions, "answerWithin"> {
  /** For everything together. */
  readonly within: Duration.Duration
  readonly maxBytes: number
}

export interface HttpAnswer {
  readonly status: number
  readonly headers: Headers
  readonly text: string
}

/** Any status is an answer. */
export const ask = (
  http: HttpClient,
  request: HttpRequest,
  options: AskOptions
): Effect.Effect<HttpAnswer, HttpError> => {
  const { maxBytes, within } = options
  return Effect.gen(function* () {
    const response = yield* follow(http, request, { ...options, answerWithin: within })
    const text = yield* readText(response, request.url, { maxBytes, gap: within })
    return { status: response.status, headers: response.headers, text }
  }).pipe(
    Effect.scoped,
    Effect.timeoutFail({
      duration: within,
      onTimeout: () =>
        new HttpError({
          kind: "timeout",
          url: placeOf(request.url),
          detail: `${request.url.host} did not answer within ${Duration.format(within)}`
        })
    })
  )
}
