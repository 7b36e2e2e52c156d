/** The `Retry-After` header: whole seconds, or an HTTP date. */
import { DateTime, Duration, Option } from "effect"

/** A date in the past means no wait. Anything else that cannot be read is ignored. */
export const parseRetryAfter = (header: string, now: DateTime.Utc): Option.Option<Duration.Duration> =>
  /^\s*\d+\s*$/.test(header)
    ? Option.some(Duration.seconds(Number(header)))
    : DateTime.make(new Date(header)).pipe(
        Option.map((date) => Duration.millis(Math.max(0, DateTime.distance(now, date))))
      )
