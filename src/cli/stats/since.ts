/** How far back: `90m`, `24h`, `7d`, `2w`. */
import { Duration, Option } from "effect"

const UNITS = { m: Duration.minutes, h: Duration.hours, d: Duration.days, w: Duration.weeks } as const

export const sinceOf = (text: string): Option.Option<Duration.Duration> => {
  const [, amount, unit] = /^(\d+)([mhdw])$/.exec(text.trim()) ?? []
  return unit === "m" || unit === "h" || unit === "d" || unit === "w"
    ? Option.some(UNITS[unit](Number(amount)))
    : Option.none()
}
