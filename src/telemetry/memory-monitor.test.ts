import { expect, test } from "bun:test"
import { worthRecording } from "./memory-monitor.ts"

const before = new Map([["rss", { value: 1_000, at: 0 }]])

test.each<[string, number, number, boolean]>([
  ["the same, soon after", 1_000, 1_000, false],
  ["grown by less than a twentieth", 1_050, 1_000, false],
  ["grown by more", 1_051, 1_000, true],
  ["smaller", 10, 1_000, false],
  ["the same, a minute later", 1_000, 60_000, true]
])("%s", (_, value, now, isWorth) =>
  expect(worthRecording({ rss: value }, before, now)).toEqual(isWorth ? [["rss", value]] : [])
)

test("what was never recorded is", () =>
  expect(worthRecording({ heap_used: 1 }, before, 0)).toEqual([["heap_used", 1]]))
