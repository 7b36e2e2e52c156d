/**
 * Where the history is cut: what stands before becomes a snapshot, the latest 30 % of the characters stay as they are.
 * A cut never separates a call from its answer, and never takes a call that still waits for one.
 */
import type { Content } from "../../protocol/content.ts"
import { isFunctionResponse } from "../request-contents.ts"

const COMPRESSED_SHARE = 0.7

/** The number of messages that are compressed; zero when there is no safe cut. */
export const splitPoint = (contents: ReadonlyArray<Content>): number => {
  const lengths = contents.map((content) => JSON.stringify(content).length)
  const target = COMPRESSED_SHARE * lengths.reduce((sum, length) => sum + length, 0)
  const atQuestion = cutAt(contents, lengths, target, isQuestion)
  if (atQuestion.isFarEnough) return atQuestion.index
  if (isFinished(contents.at(-1))) return contents.length
  // Long work on one question offers no other cut: between two rounds of tools nothing is torn apart either.
  const betweenRounds = (content: Content, before: Content | undefined) => content.role === "model" && isResult(before)
  return Math.max(atQuestion.index, cutAt(contents, lengths, target, betweenRounds).index)
}

/** The first place that reaches the target, else the last one of all. */
const cutAt = (
  contents: ReadonlyArray<Content>,
  lengths: ReadonlyArray<number>,
  target: number,
  isPlace: (content: Content, before: Content | undefined) => boolean
): { readonly index: number; readonly isFarEnough: boolean } => {
  let length = 0
  let last = 0
  for (const [index, content] of contents.entries()) {
    if (isPlace(content, contents[index - 1])) {
      if (length >= target) return { index, isFarEnough: true }
      last = index
    }
    length += lengths[index] ?? 0
  }
  return { index: last, isFarEnough: false }
}

const isQuestion = (content: Content): boolean => content.role === "user" && !isFunctionResponse(content)

const isResult = (content: Content | undefined): boolean => content !== undefined && isFunctionResponse(content)

const isFinished = (content: Content | undefined): boolean =>
  content?.role === "model" && !content.parts.some((part) => part.functionCall !== undefined)
