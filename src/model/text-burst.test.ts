import { describe, expect, test } from "bun:test"
import { DateTime, FastCheck as fc } from "effect"
import { chunk, partsChunk } from "../../test/kit/chat-room.ts"
import { NO_USAGE } from "../protocol/usage.ts"
import { makeBodyParser } from "./answer-body.ts"
import type { ModelChunk } from "./model-client.ts"
import { FEW } from "./text-burst.ts"

/** What a reader is told when these events come with the same read, or each with a read of its own. */
const arriving = (chunks: ReadonlyArray<unknown>, how: "together" | "alone"): ReadonlyArray<ModelChunk> => {
  const events = chunks.map((value) => `data: ${JSON.stringify(value)}\n\n`)
  const parser = makeBodyParser({ model: "m", now: DateTime.unsafeMake(0) })
  return (how === "together" ? [events.join("")] : events).flatMap((piece) => parser.push(piece).chunks)
}

const many = (count: number): ReadonlyArray<ModelChunk> =>
  Array.from({ length: count }, (_, index) => ({
    ...chunk(`${index} `),
    usageMetadata: { ...NO_USAGE, totalTokenCount: index }
  }))

/** All that is said, in order: neighbouring pieces of plain text as one. */
const said = (chunks: ReadonlyArray<ModelChunk>): ReadonlyArray<unknown> => {
  const result: Array<unknown> = []
  for (const { candidates = [], promptFeedback } of chunks) {
    const [candidate, ...others] = candidates
    const { content, ...rest } = candidate ?? {}
    for (const part of content?.parts ?? []) {
      const isPlain = Object.keys(part).join() === "text"
      const before = result.at(-1)
      if (isPlain && typeof before === "string") result[result.length - 1] = before + part.text
      else result.push(isPlain ? part.text : part)
    }
    for (const more of [rest, promptFeedback ?? {}]) if (Object.keys(more).length > 0) result.push(more)
    if (others.length > 0) result.push(others)
  }
  return result
}

describe("chunks that arrive together", () => {
  test("stay as they are while they are few", () => {
    expect(arriving(many(FEW), "together")).toEqual([...many(FEW)])
  })

  test("become one text when they are many, with the counts of the last", () => {
    expect(arriving(many(FEW + 1), "together")).toEqual([
      {
        candidates: [
          {
            content: {
              role: "model",
              parts: [{ text: Array.from({ length: FEW + 1 }, (_, index) => `${index} `).join("") }]
            }
          }
        ],
        usageMetadata: { ...NO_USAGE, totalTokenCount: FEW }
      }
    ])
  })

  test("say the same, whatever stands among them", () => {
    const anyChunk = fc.oneof(
      { weight: 8, arbitrary: fc.string({ minLength: 1 }).map((text) => chunk(text)) },
      {
        weight: 3,
        arbitrary: fc.constantFrom<unknown>(
          partsChunk([{ text: "t", thought: true }]),
          partsChunk([{ text: "s", thoughtSignature: "sig" }]),
          partsChunk([{ functionCall: { name: "ls", args: {} } }]),
          partsChunk([{ text: "a" }, { text: "b" }]),
          partsChunk([{ inlineData: { mimeType: "image/png", data: "" } }]),
          chunk("end", "STOP"),
          { candidates: [{ content: { parts: [{ text: "n", ofNewerKind: 1 }] } }] },
          { promptFeedback: { blockReason: "SAFETY" } },
          { modelVersion: "m" },
          { candidates: [{ content: { parts: [{ text: "c" }] }, citationMetadata: { citations: [{ uri: "u" }] } }] },
          { candidates: [{ content: { parts: [{ text: "one" }] } }, { content: { parts: [{ text: "two" }] } }] }
        )
      }
    )
    fc.assert(
      fc.property(fc.array(anyChunk, { minLength: FEW + 1, maxLength: 60 }), (chunks) => {
        expect(said(arriving(chunks, "together"))).toEqual(said(arriving(chunks, "alone")))
      })
    )
  })

  test("a chunk that cannot be read ends them, and what came before it is kept", () => {
    const parser = makeBodyParser({ model: "m", now: DateTime.unsafeMake(0) })
    const events = [...many(20), { modelVersion: 7 }, ...many(20)].map((value) => `data: ${JSON.stringify(value)}\n\n`)
    const { chunks, failure } = parser.push(events.join(""))
    expect(said(chunks)).toEqual(said(many(20)))
    expect(failure).toMatchObject({ kind: "bad-response", phase: "body" })
  })
})
