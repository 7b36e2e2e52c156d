/**
 * Most chunks of an answer hold a piece of text and nothing else, and a long answer has a hundred thousand of them. Such a
 * chunk is checked here by hand, as strictly as the schema would do it and many times faster. Everything else is left to
 * the schema, which also finds the words for what is wrong.
 */
import { Predicate } from "effect"
import { NO_USAGE } from "../protocol/usage.ts"
import type { ModelChunk } from "./model-client.ts"

/** The chunk with missing counts completed, as the schema decodes it; `undefined`: the schema has to look at it. */
export const plainChunk = (value: unknown): ModelChunk | undefined => {
  if (!Predicate.isRecord(value) || !isPlain(value)) return undefined
  return value.usageMetadata === undefined
    ? value
    : { ...value, usageMetadata: { ...NO_USAGE, ...value.usageMetadata } }
}

type Fields = { readonly [key: string]: unknown }
type PlainChunk = ModelChunk & { readonly usageMetadata?: Partial<typeof NO_USAGE> }

const isPlain = (chunk: Fields): chunk is Fields & PlainChunk =>
  Array.isArray(chunk.candidates) &&
  chunk.candidates.every(isPlainCandidate) &&
  chunk.promptFeedback === undefined &&
  // An error beside an answer is an error.
  !Object.hasOwn(chunk, "error") &&
  isTextOrNone(chunk.modelVersion) &&
  isTextOrNone(chunk.responseId) &&
  (chunk.usageMetadata === undefined || (Predicate.isRecord(chunk.usageMetadata) && areCounts(chunk.usageMetadata)))

const isPlainCandidate = (candidate: unknown): boolean =>
  Predicate.isRecord(candidate) &&
  isTextOrNone(candidate.finishReason) &&
  isTextOrNone(candidate.finishMessage) &&
  candidate.citationMetadata === undefined &&
  candidate.groundingMetadata === undefined &&
  (candidate.content === undefined || isPlainContent(candidate.content))

const isPlainContent = (content: unknown): boolean =>
  Predicate.isRecord(content) &&
  isTextOrNone(content.role) &&
  Array.isArray(content.parts) &&
  content.parts.every(isPlainPart)

const isPlainPart = (part: unknown): boolean =>
  Predicate.isRecord(part) &&
  typeof part.text === "string" &&
  (part.thought === undefined || typeof part.thought === "boolean") &&
  isTextOrNone(part.thoughtSignature) &&
  part.functionCall === undefined &&
  part.functionResponse === undefined &&
  part.inlineData === undefined &&
  part.fileData === undefined

const isTextOrNone = (value: unknown): boolean => value === undefined || typeof value === "string"

const COUNTS = Object.keys(NO_USAGE)

const areCounts = (usage: Fields): boolean =>
  COUNTS.every((name) => usage[name] === undefined || typeof usage[name] === "number")
