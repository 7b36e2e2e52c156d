import { expect, test } from "bun:test"
import { knownOf, loadedTable, resultsOf, tableOf } from "./bench-report.ts"
import type { Row } from "./bench-rows.ts"
import { median } from "./measure.ts"

const row = (changes: Partial<Row> = {}): Row => ({
  label: "start",
  program: "ours",
  against: "base",
  metric: "time",
  budget: 2,
  ...changes
})

const MEASURED = new Map([
  ["base", { ms: 10, peakMiB: 12 }],
  ["ours", { ms: 15, peakMiB: undefined }],
  ["theirs", { ms: 3000, peakMiB: 240 }]
])

test("a ratio within its budget, one over it, one that was not measured", () => {
  const results = resultsOf([row(), row({ budget: 1.2 }), row({ metric: "memory" })], MEASURED)
  expect(results.map(({ isWithin, ratio, value }) => ({ isWithin, ratio, value }))).toEqual([
    { value: 15, ratio: 1.5, isWithin: true },
    { value: 15, ratio: 1.5, isWithin: false },
    { value: undefined, ratio: undefined, isWithin: undefined }
  ])
})

test("the table shows fractions for small ratios and marks what is over", () => {
  const results = resultsOf([row({ budget: 1.2 }), row({ against: "theirs", budget: 1 / 25 })], MEASURED)
  expect(tableOf(results)).toBe(
    [
      "path   median   ratio  budget    \u0020     measured against\n",
      "start  15.0 ms  1.5 x  <= 1.2 x  OVER  base\n",
      "start  15.0 ms  1/200  <= 1/25   ok    theirs\n"
    ].join("")
  )
})

test("a row without a budget is only compared; what is known of a row is told when it is over or was not measured", () => {
  const { budget: _, ...compared } = row({ label: "compared", known: "never told" })
  const results = resultsOf(
    [
      compared,
      row({ label: "met", known: "never told" }),
      row({ label: "over", budget: 1.2, known: "it waits" }),
      row({ label: "absent", metric: "memory", known: "nobody weighs it" })
    ],
    MEASURED
  )
  expect(results.map(({ isWithin }) => isWithin)).toEqual([undefined, true, false, undefined])
  expect(tableOf(results)).toContain("compared  15.0 ms       1.5 x                  base\n")
  expect(knownOf(results)).toBe(
    "\nnot met, as far as it is known:\n  over (base): it waits\n  absent (base): nobody weighs it\n"
  )
  expect(knownOf(results.slice(0, 2))).toBe("")
})

test("chunks are summed, the largest first", () => {
  const chunks = [
    { name: "a.js", bytes: 1024 },
    { name: "b.js", bytes: 2048 }
  ]
  expect(loadedTable([{ path: "run", chunks, steps: 12 }])).toBe(
    "path  chunks  loaded   steps  largest\nrun   2       3.0 KiB  12     b.js 2.0 KiB, a.js 1.0 KiB\n"
  )
})

test.each([
  [[3, 1, 2], 2],
  [[4, 1, 3, 2], 2.5],
  [[7], 7]
])("the median of %j is %d", (values, expected) => {
  expect(median(values)).toBe(expected)
})

test("what takes less than a millisecond is shown in microseconds", () => {
  const measured = new Map([
    ["base", { ms: 10, peakMiB: undefined }],
    ["ours", { ms: 0.0426, peakMiB: undefined }]
  ])
  expect(tableOf(resultsOf([row({ budget: 1 / 20 })], measured))).toContain("42.6 µs  1/235  <= 1/20  ok")
})
