/** Pieces of an answer as hooks see them, and with what hooks say in their place. Pure. */
import { type HookedResponse, type SpokenResponse, withTexts } from "../../hooks/llm-response.ts"
import type { ModelChunk } from "../../model/model-client.ts"
import type { Part } from "../../protocol/content.ts"
import { textOf } from "../answer.ts"
import { partsOf } from "../chunk-events.ts"

/** One or all pieces of an answer: its texts as one, the rest as it came. */
export const responseOf = (chunks: ReadonlyArray<ModelChunk>): HookedResponse => {
  const parts = chunks.flatMap(partsOf)
  const text = textOf(parts)
  const candidates = chunks.flatMap(({ candidates }) => candidates?.[0] ?? [])
  return {
    parts: text === "" ? parts : withTexts(parts, [text]),
    finishReason: candidates.findLast(({ finishReason }) => finishReason !== undefined)?.finishReason,
    safetyRatings: candidates.map((one) => ("safetyRatings" in one ? one.safetyRatings : undefined)).findLast(isGiven),
    usage: chunks.findLast(({ usageMetadata }) => usageMetadata !== undefined)?.usageMetadata
  }
}

/** The answer that a hook gives. */
export const answerChunk = ({ finishReason, texts }: SpokenResponse): ModelChunk => ({
  candidates: [{ content: { role: "model", parts: asParts(texts) }, finishReason: finishReason ?? "STOP" }]
})

/** The first piece with a text takes the new one, the others lose theirs; calls, thoughts and counts stay. */
export const withSpoken = (
  chunks: ReadonlyArray<ModelChunk>,
  { finishReason, texts }: SpokenResponse
): ReadonlyArray<ModelChunk> => {
  const place = chunks.findIndex((chunk) => textOf(partsOf(chunk)) !== "")
  const changed = chunks.map((chunk, index) =>
    changedChunk(chunk, {
      texts: index === place ? texts : [],
      finishReason: index === chunks.length - 1 ? finishReason : undefined
    })
  )
  return place === -1 ? [{ candidates: [{ content: { role: "model", parts: asParts(texts) } }] }, ...changed] : changed
}

const changedChunk = (
  chunk: ModelChunk,
  { finishReason, texts }: { readonly texts: ReadonlyArray<string>; readonly finishReason: string | undefined }
): ModelChunk => {
  const [candidate, ...others] = chunk.candidates ?? []
  if (candidate === undefined) return chunk
  return {
    ...chunk,
    candidates: [
      {
        ...candidate,
        ...(candidate.content === undefined
          ? {}
          : { content: { ...candidate.content, parts: withTexts(partsOf(chunk), texts) } }),
        ...(finishReason === undefined ? {} : { finishReason })
      },
      ...others
    ]
  }
}

const asParts = (texts: ReadonlyArray<string>): ReadonlyArray<Part> => texts.map((text) => ({ text }))

const isGiven = (value: unknown): boolean => value !== undefined
