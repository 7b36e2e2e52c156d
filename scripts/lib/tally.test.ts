import { expect, test } from "bun:test"
import { isGood, lineOf, sum, tallyOf } from "./tally.ts"

const report = (attributes: string) =>
  `<?xml version="1.0"?>\n<testsuites name="bun test" ${attributes}>\n</testsuites>`

test.each([
  ['tests="5" failures="0" skipped="0"', 0, { passed: 5, failed: 0 }],
  ['tests="5" failures="2" skipped="1"', 1, { passed: 2, failed: 2 }],
  ['tests="5" failures="0" skipped="0"', 1, { passed: 5, failed: 1 }],
  ['tests="0" failures="0" skipped="0"', 0, { passed: 0, failed: 1 }],
  ['tests="3" failures="0" skipped="3"', 0, { passed: 0, failed: 1 }]
])("a report with %s and exit code %d", (attributes, exitCode, expected) => {
  expect(tallyOf(report(attributes), exitCode)).toEqual(expected)
})

test("a missing report is a failure", () => {
  expect(tallyOf("", 0)).toEqual({ passed: 0, failed: 1 })
})

test("the last line sums all parts, and only passing tests are good", () => {
  const all = sum([
    { passed: 6, failed: 0 },
    { passed: 10, failed: 1 }
  ])
  expect(lineOf(all)).toBe("16 passed, 1 failed")
  expect(isGood(all)).toBe(false)
  expect(isGood({ passed: 1, failed: 0 })).toBe(true)
  expect(isGood(sum([]))).toBe(false)
})
