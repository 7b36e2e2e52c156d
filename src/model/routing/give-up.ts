/**
 * What happens when a model is given up (`--on-quota`): the run waits as the server asks, goes on with another model, or
 * asks the person who is there. What cannot be helped comes back as the error it was.
 */
import { Clock, DateTime, Duration, Effect, Option } from "effect"
import { monotonicMillis } from "../../kernel/monotonic-time.ts"
import { decideFallback, failureKindOf } from "../../retry/availability/fallback.ts"
import type { ModelAvailability } from "../../retry/availability/model-availability.ts"
import type { PolicyChain } from "../../retry/availability/policy-chain.ts"
import { ModelError } from "../../retry/model-error.ts"
import type { ModelEvent, ModelRequest } from "../model-client.ts"
import { substituteModel } from "../model-features.ts"
import type { Asking } from "./fallback-questions.ts"

export type OnQuota =
  | { readonly action: "wait" }
  /** Without a model, the next one of the chain. */
  | { readonly action: "fallback"; readonly model?: string | undefined }
  | { readonly action: "ask"; readonly asking: Asking }

export interface FallbackOptions {
  readonly onQuota: OnQuota
  /** The chain of a model, beginning with it. */
  readonly chainOf: (model: string) => Effect.Effect<PolicyChain>
  /** When the run's time is up, in milliseconds of the clock. */
  readonly deadline: number | undefined
}

/** One request, over all the models that it was sent to. */
export interface Attempt {
  readonly request: ModelRequest
  readonly chain: PolicyChain
  /** Attempts that the caller allows for one model. */
  readonly maxAttempts: number | undefined
  /** Models that failed for this request: none is asked twice. */
  readonly failed: ReadonlyArray<string>
  readonly count: number
}

export interface NextAttempt {
  readonly event: Extract<ModelEvent, { readonly _tag: "RetryScheduled" | "ModelReplaced" }>
  readonly delayMs: number
  readonly attempt: Attempt
}

/** The next attempt, or the error to fail with, where nobody is asked. */
export const giveUp = (
  error: ModelError,
  attempt: Attempt,
  options: FallbackOptions,
  availability: ModelAvailability["Type"]
): Effect.Effect<NextAttempt, ModelError> => {
  if (options.onQuota.action === "wait") return waitFor(error, attempt, options.deadline)
  return mayMoveOn(error) ? moveOn(error, attempt, availability) : Effect.fail(error)
}

/** The chain of a request. A model that the user named stands alone behind the one that is asked for. */
export const chainOf = (model: string, { chainOf, onQuota }: FallbackOptions): Effect.Effect<PolicyChain> => {
  if (onQuota.action !== "fallback" || onQuota.model === undefined) return chainOf(model)
  const members = onQuota.model === model ? [model] : [model, onQuota.model]
  return Effect.map(Effect.forEach(members, chainOf), (chains) => chains.flatMap((chain) => chain.slice(0, 1)))
}

/** Parameters of the purpose stay; only the model is another. */
export const substituted = (request: ModelRequest, model: string): ModelRequest => ({
  ...request,
  ...substituteModel(request, model)
})

/** A server that names no time is asked again after this. */
const UNTOLD_WAIT_MS = 60_000

const waitFor = Effect.fnUntraced(function* (error: ModelError, attempt: Attempt, deadline: number | undefined) {
  const delayMs = waitMillis(error, yield* Clock.currentTimeMillis)
  if (delayMs === undefined) return yield* error
  const leftMs = (deadline ?? Number.POSITIVE_INFINITY) - (yield* monotonicMillis)
  if (delayMs > leftMs) {
    const left = Math.max(0, Math.floor(leftMs / 1000))
    return yield* new ModelError({
      ...error,
      detail: `${error.detail}; waiting for it takes ${inWords(Math.ceil(delayMs / 1000))}, but only ${inWords(left)} of the run's time is left`
    })
  }
  return onceMore(error, attempt, delayMs)
})

/** The same request to the same model. */
export const onceMore = (error: ModelError, attempt: Attempt, delayMs: number): NextAttempt => {
  const count = attempt.count + 1
  return {
    event: { _tag: "RetryScheduled", error, attempt: attempt.count, maxAttempts: count, delayMs },
    delayMs,
    attempt: { ...attempt, count }
  }
}

const inWords = (seconds: number): string => Duration.format(Duration.seconds(seconds))

/** `undefined`: waiting does not help. */
const waitMillis = ({ kind, resetsAt, retryAfter }: ModelError, now: number): number | undefined => {
  if (kind !== "quota" && kind !== "rate-limited" && kind !== "capacity") return undefined
  if (retryAfter !== undefined) return Duration.toMillis(retryAfter)
  const reset = Option.flatMap(Option.fromNullable(resetsAt), DateTime.make)
  if (Option.isSome(reset)) return Math.max(1000, DateTime.toEpochMillis(reset.value) - now)
  // A quota without an end in sight may be one of zero.
  return kind === "quota" ? undefined : UNTOLD_WAIT_MS
}

/** The next model of the chain, without a question. */
export const moveOn = Effect.fnUntraced(function* (
  error: ModelError,
  attempt: Attempt,
  availability: ModelAvailability["Type"]
) {
  const { chain, request } = attempt
  const from = request.model
  const kind = failureKindOf(error)
  const policy = chain.find(({ model }) => model === from)
  if (policy !== undefined) yield* availability.failed(policy, kind)
  const isAvailable = yield* availability.snapshot
  const decision = decideFallback({ chain, failed: from, active: from, kind, isAvailable })
  return decision._tag !== "Switch" || [...attempt.failed, from].includes(decision.model)
    ? yield* withPredecessors(error, attempt)
    : standIn(decision.model, error, attempt)
})

/** The same request to another model. */
export const standIn = (model: string, error: ModelError, attempt: Attempt): NextAttempt => {
  const { failed, request } = attempt
  return {
    event: { _tag: "ModelReplaced", from: request.model, to: model, error },
    delayMs: 0,
    attempt: {
      ...attempt,
      failed: [...failed, request.model],
      request: { ...substituted(request, model), maxAttempts: attemptsOf(model, attempt) }
    }
  }
}

const attemptsOf = (model: string, { chain, maxAttempts }: Attempt): number | undefined =>
  fewer(maxAttempts, chain.find((policy) => policy.model === model)?.maxAttempts)

export const fewer = (a: number | undefined, b: number | undefined): number | undefined =>
  a === undefined || b === undefined ? (a ?? b) : Math.min(a, b)

/** Another model has a quota of its own; a bad key or a wrong name stay what they are. */
export const mayMoveOn = ({ kind }: ModelError): boolean =>
  kind === "quota" || kind === "rate-limited" || kind === "capacity" || kind === "unavailable"

const withPredecessors = (error: ModelError, { failed }: Attempt): ModelError =>
  failed.length === 0
    ? error
    : new ModelError({ ...error, detail: `${error.detail} (after ${failed.join(" and ")} had failed too)` })
