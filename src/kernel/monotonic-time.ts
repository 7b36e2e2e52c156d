/**
 * Time that only goes forward, in whole milliseconds from some point: for durations and limits. The clock on the wall is
 * set back by an hour now and then; only what people and files are told is read from that one.
 */
import { Clock, Effect } from "effect"

const NANOS_PER_MILLI = 1_000_000n

const toMillis = (nanos: bigint): number => Number(nanos / NANOS_PER_MILLI)

export const monotonicMillis: Effect.Effect<number> = Effect.map(Clock.currentTimeNanos, toMillis)

/** For callbacks, which cannot wait for an effect. */
export const readMonotonicMillis = (clock: Clock.Clock): number => toMillis(clock.unsafeCurrentTimeNanos())
