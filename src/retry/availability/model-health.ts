/**
 * What is known of a model from the requests of this session. A model that is not listed is healthy. Pure folds: the
 * service holds the map, these functions say what becomes of it.
 */

/** A shortage of capacity is forgotten after this time. */
export const CAPACITY_MEMORY_MS = 30_000

export type Health =
  /** Not to be asked again: its quota is used up, or for a moment it has no capacity. */
  | { readonly _tag: "Terminal"; readonly reason: "quota" | "capacity"; readonly since: number }
  /** Worth one more request in each turn of the user, with this many attempts. */
  | { readonly _tag: "StickyRetry"; readonly attempts: number; readonly consumed: boolean }

export type HealthByModel = ReadonlyMap<string, Health>

export const allHealthy: HealthByModel = new Map()

export const isAvailable = (health: HealthByModel, model: string, now: number): boolean => {
  const state = current(health.get(model), now)
  return state === undefined || (state._tag === "StickyRetry" && !state.consumed)
}

/** Attempts that a model which failed before gets; `undefined` where nothing limits them. */
export const attemptsLeft = (health: HealthByModel, model: string): number | undefined => {
  const state = health.get(model)
  return state?._tag === "StickyRetry" ? state.attempts : undefined
}

export const markTerminal = (
  health: HealthByModel,
  model: string,
  mark: { readonly reason: "quota" | "capacity"; readonly now: number }
): HealthByModel => withState(health, model, { _tag: "Terminal", reason: mark.reason, since: mark.now })

/** Never replaces a terminal mark, and keeps what was used up in this turn. */
export const markSticky = (
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
export const consume = (health: HealthByModel, model: string): HealthByModel => {
  const state = health.get(model)
  return state?._tag === "StickyRetry" ? withState(health, model, { ...state, consumed: true }) : health
}

export const markHealthy = (health: HealthByModel, model: string): HealthByModel => {
  if (!health.has(model)) return health
  const rest = new Map(health)
  rest.delete(model)
  return rest
}

/** A new turn of the user: models that get one request in each may be asked again. */
export const resetTurn = (health: HealthByModel): HealthByModel =>
  new Map(
    [...health].map(([model, state]) => [model, state._tag === "StickyRetry" ? { ...state, consumed: false } : state])
  )

const current = (state: Health | undefined, now: number): Health | undefined =>
  state?._tag === "Terminal" && state.reason === "capacity" && now - state.since >= CAPACITY_MEMORY_MS
    ? undefined
    : state

const withState = (health: HealthByModel, model: string, state: Health): HealthByModel =>
  new Map(health).set(model, state)
