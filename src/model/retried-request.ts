/** A request whose first attempt failed, until it is answered or given up. */
import { Effect, Mailbox } from "effect"
import * as Flow from "../kernel/flow.ts"
import type { ModelError } from "../retry/model-error.ts"
import type { RetryOptions } from "../retry/retry-limits.ts"
import { type RetryWait, untilAnswered } from "../retry/retry-policy.ts"
import type { ModelEvent } from "./model-client.ts"

/** Chunks that may wait for their reader. */
const AHEAD = 16

export const callAgain = <A>(
  failure: ModelError,
  call: Effect.Effect<A, ModelError>,
  options: RetryOptions
): Effect.Effect<A, ModelError> => untilAnswered(failingFirst(failure, call), options, announce)

/** Waits are told among the events of the answer: one fiber does the waiting and the reading, so nothing overtakes. */
export const streamAgain = (
  failure: ModelError,
  answer: Flow.Flow<ModelEvent, ModelError>,
  options: RetryOptions
): Flow.Flow<ModelEvent, ModelError> =>
  Flow.unwrapScoped(
    Effect.gen(function* () {
      const events = yield* Mailbox.make<ModelEvent, ModelError>(AHEAD)
      const read = Flow.runForEach(answer, (event) => events.offer(event))
      const opened = Effect.catchAll(Effect.as(read, Effect.void), (error) =>
        error.phase === "body" ? Effect.succeed(Effect.fail(error)) : error
      )
      yield* untilAnswered(failingFirst(failure, opened), options, (wait) =>
        events.offer({ _tag: "RetryScheduled", ...wait })
      ).pipe(Effect.flatten, Mailbox.into(events), Effect.forkScoped)
      return Flow.fromMailbox(events)
    })
  )

/** The first attempt was made before any of this was loaded. */
const failingFirst = <A>(failure: ModelError, call: Effect.Effect<A, ModelError>): Effect.Effect<A, ModelError> => {
  let next: Effect.Effect<A, ModelError> = failure
  return Effect.suspend(() => {
    const now = next
    next = call
    return now
  })
}

const announce = ({ attempt, delayMs, error, maxAttempts }: RetryWait) =>
  Effect.logWarning("model request failed, will be sent again").pipe(
    Effect.annotateLogs({ kind: error.kind, status: error.status, attempt, maxAttempts, delayMs })
  )
