/** Lengths of time as people write them in flags, variables and settings: `500ms`, `90s`, `10m`, `1.5h`; bare = seconds. */
import { Duration, Option } from "effect"

const UNIT_MILLIS: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 }

export const durationFromText = (text: string): Option.Option<Duration.Duration> => {
  const [, amount, unit] = /^\s*(\d+(?:\.\d+)?)\s*(ms|s|m|h)?\s*$/.exec(text) ?? []
  const millis = Number(amount) * (UNIT_MILLIS[unit ?? "s"] ?? Number.NaN)
  return Number.isFinite(millis) ? Option.some(Duration.millis(millis)) : Option.none()
}
