/**
 * Looks at the memory and the processor time of the program from time to time. A value is recorded when it has grown by
 * a twentieth since the last record, and otherwise once a minute: a program that rests tells little.
 */
import { Clock, Effect, type Scope } from "effect"
import { measure, record, type Signal } from "./signal.ts"
import type { Recording } from "./telemetry.ts"

const GROWTH = 1.05
const AT_LEAST_EVERY = 60_000
const COMPONENT = "monitor"

/** Of each value, what was recorded last and when, in milliseconds. */
export type Recorded = ReadonlyMap<string, { readonly value: number; readonly at: number }>

/** The values that are worth a record now. */
export const worthRecording = (values: Readonly<Record<string, number>>, before: Recorded, now: number) =>
  Object.entries(values).filter(([name, value]) => {
    const last = before.get(name)
    return last === undefined || value > last.value * GROWTH || now - last.at >= AT_LEAST_EVERY
  })

/** Until the scope ends; `every` is in milliseconds. */
export const monitorMemory = (to: Recording, every: number): Effect.Effect<void, never, Scope.Scope> =>
  Effect.gen(function* () {
    const recorded = new Map<string, { readonly value: number; readonly at: number }>()
    let cpu = process.cpuUsage()
    let since = yield* Clock.currentTimeMillis
    const look = Effect.gen(function* () {
      const now = yield* Clock.currentTimeMillis
      const { external, heapTotal, heapUsed, rss } = process.memoryUsage()
      const memory = { heap_used: heapUsed, heap_total: heapTotal, external, rss }
      const used = process.cpuUsage(cpu)
      const percent = (used.user + used.system) / 10 / Math.max(1, now - since)
      cpu = process.cpuUsage()
      since = now
      const signals = worthRecording(memory, recorded, now).map(([name, value]): Signal => {
        recorded.set(name, { value, at: now })
        return measure("gemini_cli.memory.usage", value, { memory_type: name, component: COMPONENT })
      })
      yield* record(to, [...signals, measure("gemini_cli.cpu.usage", percent, { component: COMPONENT })])
    })
    yield* Effect.forkScoped(Effect.forever(Effect.zipRight(look, Effect.sleep(every))))
  })
