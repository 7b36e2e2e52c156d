/** The visible text of an answer: thoughts left out, parts joined. Empty when there is none. */
import type { ModelChunk } from "./model-client.ts"

export const answerText = (chunk: ModelChunk): string =>
  (chunk.candidates?.[0]?.content?.parts ?? [])
    .filter((part) => part.thought !== true)
    .map((part) => part.text ?? "")
    .join("")
