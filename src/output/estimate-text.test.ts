import { expect, test } from "bun:test"
import type { EventOf } from "../protocol/event.ts"
import { estimateFields, estimateText } from "./estimate-text.ts"

const estimate: EventOf<"RequestEstimated"> = {
  _tag: "RequestEstimated",
  model: "m",
  totalTokens: 1_000_000,
  inputCostUsd: 0.001_25,
  pieces: [
    { kind: "instruction", name: "system instruction", tokens: 750_000, share: 0.75 },
    { kind: "context_file", name: "/w/\u001b[31mGEMINI.md", tokens: 250_000, share: 0.25, trust: "trusted" }
  ]
}

test("a table that lines up, and no control sequences of a file name", () => {
  expect(estimateText(estimate)).toMatch(
    new RegExp(
      [
        " tokens  share  part of the request",
        " 750000    75%  system instruction",
        " 250000    25%  /w/GEMINI\\.md \\(trusted\\)",
        "1000000   100%  total for m, about \\$0\\.00125 for the input \\(prices of [\\d-]+\\); nothing was sent",
        "$"
      ].join("\n")
    )
  )
})

test("a price that is not known is left out for people, and null for programs", () => {
  const { inputCostUsd: _, ...unpriced } = estimate
  expect(estimateText(unpriced)).toContain("total for m; nothing was sent")
  expect(estimateFields(unpriced).input_cost_usd).toBeNull()
})

test.each([
  [0, "$0.00"],
  [0.012, "$0.01"],
  [12.345, "$12.35"],
  [0.0001, "$0.0001"]
])("%p dollars are %s", (inputCostUsd, shown) =>
  expect(estimateText({ ...estimate, inputCostUsd })).toContain(`about ${shown} for`)
)
