/**
 * One rate for all items of a batch: how many requests may be under way, and since when none may begin. A refusal halves
 * the number, at most once for all requests that were under way together; each answer adds a little. A wait that the
 * server asks for holds for everybody, since the quota is everybody's.
 */
import { Clock, Context, Deferred, Duration, Effect, type Scope } from "effect"
import { monotonicMillis } from "../../kernel/monotonic-time.ts"
import { ModelError } from "../../retry/model-error.ts"
import { pushBackDelay } from "../../retry/schedules.ts"

/** What keeps requests waiting, for people. */
export type RateWait = { readonly until: number; readonly reason: string }

export class RateGate extends Context.Tag("agent/batch/RateGate")<
  RateGate,
  {
    /** Waits for a place; it is given back with the scope. */
    readonly enter: Effect.Effect<void, ModelError, Scope.Scope>
    /** A request was answered. */
    readonly answered: Effect.Effect<void>
    /** A request was refused for now, or the service was not there. Fails where nothing will come of waiting. */
    readonly refused: (error: ModelError) => Effect.Effect<void, ModelError>
    /** Answers so far: whoever was refused can see whether others are served. */
    readonly answers: Effect.Effect<number>
    /** Nothing is sent any more, and why was the failure of a request. */
    readonly isStopped: Effect.Effect<boolean>
    readonly state: Effect.Effect<{
      readonly limit: number
      readonly active: number
      readonly wait: RateWait | undefined
    }>
  }
>() {}

export interface RateOptions {
  /** To begin with, and at most. */
  readonly concurrency: number
  /** A quota that is used up for long is waited for. */
  readonly waitsForQuota: boolean
  /** Without a single answer for so long, nobody waits any more. */
  readonly giveUpAfter?: Duration.Duration
}

/** A quota that does not say when it comes back is tried again so often. */
const QUOTA_PAUSE = Duration.minutes(10)
const GIVE_UP_AFTER = Duration.hours(1)
/** A server that was never reached is rather a wrong address than an outage. */
const NEVER_REACHED = Duration.seconds(30)

export const make = ({ concurrency, giveUpAfter = GIVE_UP_AFTER, waitsForQuota }: RateOptions) =>
  Effect.gen(function* () {
    let limit = concurrency
    let active = 0
    let answers = 0
    /** Refusals in a row, for the length of the pauses that are ours to choose. */
    let refusals = 0
    let wait: RateWait | undefined
    /** Counts the halvings: requests that began before the last one do not halve again. */
    let lastHalved = Number.NEGATIVE_INFINITY
    let lastAnswerAt = yield* monotonicMillis
    let stopped: ModelError | undefined
    const queue: Array<Deferred.Deferred<void, ModelError>> = []

    const admit = Effect.suspend(() => {
      const woken: Array<Deferred.Deferred<void, ModelError>> = []
      while (wait === undefined && active < Math.floor(limit)) {
        const next = queue.shift()
        if (next === undefined) break
        active += 1
        woken.push(next)
      }
      return Effect.forEach(woken, (one) => Deferred.succeed(one, undefined), { discard: true })
    })

    const stop = (error: ModelError) =>
      Effect.suspend(() => {
        stopped = error
        return Effect.forEach(queue.splice(0), (one) => Deferred.fail(one, error), { discard: true })
      })

    const leave = Effect.suspend(() => {
      active -= 1
      return admit
    })

    /** Given up while it waits: the place that it may have got meanwhile is somebody else's. */
    const giveUp = (place: Deferred.Deferred<void, ModelError>) =>
      Effect.suspend(() => {
        const at = queue.indexOf(place)
        if (at === -1) return leave
        queue.splice(at, 1)
        return Effect.void
      })

    const hasPlace = () => wait === undefined && queue.length === 0 && active < Math.floor(limit)

    const waitForPlace = (restore: <A, E>(effect: Effect.Effect<A, E>) => Effect.Effect<A, E>) =>
      Effect.flatMap(Deferred.make<void, ModelError>(), (place) => {
        queue.push(place)
        return Effect.zipRight(
          admit,
          Effect.onInterrupt(restore(Deferred.await(place)), () => giveUp(place))
        )
      })

    const enter = Effect.uninterruptibleMask((restore) =>
      Effect.suspend(() => {
        if (stopped !== undefined) return stopped
        if (!hasPlace()) return waitForPlace(restore)
        active += 1
        return Effect.void
      }).pipe(Effect.zipRight(Effect.addFinalizer(() => leave)))
    )

    const scope = yield* Effect.scope
    const pauseUntil = (until: number, reason: string) =>
      Effect.suspend(() => {
        if (wait !== undefined && wait.until >= until) return Effect.void
        const isFirst = wait === undefined
        wait = { until, reason }
        return isFirst ? Effect.asVoid(Effect.forkIn(untilOver, scope)) : Effect.void
      })

    const untilOver: Effect.Effect<void> = Effect.gen(function* () {
      while (wait !== undefined) {
        const left = wait.until - (yield* monotonicMillis)
        if (left <= 0) wait = undefined
        else yield* Effect.sleep(Duration.millis(left))
      }
      yield* admit
    })

    const halve = (now: number) => {
      // What was under way when the rate fell says nothing about the new rate.
      if (wait !== undefined || now === lastHalved) return
      lastHalved = now
      limit = Math.max(1, Math.floor(limit) / 2)
      refusals += 1
    }

    const refused = Effect.fnUntraced(function* (error: ModelError) {
      const now = yield* monotonicMillis
      if (error.kind === "quota") {
        if (!waitsForQuota) {
          yield* stop(error)
          return yield* error
        }
        const resets = error.resetsAt === undefined ? Number.NaN : new Date(error.resetsAt).getTime()
        const untilReset = resets - (yield* Clock.currentTimeMillis)
        const asked = error.retryAfter === undefined ? QUOTA_PAUSE : error.retryAfter
        lastAnswerAt = now
        return yield* pauseUntil(now + (untilReset > 0 ? untilReset : Duration.toMillis(asked)), error.detail)
      }
      const patience = answers === 0 && error.kind === "network" ? NEVER_REACHED : giveUpAfter
      if (now - lastAnswerAt > Duration.toMillis(patience)) {
        const why = `${error.detail}; nothing was answered for ${Duration.format(patience)}`
        const last = new ModelError({ ...error, detail: why })
        yield* stop(last)
        return yield* last
      }
      halve(now)
      const own = Duration.toMillis(pushBackDelay(refusals))
      const asked = error.retryAfter === undefined ? own : Duration.toMillis(error.retryAfter)
      yield* pauseUntil(now + asked, error.detail)
    })

    return RateGate.of({
      enter,
      answered: Effect.suspend(() => {
        answers += 1
        refusals = 0
        limit = Math.min(concurrency, limit + 1 / Math.max(1, Math.floor(limit)))
        return Effect.flatMap(monotonicMillis, (now) => {
          lastAnswerAt = now
          return admit
        })
      }),
      refused,
      answers: Effect.sync(() => answers),
      isStopped: Effect.sync(() => stopped !== undefined),
      state: Effect.sync(() => ({ limit: Math.floor(limit), active, wait }))
    })
  })
