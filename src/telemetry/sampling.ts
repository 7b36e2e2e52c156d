/**
 * Which samples of a value are worth a record: one that rose by a twentieth above everything before it, and otherwise
 * one a minute, or one in half a minute where somebody is at work. A program that rests tells little. Pure.
 */

interface Kept {
  /** The largest value that was recorded. */
  readonly highest: number
  /** When one was recorded last, in milliseconds. */
  readonly at: number
}

/** What was recorded of each value. */
export type Samples = ReadonlyMap<string, Kept>

export interface Moment {
  /** In milliseconds. */
  readonly now: number
  /** Something has just happened; otherwise only time has passed. */
  readonly isUrgent: boolean
}

const GROWTH = 1.05
const EVERY = { urgent: 30_000, usual: 60_000 }
const FORGOTTEN_AFTER = 3_600_000
/** How often old entries are looked for, in milliseconds. */
export const TIDY_EVERY = 900_000

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
