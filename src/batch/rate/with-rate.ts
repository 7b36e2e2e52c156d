/**
 * The model behind the rate of the batch. A refusal for the time being costs an item nothing: its request waits with all
 * others and is sent again. A failure counts against the item only where others are answered meanwhile; otherwise the
 * service is not there, and that is nobody's fault.
 */
import { Effect, Ref } from "effect"
import * as Flow from "../../kernel/flow.ts"
import type { ModelClient, ModelEvent } from "../../model/model-client.ts"
import type { ModelError } from "../../retry/model-error.ts"
import type { RateGate } from "./rate-gate.ts"

export interface RetryLimit {
  /** Failures of one request beyond which it is given up. */
  readonly retries: number
}

export const withRate = (
  client: ModelClient["Type"],
  gate: RateGate["Type"],
  limit: RetryLimit
): ModelClient["Type"] => ({
  ...client,
  stream: (request) => {
    const attempt = (failures: Failures): Flow.Flow<ModelEvent, ModelError> =>
      Flow.catchAll(gated(gate, client.stream(request)), (error) =>
        Flow.unwrap(
          Effect.map(decide(gate, limit, error, failures), (next) =>
            Flow.concat(
              Flow.succeed<ModelEvent>({
                _tag: "RetryScheduled",
                error,
                attempt: next.sent,
                maxAttempts: Math.max(next.sent, limit.retries + 1),
                delayMs: 0
              }),
              attempt(next)
            )
          )
        )
      )
    return attempt(NO_FAILURES)
  },
  generate: (request) => {
    const attempt = (
      failures: Failures
    ): Effect.Effect<Effect.Effect.Success<ReturnType<typeof client.generate>>, ModelError> =>
      Effect.scoped(Effect.zipRight(gate.enter, Effect.tap(client.generate(request), gate.answered))).pipe(
        Effect.catchAll((error) => Effect.flatMap(decide(gate, limit, error, failures), attempt))
      )
    return attempt(NO_FAILURES)
  }
})

interface Failures {
  readonly sent: number
  /** Those that count. */
  readonly counted: number
  /** Answers of the batch when the last one happened. */
  readonly answers: number
}

const NO_FAILURES: Failures = { sent: 0, counted: 0, answers: -1 }

/** The place is held until the last word of the answer. */
const gated = (gate: RateGate["Type"], stream: Flow.Flow<ModelEvent, ModelError>) =>
  Flow.unwrapScoped(
    Effect.gen(function* () {
      yield* gate.enter
      const isFirst = yield* Ref.make(true)
      return Flow.tap(stream, () =>
        Effect.flatMap(Ref.getAndSet(isFirst, false), (first) => (first ? gate.answered : Effect.void))
      )
    })
  )

/** Goes on where the request is worth another attempt, after the wait that is everybody's. */
const decide = Effect.fnUntraced(function* (
  gate: RateGate["Type"],
  { retries }: RetryLimit,
  error: ModelError,
  failures: Failures
) {
  const isQuota = error.kind === "quota"
  if (error.phase === "body" || !(isQuota || error.isRetryable)) return yield* error
  const answers = yield* gate.answers
  const isPushBack = isQuota || error.kind === "rate-limited" || error.kind === "capacity"
  const isOwn = !isPushBack && (failures.counted === 0 || answers > failures.answers)
  const counted = failures.counted + (isOwn ? 1 : 0)
  if (counted > retries) return yield* error
  yield* gate.refused(error)
  return { sent: failures.sent + 1, counted, answers }
})
