/**
 * One budget for many processes, as its file holds it: what may be used, what was, what is being used at this moment. Each
 * request is a reservation before it is sent and settled after its answer, so that requests side by side cannot each take
 * what is left. A reservation whose process has died lapses by itself. Pure; every time is one of the wall clock, which
 * is the only one that processes share.
 */
import { Data, Schema } from "effect"

const Amount = Schema.Number.pipe(Schema.finite(), Schema.nonNegative())
const Count = Schema.Int.pipe(Schema.positive())

const Limits = Schema.Struct({
  usd: Schema.optionalWith(Schema.Number.pipe(Schema.finite(), Schema.positive()), { exact: true }),
  tokens: Schema.optionalWith(Count, { exact: true }),
  requests: Schema.optionalWith(Count, { exact: true }),
  requests_per_minute: Schema.optionalWith(Count, { exact: true }),
  tokens_per_minute: Schema.optionalWith(Count, { exact: true })
})
export type SharedLimits = typeof Limits.Type

const Reservation = Schema.Struct({
  id: Schema.String,
  pid: Schema.Int,
  tokens: Amount,
  usd: Amount,
  /** When it lapses, unless it is renewed: milliseconds since 1970. */
  until: Schema.Number
})

/** A request of the last minute. */
const Sent = Schema.Struct({ id: Schema.String, at: Schema.Number, tokens: Amount })

const NOTHING = { usd: 0, tokens: 0, requests: 0 }
const NO_FORECAST = { expected: 0, taken: 0 }

export const BudgetState = Schema.Struct({
  limit: Limits,
  used: Schema.optionalWith(Schema.Struct({ usd: Amount, tokens: Amount, requests: Amount }), {
    exact: true,
    default: () => NOTHING
  }),
  /** What was sent within the last minute; kept where a rate is limited. */
  window: Schema.optionalWith(Schema.Array(Sent), { exact: true, default: () => [] }),
  reserved: Schema.optionalWith(Schema.Array(Reservation), { exact: true, default: () => [] }),
  /** Tokens of settled requests, as they were expected and as they were: how good the estimates are. */
  forecast: Schema.optionalWith(Schema.Struct({ expected: Amount, taken: Amount }), {
    exact: true,
    default: () => NO_FORECAST
  })
})
export type BudgetState = typeof BudgetState.Type

export const emptyState = (limit: SharedLimits): BudgetState => ({
  limit,
  used: NOTHING,
  window: [],
  reserved: [],
  forecast: NO_FORECAST
})

export const LEASE_MS = 120_000
const MINUTE_MS = 60_000

export interface RequestWish {
  readonly id: string
  readonly pid: number
  /** As estimated from the request alone. */
  readonly tokens: number
  /** For that many tokens; `undefined`: nobody knows what the model costs. */
  readonly usd: number | undefined
}

export type BudgetAnswer = Data.TaggedEnum<{
  Reserved: { readonly state: BudgetState }
  /** It may fit once requests of others are settled, or the minute has passed. */
  Wait: { readonly ms: number; readonly why: "rate" | "others" }
  Refused: { readonly why: string }
}>
export const BudgetAnswer = Data.taggedEnum<BudgetAnswer>()

/** What others reserve is settled soon; nobody tells us when. */
const LOOK_AGAIN_MS = 250

