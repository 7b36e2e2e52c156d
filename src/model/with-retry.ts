/**
 * Sends a request again when its opening failed and another attempt is worth it. Each wait is told before it begins: in
 * the stream, or in the log where the call has none. Once the server has begun to answer, a failure belongs to the chat
 * loop, which knows what was shown.
 */

import { Effect } from "effect"
import * as Flow from "../kernel/flow.ts"
import { lazy } from "../kernel/lazy.ts"
import type { ModelError } from "../retry/model-error.ts"
import { attemptsOf, type RetryOptions } from "../retry/retry-limits.ts"
import { SilenceBudget } from "../retry/silence-budget.ts"
import type { ModelClient, ModelRequest } from "./model-client.ts"

/** Nothing of it is loaded before something fails. */
const retries = lazy(() => import("./retried-request.ts"))

export const withRetry = (client: ModelClient["Type"], options: RetryOptions): ModelClient["Type"] => ({
  stream: (given) =>
    Flow.suspend(() => {
      const request = withSilence(given)
      return Flow.catchAll(client.stream(request), (failure) =>
        failure.phase === "body"
          ? Flow.fail(failure)
          : Flow.unwrap(
              Effect.map(retries, ({ streamAgain }) =>
                streamAgain(
                  failure,
                  Flow.suspend(() => client.stream(request)),
                  optionsFor(request, options)
                )
              )
            )
      )
    }),
  generate: (given) =>
    Effect.suspend(() => {
      const request = withSilence(given)
      return retried(client.generate(request), optionsFor(request, options))
    }),
  countTokens: (request) => retried(client.countTokens(request), options),
  embed: (request) => retried(client.embed(request), options)
})

/** All attempts share one. */
const withSilence = (request: ModelRequest): ModelRequest => ({ silence: new SilenceBudget(), ...request })

/** A request may ask for fewer attempts, never for more. */
const optionsFor = ({ maxAttempts, silence }: ModelRequest, options: RetryOptions): RetryOptions => ({
  ...options,
  silence,
  ...(maxAttempts === undefined ? {} : { maxAttempts: Math.min(maxAttempts, attemptsOf(options)) })
})

const retried = <A>(call: Effect.Effect<A, ModelError>, options: RetryOptions): Effect.Effect<A, ModelError> =>
  Effect.catchAll(call, (failure) => Effect.flatMap(retries, ({ callAgain }) => callAgain(failure, call, options)))
