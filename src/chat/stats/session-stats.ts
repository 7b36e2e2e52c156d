/** What a conversation has used so far, folded from the events of its prompts, also of those before it was resumed. */
import { Context, Effect, Layer, Ref } from "effect"
import type { SettingsView } from "../../config/settings.ts"
import { monotonicMillis } from "../../kernel/monotonic-time.ts"
import { costOf, priceLookup } from "../../model/pricing.ts"
import type { ProtocolEvent } from "../../protocol/event.ts"
import type { UseEvent } from "../../session/record/recorded-use.ts"
import { addEvent, emptyStats, type RunStats } from "./run-stats.ts"

export interface SessionUse extends RunStats {
  /** Since the session began. */
  readonly wallMs: number
  /** In which prompts were worked on. */
  readonly activeMs: number
}

export class SessionStats extends Context.Tag("agent/chat/SessionStats")<
  SessionStats,
  {
    readonly record: (event: ProtocolEvent) => Effect.Effect<void>
    /** Counts the time of this as work on a prompt. */
    readonly working: <A, E, R>(work: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
    readonly current: Effect.Effect<SessionUse>
    /** The session was used before it was built anew: everything counts from there. */
    readonly goOnFrom: (before: SessionUse) => Effect.Effect<void>
  }
>() {}

export const layer = Layer.effect(
  SessionStats,
  Effect.gen(function* () {
    const begin = yield* Ref.make(yield* monotonicMillis)
    const stats = yield* Ref.make(emptyStats)
    const active = yield* Ref.make(0)
    return SessionStats.of({
      record: (event) => Ref.update(stats, (before) => addEvent(before, event)),
      working: (work) =>
        Effect.flatMap(monotonicMillis, (start) =>
          Effect.ensuring(
            work,
            Effect.flatMap(monotonicMillis, (end) => Ref.update(active, (before) => before + end - start))
          )
        ),
      current: Effect.gen(function* () {
        const now = yield* monotonicMillis
        return { ...(yield* Ref.get(stats)), wallMs: now - (yield* Ref.get(begin)), activeMs: yield* Ref.get(active) }
      }),
      goOnFrom: ({ activeMs, wallMs, ...used }) =>
        Effect.zipRight(
          Effect.zipRight(Ref.set(stats, used), Ref.set(active, activeMs)),
          Ref.update(begin, (now) => now - wallMs)
        )
    })
  })
)

/** What a conversation that goes on took before. */
export interface PastUse {
  readonly used: ReadonlyArray<UseEvent>
  readonly settings: SettingsView
}

/** The statistics of a conversation that goes on begin with what it took before, at the prices of today. */
export const resumeStats = Effect.fnUntraced(function* (used: ReadonlyArray<UseEvent>, settings: SettingsView) {
  const stats = yield* SessionStats
  const priceOf = priceLookup(settings.get("run.prices"))
  const priced = (event: UseEvent): UseEvent => {
    const price = event._tag === "RequestFinished" ? priceOf(event.model) : undefined
    return event._tag !== "RequestFinished" || price === undefined
      ? event
      : { ...event, costUsd: costOf(price, event.usage) }
  }
  yield* Effect.forEach(used, (event) => stats.record(priced(event)), { discard: true })
})
