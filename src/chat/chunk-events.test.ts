import { describe, expect, test } from "bun:test"
import { FastCheck as fc } from "effect"
import { chunk, partsChunk } from "../../test/kit/chat-room.ts"
import type { ModelChunk } from "../model/model-client.ts"
import { NO_USAGE } from "../protocol/usage.ts"
import { type Answer, addChunk, emptyAnswer } from "./answer.ts"
import { gathered } from "./chunk-events.ts"

const many = (count: number): ReadonlyArray<ModelChunk> =>
  Array.from({ length: count }, (_, index) => ({
    ...chunk(`${index} `),
    usageMetadata: { ...NO_USAGE, totalTokenCount: index }
  }))

const answerOf = (chunks: ReadonlyArray<ModelChunk>): Answer =>
  chunks.reduce((answer, next) => addChunk(answer, next, []), emptyAnswer)

describe("chunks that arrive together", () => {
  test("stay as they are while they are few", () => {
    const few = many(16)
    expect(gathered(few)).toBe(few)
  })

  test("become one text when they are many, with the counts of the last", () => {
    const result = gathered(many(17))
    expect(result).toHaveLength(1)
    expect(result[0]?.candidates?.[0]?.content?.parts).toEqual([
      { text: Array.from({ length: 17 }, (_, index) => `${index} `).join("") }
    ])
    expect(result[0]?.usageMetadata?.totalTokenCount).toBe(16)
  })

  test("come to the same answer, whatever stands among them", () => {
    const anyChunk = fc.oneof(
      { weight: 8, arbitrary: fc.string({ minLength: 1 }).map((text) => chunk(text)) },
      {
        weight: 3,
        arbitrary: fc.constantFrom(
          partsChunk([{ text: "t", thought: true }]),
          partsChunk([{ text: "s", thoughtSignature: "sig" }]),
          partsChunk([{ functionCall: { name: "ls", args: {} } }]),
          partsChunk([{ text: "a" }, { text: "b" }]),
          partsChunk([{ inlineData: { mimeType: "image/png", data: "" } }]),
          chunk("end", "STOP"),
          { promptFeedback: { blockReason: "SAFETY" } },
          { modelVersion: "m" },
          { candidates: [{ content: { parts: [{ text: "c" }] }, citationMetadata: { citations: [{ uri: "u" }] } }] }
        )
      }
    )
    fc.assert(
      fc.property(fc.array(anyChunk, { minLength: 17, maxLength: 60 }), (chunks) => {
        expect(answerOf(gathered(chunks))).toEqual(answerOf(chunks))
      })
    )
  })
})
