/** Seconds and nanoseconds as a timestamp of Google's interfaces. */
export const isoTime = ([seconds, nanoseconds]: readonly [number, number]): string =>
  new Date(seconds * 1_000 + Math.floor(nanoseconds / 1_000_000)).toISOString()
