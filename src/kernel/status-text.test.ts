import { expect, test } from "bun:test"
import { elapsedText, spinnerFrame } from "./status-text.ts"

test.each([
  [-5, "0s"],
  [999, "0s"],
  [59_999, "59s"],
  [65_000, "1m05s"],
  [3_600_000, "1h00m"],
  [7_384_000, "2h03m"]
])("%d milliseconds are %s", (milliseconds, text) => expect(elapsedText(milliseconds)).toBe(text))

test("the spinner turns, in whichever characters there are", () => {
  expect([0, 119, 120, 1_200].map((elapsed) => spinnerFrame(elapsed, { unicode: true }))).toEqual(["⠋", "⠋", "⠙", "⠋"])
  expect([0, 120, 480].map((elapsed) => spinnerFrame(elapsed, { unicode: false }))).toEqual(["|", "/", "|"])
})
