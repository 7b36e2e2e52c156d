import { expect, test } from "bun:test"
import { FastCheck as fc } from "effect"
import type { Part } from "../protocol/content.ts"
import { estimateContents, estimateParts, estimateText, holdsMedia } from "./token-estimate.ts"

test.each<[string, Part, number]>([
  ["four ASCII characters", { text: "abcd" }, 1],
  ["other characters", { text: "日本" }, 3],
  ["an emoji is one character", { text: "👍" }, 1],
  ["a long text by its length", { text: "日".repeat(100_001) }, 25_000],
  ["an image", { inlineData: { mimeType: "image/png", data: "x".repeat(9000) } }, 3000],
  ["a PDF", { inlineData: { mimeType: "application/pdf", data: "" } }, 25_800],
  ["a function response", { functionResponse: { name: "abcd", response: { output: "x" } } }, 4]
])("%s", (_, part, tokens) => expect(estimateParts([part])).toBe(tokens))

test("media nested in a response counts, to a depth", () => {
  const image = { inlineData: { mimeType: "image/png", data: "" } }
  const nested = (depth: number): Part => (depth === 0 ? image : { functionResponse: { parts: [nested(depth - 1)] } })
  expect([1, 3, 4].map((depth) => estimateParts([nested(depth)]))).toEqual([3000, 3000, 0])
})

test("media is what only the service can count", () => {
  expect(holdsMedia([{ text: "x" }])).toBe(false)
  expect(holdsMedia([{ text: "x" }, { fileData: { fileUri: "gs://x" } }])).toBe(true)
})

test("more text is never fewer tokens, and the whole is about the sum", () => {
  fc.assert(
    fc.property(fc.string(), fc.string(), (a, b) => {
      expect(estimateText(a + b)).toBeGreaterThanOrEqual(estimateText(a))
      const apart = estimateText(a) + estimateText(b)
      expect(estimateContents([{ role: "user", parts: [{ text: a }, { text: b }] }]) - apart).toBeLessThanOrEqual(1)
    })
  )
})
