/**
 * Most chunks of an answer hold a piece of text and nothing else, and a long answer has a hundred thousand of them. Such a
 * chunk is checked here by hand, as strictly as the schema would do it and many times faster. Everything else is left to
 * the schema, which also finds the words for what is wrong.
 */
import { NO_USAGE, type UsageMetadata } from "../protocol/usage.ts"
import type { ModelChunk } from "./model-client.ts"

type Fields = { readonly [key: string]: unknown }
/** As it came: counts may be missing. */
export type PlainChunk = ModelChunk & { readonly usageMetadata?: Partial<UsageMetadata> }

/** The chunk with missing counts completed, as the schema decodes it; `undefined`: the schema has to look at it. */
export const plainChunk = (value: unknown): ModelChunk | undefined => (isPlain(value) ? completed(value) : undefined)

export const completed = (chunk: PlainChunk): ModelChunk =>
  chunk.usageMetadata === undefined ? chunk : { ...chunk, usageMetadata: { ...NO_USAGE, ...chunk.usageMetadata } }

/** Of a value that was read from JSON: a field that is there is never `undefined`. */
export const isPlain = (value: unknown): value is PlainChunk =>
  isFields(value) &&
  isListOf(value.candidates, isPlainCandidate) &&
  value.promptFeedback === undefined &&
  // An error beside an answer is an error.
  value.error === undefined &&
  isTextOrNone(value.modelVersion) &&
  isTextOrNone(value.responseId) &&
  (value.usageMetadata === undefined || (isFields(value.usageMetadata) && areCounts(value.usageMetadata)))

const isPlainCandidate = (candidate: unknown): boolean =>
  isFields(candidate) &&
  isTextOrNone(candidate.finishReason) &&
  isTextOrNone(candidate.finishMessage) &&
  candidate.citationMetadata === undefined &&
  candidate.groundingMetadata === undefined &&
  (candidate.content === undefined || isPlainContent(candidate.content))

const isPlainContent = (content: unknown): boolean =>
  isFields(content) && isTextOrNone(content.role) && isListOf(content.parts, isPlainPart)

const isPlainPart = (part: unknown): boolean =>
  isFields(part) &&
  typeof part.text === "string" &&
  (part.thought === undefined || typeof part.thought === "boolean") &&
  isTextOrNone(part.thoughtSignature) &&
  part.functionCall === undefined &&
  part.functionResponse === undefined &&
  part.inlineData === undefined &&
  part.fileData === undefined

const isFields = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** Nearly all lists have one element, for which `every` would take longer than the check. */
const isListOf = (list: unknown, isElement: (element: unknown) => boolean): boolean => {
  if (!Array.isArray(list)) return false
  for (let index = 0; index < list.length; index++) if (!isElement(list[index])) return false
  return true
}

const isTextOrNone = (value: unknown): boolean => value === undefined || typeof value === "string"

/** Each by its name: a loop over the names would take longer than all other checks together. */
const areCounts = (usage: Fields): boolean =>
  isCountOrNone(usage.promptTokenCount) &&
  isCountOrNone(usage.candidatesTokenCount) &&
  isCountOrNone(usage.totalTokenCount) &&
  isCountOrNone(usage.cachedContentTokenCount) &&
  isCountOrNone(usage.thoughtsTokenCount) &&
  isCountOrNone(usage.toolUsePromptTokenCount) &&
  isTextOrNone(usage.serviceTier) &&
  isTextOrNone(usage.trafficType)

const isCountOrNone = (value: unknown): boolean => value === undefined || typeof value === "number"
