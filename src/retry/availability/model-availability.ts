/**
 * Which models can be asked at the moment: in memory, for one session. Failures and answers are reported to it; routing
 * and fallback ask it before they choose.
 */
import { Context, Effect, Ref } from "effect"
import { service } from "../../kernel/layers.ts"
import { monotonicMillis } from "../../kernel/monotonic-time.ts"
import type { FailureKind, ModelPolicy, PolicyChain } from "./policy-chain.ts"

export class ModelAvailability extends Context.Tag("agent/retry/ModelAvailability")<
  ModelAvailability,
  {
    /** As of now; the answer for one model does not change behind the caller's back. */
    readonly snapshot: Effect.Effect<(model: string) => boolean>
    /** The first available member, else the last resort. Uses up the one request of a model that failed before. */
    readonly select: (chain: PolicyChain) => Effect.Effect<Selection>
    readonly failed: (policy: ModelPolicy, kind: FailureKind) => Effect.Effect<void>
    readonly answered: (model: string) => Effect.Effect<void>
    /** A new turn of the user. */
    readonly resetTurn: Effect.Effect<void>
    /** Another model was chosen, or other credentials: nothing that was learnt still holds. */
    readonly reset: Effect.Effect<void>
  }
>() {}

export interface Selection {
  readonly model: string
  /** Attempts for the request, where health or policy limits them. */
  readonly maxAttempts: number | undefined
}

/** Stands where a chain names no last resort. */
const FALLBACK_OF_ALL = "gemini-2.5-pro"

export const make = Effect.gen(function* () {
  const health = yield* Ref.make<HealthByModel>(allHealthy)

  return ModelAvailability.of({
    snapshot: Effect.zipWith(
      Ref.get(health),
      monotonicMillis,
      (states, now) => (model: string) => isAvailable(states, model, now)
    ),
    select: Effect.fnUntraced(function* (chain: PolicyChain) {
      const now = yield* monotonicMillis
      return yield* Ref.modify(health, (states) => {
        const chosen =
          chain.find(({ model }) => isAvailable(states, model, now)) ?? chain.find(({ isLastResort }) => isLastResort)
        const model = chosen?.model ?? FALLBACK_OF_ALL
        return [{ model, maxAttempts: attemptsLeft(states, model) ?? chosen?.maxAttempts }, consume(states, model)]
      })
    }),
    failed: Effect.fnUntraced(function* (policy: ModelPolicy, kind: FailureKind) {
      const now = yield* monotonicMillis
      yield* Ref.update(health, (states) =>
        policy.transitions[kind] === "sticky_retry"
          ? markSticky(states, policy.model, { attempts: policy.maxAttempts ?? 1, now })
          : markTerminal(states, policy.model, { reason: kind === "terminal" ? "quota" : "capacity", now })
      )
    }),
    answered: (model) => Ref.update(health, (states) => markHealthy(states, model)),
    resetTurn: Ref.update(health, resetTurn),
    reset: Ref.set(health, allHealthy)
  })
})

export const layer = service(ModelAvailability, make)

/** A shortage of capacity is forgotten after this time. */
const CAPACITY_MEMORY_MS = 30_000

/**
 * What is known of a model from the requests of this session. A model that is not listed is healthy. Pure folds: the
 * service holds the map, these functions say what becomes of it.
 */
type Health =
  /** Not to be asked again: its quota is used up, or for a moment it has no capacity. */
  | { readonly _tag: "Terminal"; readonly reason: "quota" | "capacity"; readonly since: number }
  /** Worth one more request in each turn of the user, with this many attempts. */
  | { readonly _tag: "StickyRetry"; readonly attempts: number; readonly consumed: boolean }

type HealthByModel = ReadonlyMap<string, Health>

const allHealthy: HealthByModel = new Map()

const isAvailable = (health: HealthByModel, model: string, now: number): boolean => {
  const state = current(health.get(model), now)
  return state === undefined || (state._tag === "StickyRetry" && !state.consumed)
}

/** Attempts that a model which failed before gets; `undefined` where nothing limits them. */
const attemptsLeft = (health: HealthByModel, model: string): number | undefined => {
  const state = health.get(model)
  return state?._tag === "StickyRetry" ? state.attempts : undefined
}

const markTerminal = (
  health: HealthByModel,
  model: string,
  mark: { readonly reason: "quota" | "capacity"; readonly now: number }
): HealthByModel => withState(health, model, { _tag: "Terminal", reason: mark.reason, since: mark.now })

/** Never replaces a terminal mark, and keeps what was used up in this turn. */
const markSticky = (
  health: HealthByModel,
  model: string,
  mark: { readonly attempts: number; readonly now: number }
): HealthByModel => {
  const before = current(health.get(model), mark.now)
  if (before?._tag === "Terminal") return health
  return withState(health, model, {
    _tag: "StickyRetry",
    attempts: mark.attempts,
    consumed: before?._tag === "StickyRetry" && before.consumed
  })
}

/** The one request of this turn is being made. */
const consume = (health: HealthByModel, model: string): HealthByModel => {
  const state = health.get(model)
  return state?._tag === "StickyRetry" ? withState(health, model, { ...state, consumed: true }) : health
}

const markHealthy = (health: HealthByModel, model: string): HealthByModel => {
  if (!health.has(model)) return health
  const rest = new Map(health)
  rest.delete(model)
  return rest
}

/** A new turn of the user: models that get one request in each may be asked again. */
const resetTurn = (health: HealthByModel): HealthByModel =>
  new Map(
    [...health].map(([model, state]) => [model, state._tag === "StickyRetry" ? { ...state, consumed: false } : state])
  )

const current = (state: Health | undefined, now: number): Health | undefined =>
  state?._tag === "Terminal" && state.reason === "capacity" && now - state.since >= CAPACITY_MEMORY_MS
    ? undefined
    : state

const withState = (health: HealthByModel, model: string, state: Health): HealthByModel =>
  new Map(health).set(model, state)
