/**
 * Looks at the memory, the processor time and the delay of timers: when something happens in the session, and from time
 * to time where a variable asks for that. While nobody is at work it does not look.
 */
import { monitorEventLoopDelay } from "node:perf_hooks"
import { Effect, type Scope } from "effect"
import { monotonicMillis } from "../kernel/monotonic-time.ts"
import { type Activity, isWorthALook } from "./activity.ts"
import { measure, record, type Signal } from "./signal.ts"
import type { Recording } from "./telemetry.ts"

export const DEFAULT_INTERVAL = 10_000
const IDLE_AFTER = 30_000
const LOOKS_APART = 1_000

export interface MonitorOptions {
  /** Milliseconds between two looks; absent: only when something happens. */
  readonly every: number | undefined
}

/**
 * Which samples of a value are worth a record: one that rose by a twentieth above everything before it, and otherwise
 * one a minute, or one in half a minute where somebody is at work. A program that rests tells little.
 */
interface Kept {
  /** The largest value that was recorded. */
  readonly highest: number
  /** When one was recorded last, in milliseconds. */
  readonly at: number
}

/** What was recorded of each value. */
export type Samples = ReadonlyMap<string, Kept>

interface Moment {
  /** In milliseconds. */
  readonly now: number
  /** Something has just happened; otherwise only time has passed. */
  readonly isUrgent: boolean
}

const GROWTH = 1.05
const EVERY = { urgent: 30_000, usual: 60_000 }
const FORGOTTEN_AFTER = 3_600_000
/** How often old entries are looked for, in milliseconds. */
const TIDY_EVERY = 900_000

/** The values to be recorded now, and what is known once they are. */
export const takeSamples = (
  values: Readonly<Record<string, number>>,
  before: Samples,
  { isUrgent, now }: Moment
): { readonly worth: Readonly<Record<string, number>>; readonly samples: Samples } => {
  const worth = Object.entries(values).filter(([name, value]) => {
    const kept = before.get(name)
    if (kept === undefined || value > kept.highest * GROWTH) return true
    return now - kept.at >= (isUrgent ? EVERY.urgent : EVERY.usual)
  })
  const samples = new Map(before)
  for (const [name, value] of worth) {
    samples.set(name, { highest: Math.max(value, before.get(name)?.highest ?? 0), at: now })
  }
  return { worth: Object.fromEntries(worth), samples }
}

/** What was not recorded for an hour is forgotten: its high-water mark is of another time. */
export const withoutOld = (samples: Samples, now: number): Samples =>
  new Map([...samples].filter(([, { at }]) => now - at < FORGOTTEN_AFTER))

/** Until the scope ends. What it gives back is to be told what goes on. */
export const makeMonitor = (
  to: Recording,
  { every }: MonitorOptions
): Effect.Effect<(activity: Activity) => Effect.Effect<void>, never, Scope.Scope> =>
  Effect.gen(function* () {
    const began = yield* monotonicMillis
    const delays = every === undefined ? undefined : yield* loopDelays
    const cpuShare = cpuMeter(began)
    let samples: Samples = new Map()
    let tidied = began
    let lastActive = began
    let lastLook = Number.NEGATIVE_INFINITY

    const look = (now: number, component: string, isUrgent: boolean) =>
      Effect.suspend(() => {
        lastLook = now
        if (now - tidied >= TIDY_EVERY) {
          samples = withoutOld(samples, now)
          tidied = now
        }
        const taken = takeSamples({ ...memory(), cpu: cpuShare(now), ...delaysIn(delays) }, samples, { now, isUrgent })
        samples = taken.samples
        return record(
          to,
          Object.entries(taken.worth).map(([name, value]) => signalOf(name, value, component))
        )
      })

    if (every !== undefined) {
      const lookUnlessIdle = Effect.flatMap(monotonicMillis, (now) =>
        now - lastActive > IDLE_AFTER ? Effect.void : look(now, "monitor", false)
      )
      yield* Effect.forkScoped(Effect.forever(Effect.zipRight(lookUnlessIdle, Effect.sleep(every))))
    }
    return (activity) =>
      Effect.flatMap(monotonicMillis, (now) => {
        lastActive = now
        return isWorthALook(activity) && now - lastLook >= LOOKS_APART
          ? look(now, `activity_${activity}`, true)
          : Effect.void
      })
  })

const memory = () => {
  const { external, heapTotal, heapUsed, rss } = process.memoryUsage()
  return { heap_used: heapUsed, heap_total: heapTotal, external, rss }
}

/** Percent of one processor since the last look. */
const cpuMeter = (began: number) => {
  let before = process.cpuUsage()
  let since = began
  return (now: number): number => {
    const { system, user } = process.cpuUsage(before)
    const percent = (user + system) / 10 / Math.max(1, now - since)
    before = process.cpuUsage()
    since = now
    return percent
  }
}

const loopDelays = Effect.acquireRelease(
  Effect.sync(() => {
    const delays = monitorEventLoopDelay({ resolution: 20 })
    delays.enable()
    return delays
  }),
  (delays) => Effect.sync(() => delays.disable())
)

const PERCENTILES = { p50: 50, p95: 95, p99: 99, max: 100 } as const

/** In milliseconds, since the last look; nothing where no timer has fired meanwhile. */
const delaysIn = (delays: ReturnType<typeof monitorEventLoopDelay> | undefined): Readonly<Record<string, number>> => {
  if (delays === undefined || delays.count === 0) return {}
  const values = Object.entries(PERCENTILES).map(([name, percentile]) => [name, delays.percentile(percentile) / 1e6])
  delays.reset()
  return Object.fromEntries(values)
}

const signalOf = (name: string, value: number, component: string): Signal => {
  if (name === "cpu") return measure("gemini_cli.cpu.usage", value, { component })
  return name in PERCENTILES
    ? measure("gemini_cli.event_loop.delay", value, { percentile: name, component })
    : measure("gemini_cli.memory.usage", value, { memory_type: name, component })
}
