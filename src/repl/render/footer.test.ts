import { expect, test } from "bun:test"
import { footerLine, nothingSpent } from "./footer.ts"

const spent = {
  ...nothingSpent,
  model: "gemini-2.5-pro",
  requests: 1,
  inputTokens: 12_300,
  cachedTokens: 8_000,
  outputTokens: 400,
  costUsd: 0.0012
}

test.each<[number, string]>([
  [80, "  gemini-2.5-pro - 12.3k in (8.0k cached) - 400 out - about $0.0012 - 12s"],
  [60, "  12.3k in (8.0k cached) - 400 out - about $0.0012 - 12s"],
  [44, "  12.3k in - 400 out - about $0.0012 - 12s"],
  [40, "  12.3k in - 400 out - about $0.0012"],
  [24, "  12.3k in - 400 out"],
  [12, ""]
])("in %i columns whole parts are left out", (columns, line) => {
  expect(footerLine(spent, 12_000, { columns, unicode: false, hidesModel: false })).toBe(line)
})