/** Takes what a request is expected to need, where it is there. */
export const reserve = (before: BudgetState, wish: RequestWish, now: number): BudgetAnswer => {
  const state = current(before, now)
  const { limit, reserved, used } = state
  const scale = accuracyOf(state)
  const tokens = Math.ceil(wish.tokens * scale)
  if (limit.usd !== undefined && wish.usd === undefined) {
    return BudgetAnswer.Refused({ why: "it limits dollars, and no price is known for this model" })
  }
  const usd = (wish.usd ?? 0) * scale
  if (limit.requests !== undefined && used.requests + reserved.length + 1 > limit.requests) {
    return BudgetAnswer.Refused({ why: `${used.requests + reserved.length} of ${limit.requests} requests are used` })
  }
  const amounts = [
    { kind: "tokens", limit: limit.tokens, used: used.tokens, held: sum(reserved, "tokens"), wanted: tokens },
    { kind: "usd", limit: limit.usd, used: used.usd, held: sum(reserved, "usd"), wanted: usd }
  ] as const
  for (const amount of amounts) {
    if (amount.limit === undefined || amount.used + amount.held + amount.wanted <= amount.limit) continue
    const fitsAlone = amount.used + amount.wanted <= amount.limit
    if (fitsAlone && reserved.length > 0) return BudgetAnswer.Wait({ ms: LOOK_AGAIN_MS, why: "others" })
    const [spent, all, next] = [amount.used, amount.limit, amount.wanted].map((value) => inUnits(amount.kind, value))
    return BudgetAnswer.Refused({ why: `${spent} of ${all} are used, and this request is estimated at ${next}` })
  }
  const ms = rateWait(state, tokens, now)
  if (ms > 0) return BudgetAnswer.Wait({ ms, why: "rate" })
  return BudgetAnswer.Reserved({
    state: {
      ...state,
      window: isRated(limit) ? [...state.window, { id: wish.id, at: now, tokens }] : [],
      reserved: [...reserved, { id: wish.id, pid: wish.pid, tokens, usd, until: now + LEASE_MS }]
    }
  })
}

/** The request is still under way. */
export const renew = (state: BudgetState, id: string, now: number): BudgetState => ({
  ...state,
  reserved: state.reserved.map((one) => (one.id === id ? { ...one, until: now + LEASE_MS } : one))
})

export interface RequestTaken {
  readonly tokens: number
  readonly usd: number
}

/** Counts what a request took, also where its reservation has lapsed. `undefined`: nobody knows, and the estimate counts. */
export const settle = (
  before: BudgetState,
  wish: RequestWish,
  taken: RequestTaken | undefined,
  now: number
): BudgetState => {
  const held = before.reserved.find(({ id }) => id === wish.id)
  const { tokens, usd } = taken ?? held ?? { tokens: wish.tokens, usd: wish.usd ?? 0 }
  const state = current({ ...before, reserved: before.reserved.filter(({ id }) => id !== wish.id) }, now)
  const { forecast, used } = state
  return {
    ...state,
    used: { usd: used.usd + usd, tokens: used.tokens + tokens, requests: used.requests + 1 },
    window: state.window.map((one) => (one.id === wish.id ? { ...one, tokens } : one)),
    forecast:
      taken === undefined || taken.tokens === 0
        ? forecast
        : { expected: forecast.expected + wish.tokens, taken: forecast.taken + taken.tokens }
  }
}

/** Without what has lapsed, and without what was sent more than a minute ago. A clock that was set back far ends both too. */
export const current = (state: BudgetState, now: number): BudgetState => ({
  ...state,
  reserved: state.reserved.filter(({ until }) => until > now && until <= now + 2 * LEASE_MS),
  window: state.window.filter(({ at }) => at > now - MINUTE_MS && at <= now + MINUTE_MS)
})

/** How many tokens a request takes for each that was expected, from those that were settled. */
const accuracyOf = ({ forecast }: BudgetState): number =>
  forecast.expected === 0 ? 1 : forecast.taken / forecast.expected

/** 0: it may be sent now. A request that is larger than the rate alone goes when nothing else was sent. */
const rateWait = ({ limit, window }: BudgetState, tokens: number, now: number): number => {
  const { requests_per_minute: rpm, tokens_per_minute: tpm } = limit
  const fits = (sent: BudgetState["window"]): boolean =>
    (rpm === undefined || sent.length + 1 <= rpm) &&
    (tpm === undefined || sent.length === 0 || sum(sent, "tokens") + tokens <= tpm)
  const left = [...window].sort((a, b) => a.at - b.at)
  let ms = 0
  while (!fits(left)) {
    const oldest = left.shift()
    if (oldest === undefined) return ms
    ms = oldest.at + MINUTE_MS - now
  }
  return ms
}

const isRated = (limit: SharedLimits): boolean =>
  limit.requests_per_minute !== undefined || limit.tokens_per_minute !== undefined

const sum = <Key extends string>(rows: ReadonlyArray<Readonly<Record<Key, number>>>, key: Key): number =>
  rows.reduce((total, row) => total + row[key], 0)

export const inUnits = (kind: "tokens" | "usd", value: number): string =>
  kind === "usd" ? `$${Number(value.toPrecision(4))}` : `${Math.round(value)} tokens`
