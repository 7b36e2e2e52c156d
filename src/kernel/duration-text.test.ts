import { expect, test } from "bun:test"
import { Duration, Option } from "effect"
import { durationFromText } from "./duration-text.ts"

const millis = (text: string) => Option.getOrUndefined(Option.map(durationFromText(text), Duration.toMillis))

test.each([
  ["500ms", 500],
  ["90s", 90_000],
  ["90", 90_000],
  ["10m", 600_000],
  ["1.5h", 5_400_000],
  [" 2 m ", 120_000],
  ["0", 0]
])("%j is a length of time", (text, expected) => expect(millis(text)).toBe(expected))

test.each(["", "s", "-1s", "1d", "1m30s", "1e3", "Infinity", "9".repeat(400)])("%j is none", (text) =>
  expect(millis(text)).toBeUndefined()
)
