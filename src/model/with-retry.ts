/**
 * Sends a request again when its opening failed and another attempt is worth it. Each wait is told before
 * it begins: in the stream, or in the log where the call has none. Once the server has begun to answer, a failure belongs to the chat loop, which knows what was shown.
 */
import { Effect, Stream } from "effect"
import type { ModelError } from "../retry/model-error.ts"
import { attemptsOf, type RetryOptions } from "../retry/retry-limits.ts"
import type { RetryWait } from "../retry/retry-policy.ts"
import type { ModelClient, ModelEvent, ModelRequest } from "./model-client.ts"

type Retrier = (error: ModelError) => Effect.Effect<RetryWait, ModelError>

/** The state of one request begins with its first failure, and only then is the schedule loaded. */
const retrierFor = (options: RetryOptions): Effect.Effect<Retrier> =>
  Effect.map(
    Effect.cached(
      Effect.flatMap(
        Effect.promise(() => import("../retry/retry-policy.ts")),
        ({ makeRetrier }) => makeRetrier(options)
      )
    ),
    (retrier) => (error) => Effect.flatMap(retrier, (next) => next(error))
  )

export const withRetry = (client: ModelClient["Type"], options: RetryOptions): ModelClient["Type"] => ({
  stream: (request) =>
    Stream.unwrap(
      Effect.map(retrierFor(optionsFor(request, options)), (retrier) => openUntilAnswered(client, request, retrier))
    ),
  generate: (request) => untilAnswered(client.generate(request), optionsFor(request, options)),
  countTokens: (request) => untilAnswered(client.countTokens(request), options),
  embed: (request) => untilAnswered(client.embed(request), options)
})

/** A request may ask for fewer attempts, never for more. */
const optionsFor = ({ maxAttempts }: Pick<ModelRequest, "maxAttempts">, options: RetryOptions): RetryOptions =>
  maxAttempts === undefined ? options : { ...options, maxAttempts: Math.min(maxAttempts, attemptsOf(options)) }

const openUntilAnswered = (
  client: ModelClient["Type"],
  request: ModelRequest,
  retrier: Retrier
): Stream.Stream<ModelEvent, ModelError> =>
  Stream.catchAll(client.stream(request), (error) =>
    error.phase === "body"
      ? Stream.fail(error)
      : Stream.unwrap(
          Effect.map(retrier(error), (wait) =>
            Stream.concat(
              Stream.succeed<ModelEvent>({ _tag: "RetryScheduled", ...wait }),
              Stream.unwrap(Effect.as(Effect.sleep(wait.delayMs), openUntilAnswered(client, request, retrier)))
            )
          )
        )
  )

const untilAnswered = <A>(call: Effect.Effect<A, ModelError>, options: RetryOptions): Effect.Effect<A, ModelError> =>
  Effect.flatMap(retrierFor(options), (retrier) => {
    const attempt: Effect.Effect<A, ModelError> = Effect.catchAll(call, (error) =>
      Effect.flatMap(retrier(error), (wait) =>
        announce(wait).pipe(Effect.zipRight(Effect.sleep(wait.delayMs)), Effect.zipRight(attempt))
      )
    )
    return attempt
  })

const announce = ({ attempt, delayMs, error, maxAttempts }: RetryWait) =>
  Effect.logWarning("model request failed, will be sent again").pipe(
    Effect.annotateLogs({ kind: error.kind, status: error.status, attempt, maxAttempts, delayMs })
  )
