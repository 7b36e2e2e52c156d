import { expect, test } from "bun:test"
import { type ThinkingWish, withThinking } from "./thinking.ts"

const of = (model: string, wish: ThinkingWish) => {
  const given = { model, config: { temperature: 1, thinkingConfig: { includeThoughts: true, thinkingBudget: 8192 } } }
  const { notice, resolved } = withThinking(given, wish)
  return { thinking: resolved.config.thinkingConfig, isNoticed: notice !== undefined }
}

test.each([
  ["gemini-2.5-flash", "off", { thinkingBudget: 0 }, false],
  ["gemini-2.5-flash", "high", { thinkingBudget: 24_576 }, false],
  ["gemini-2.5-flash", 99_999, { thinkingBudget: 24_576 }, true],
  ["gemini-2.5-pro", "off", { thinkingBudget: 128 }, true],
  ["gemini-2.5-pro", 32_000, { thinkingBudget: 32_000 }, false],
  ["gemini-3-flash-preview", "off", { thinkingLevel: "MINIMAL" }, true],
  ["gemini-3-flash-preview", "medium", { thinkingLevel: "MEDIUM" }, false],
  ["gemini-3-pro-preview", "medium", { thinkingLevel: "HIGH" }, true],
  ["gemini-3.1-pro-preview", "medium", { thinkingLevel: "MEDIUM" }, false],
  ["gemini-3-pro-preview", 500, { thinkingLevel: "LOW" }, false]
] as const)("%s %p", (model, wish, thinking, isNoticed) => {
  expect(of(model, wish)).toEqual({ thinking: { includeThoughts: true, ...thinking }, isNoticed })
})

test("a model that cannot gets no thinking at all, and it is said", () => {
  expect(of("gemini-2.0-flash", "high")).toEqual({ thinking: undefined, isNoticed: true })
})
