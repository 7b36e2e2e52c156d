/** One answer as telemetry needs it, collected from its chunks. Pure. */
import type { Content, Part } from "../../protocol/content.ts"
import type { UsageMetadata } from "../../protocol/usage.ts"
import type { ModelChunk } from "../model-client.ts"

export interface HeardAnswer {
  /** As the model gave it: neighbouring pieces of text are joined. */
  readonly content: Content
  readonly usage: UsageMetadata | undefined
  readonly finishReasons: ReadonlyArray<string>
  readonly modelVersion: string | undefined
  readonly responseId: string | undefined
}

export const nothingHeard: HeardAnswer = {
  content: { role: "model", parts: [] },
  usage: undefined,
  finishReasons: [],
  modelVersion: undefined,
  responseId: undefined
}

export const addChunk = (heard: HeardAnswer, chunk: ModelChunk): HeardAnswer => {
  const candidate = chunk.candidates?.[0]
  return {
    content: { role: "model", parts: (candidate?.content?.parts ?? []).reduce(addPart, heard.content.parts) },
    usage: chunk.usageMetadata ?? heard.usage,
    finishReasons:
      candidate?.finishReason === undefined ? heard.finishReasons : [...heard.finishReasons, candidate.finishReason],
    modelVersion: chunk.modelVersion ?? heard.modelVersion,
    responseId: chunk.responseId ?? heard.responseId
  }
}

const addPart = (parts: ReadonlyArray<Part>, part: Part): ReadonlyArray<Part> => {
  const last = parts.at(-1)
  return last?.text !== undefined && part.text !== undefined && last.thought === part.thought
    ? [...parts.slice(0, -1), { ...last, ...part, text: last.text + part.text }]
    : [...parts, part]
}
