import { describe, expect, test } from "bun:test"
import { Either, FastCheck as fc, Schema } from "effect"
import { ModelChunk } from "./model-client.ts"
import { plainChunk } from "./plain-chunk.ts"

const bySchema = Schema.decodeUnknownEither(ModelChunk, { onExcessProperty: "preserve" })

const plain = {
  candidates: [{ content: { parts: [{ text: "a" }], role: "model" }, index: 0 }],
  usageMetadata: { promptTokenCount: 1, promptTokensDetails: [{ modality: "TEXT", tokenCount: 1 }] },
  modelVersion: "m",
  responseId: "r"
}

describe("a chunk of plain text", () => {
  test.each<[string, unknown]>([
    ["as the API sends it", plain],
    ["without counts", { candidates: plain.candidates }],
    ["at the end", { ...plain, candidates: [{ ...plain.candidates[0], finishReason: "STOP", finishMessage: "done" }] }],
    ["without content", { candidates: [{ finishReason: "STOP" }] }],
    [
      "that is a thought",
      { candidates: [{ content: { parts: [{ text: "t", thought: true, thoughtSignature: "s" }] } }] }
    ]
  ])("%s is decoded by hand, to what the schema makes of it", (_, value) => {
    expect(plainChunk(value)).toEqual(Either.getOrThrow(bySchema(value)))
  })
})

/** Values that may stand anywhere, in place of what belongs there. */
const anyWrong = fc.constantFrom<unknown>(null, 0, "", true, [], {}, [null], "text", Number.NaN)
const orWrong = (right: fc.Arbitrary<unknown>) =>
  fc.oneof({ weight: 8, arbitrary: right }, { weight: 1, arbitrary: anyWrong })
const fields = (shape: Readonly<Record<string, fc.Arbitrary<unknown>>>) =>
  orWrong(
    fc.record(Object.fromEntries(Object.entries(shape).map(([key, value]) => [key, orWrong(value)])), {
      requiredKeys: []
    })
  )

const anyPart = fields({
  text: fc.string(),
  thought: fc.boolean(),
  thoughtSignature: fc.string(),
  functionCall: fc.constant({ name: "ls" }),
  inlineData: fc.constant({ data: "AA==" }),
  codeExecutionResult: fc.constant({ output: "x" })
})
const anyChunk = fields({
  candidates: fc.array(
    fields({
      content: fields({ role: fc.constant("model"), parts: fc.array(anyPart, { maxLength: 3 }) }),
      finishReason: fc.constantFrom("STOP", "SAFETY"),
      finishMessage: fc.string(),
      index: fc.nat(2),
      citationMetadata: fc.constant({ citationSources: [{ uri: "u" }] }),
      groundingMetadata: fc.constant({ queries: ["q"] })
    }),
    { maxLength: 2 }
  ),
  promptFeedback: fc.constant({ blockReason: "SAFETY" }),
  usageMetadata: fields({ promptTokenCount: fc.nat(), totalTokenCount: fc.nat(), serviceTier: fc.constant("x") }),
  modelVersion: fc.string(),
  responseId: fc.string(),
  createTime: fc.string()
})

test("nothing passes here that the schema would refuse or read otherwise", () => {
  let passed = 0
  fc.assert(
    fc.property(anyChunk, (chunk) => {
      const decoded = plainChunk(chunk)
      if (decoded === undefined) return
      passed++
      expect(decoded).toEqual(Either.getOrThrow(bySchema(chunk)))
    }),
    { numRuns: 20_000 }
  )
  expect(passed).toBeGreaterThan(100)
})
