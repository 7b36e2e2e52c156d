/** A model's answer as hooks see it, and back. Calls, thoughts and media are not shown, and stay when texts are replaced. */
import { Predicate } from "effect"
import type { Part } from "../protocol/content.ts"
import type { UsageMetadata } from "../protocol/usage.ts"
import { isText } from "./llm-request.ts"

/** An answer, or one piece of it. */
export interface HookedResponse {
  readonly parts: ReadonlyArray<Part>
  readonly finishReason?: string | undefined
  readonly safetyRatings?: unknown
  readonly usage?: UsageMetadata | undefined
}

/** What a hook says in place of the model. */
export interface SpokenResponse {
  readonly texts: ReadonlyArray<string>
  readonly finishReason: string | undefined
}

export const toLlmResponse = ({ finishReason, parts, safetyRatings, usage }: HookedResponse) => {
  const text = parts.filter(isText).map((part) => part.text)
  return {
    ...(text.length === 0 ? {} : { text: text.join("") }),
    candidates: [
      {
        content: { role: "model", parts: text },
        ...(finishReason === undefined ? {} : { finishReason }),
        index: 0,
        ...(Array.isArray(safetyRatings) ? { safetyRatings } : {})
      }
    ],
    ...(usage === undefined
      ? {}
      : {
          usageMetadata: {
            promptTokenCount: usage.promptTokenCount,
            candidatesTokenCount: usage.candidatesTokenCount,
            totalTokenCount: usage.totalTokenCount
          }
        })
  }
}

/** `undefined` where it holds no part: then nothing is replaced. */
export const readLlmResponse = (value: unknown): SpokenResponse | undefined => {
  if (!Predicate.isReadonlyRecord(value)) return undefined
  const candidate: unknown = Array.isArray(value.candidates) ? value.candidates[0] : undefined
  const content = Predicate.isReadonlyRecord(candidate) ? candidate.content : undefined
  const parts = Predicate.isReadonlyRecord(content) && Array.isArray(content.parts) ? content.parts : []
  const texts = parts.flatMap(textOf)
  const finishReason = Predicate.isReadonlyRecord(candidate) ? candidate.finishReason : undefined
  const said = texts.length > 0 ? texts : typeof value.text === "string" ? [value.text] : []
  return said.length === 0
    ? undefined
    : { texts: said, finishReason: typeof finishReason === "string" ? finishReason : undefined }
}

/** The parts with these texts in the place of the old ones. */
export const withTexts = (parts: ReadonlyArray<Part>, texts: ReadonlyArray<string>): ReadonlyArray<Part> => {
  const spoken = texts.map((text): Part => ({ text }))
  const first = parts.findIndex(isText)
  // Without a text of its own, an answer is a thought followed by calls: words stand between them.
  const at = first === -1 ? leadingThoughts(parts) : first
  const rest = (some: ReadonlyArray<Part>) => some.filter((part) => !isText(part))
  return [...rest(parts.slice(0, at)), ...spoken, ...rest(parts.slice(at))]
}

const leadingThoughts = (parts: ReadonlyArray<Part>): number => {
  const end = parts.findIndex((part) => part.thought !== true)
  return end === -1 ? parts.length : end
}

/** A part is a string; the form of the API is understood as well. */
const textOf = (part: unknown): ReadonlyArray<string> => {
  if (typeof part === "string") return [part]
  return Predicate.isReadonlyRecord(part) && typeof part.text === "string" ? [part.text] : []
}
