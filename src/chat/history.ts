/**
 * The conversation so far and what it weighs, as one value: a step that fails puts the value before it back. Sizes are
 * kept while the history grows, so that no turn costs more than the one before.
 */

import { estimateParts } from "../model/token-estimate.ts"
import type { Content } from "../protocol/content.ts"
import { maskable, SMALL_RESULT } from "./masking/maskable.ts"
import { isFunctionResponse } from "./request-contents.ts"
import { interruptedReplies } from "./tool-messages.ts"

export interface History {
  readonly contents: ReadonlyArray<Content>
  /** What the service counted for the last request; zero when it has not said. */
  readonly promptTokens: number
  /** Our own estimate of the contents. */
  readonly estimatedTokens: number
  /** The part of it that is results of tools which are worth leaving out once they are old. */
  readonly responseTokens: number
}

export const emptyHistory: History = { contents: [], promptTokens: 0, estimatedTokens: 0, responseTokens: 0 }

export const appended = (history: History, ...contents: ReadonlyArray<Content>): History => ({
  ...weighed(contents, history),
  contents: [...history.contents, ...contents],
  promptTokens: history.promptTokens
})

/** A conversation that was recorded, or cut back: nobody has counted it yet. */
export const historyOf = (contents: ReadonlyArray<Content>): History => appended(emptyHistory, ...contents)

/** With the model's answer, and the size of the request as the service counted it. */
export const answered = (history: History, answer: Content | undefined, promptTokens: number): History => ({
  ...(answer === undefined ? history : appended(history, answer)),
  promptTokens
})

/** Other contents in place of these; `savedTokens` are no longer sent. */
export const replaced = (history: History, contents: ReadonlyArray<Content>, savedTokens: number): History => ({
  ...weighed(contents, emptyHistory),
  contents,
  promptTokens: Math.max(0, history.promptTokens - savedTokens)
})

/** Tokens of the whole as the service counts them, or as well as we can tell. */
export const sizeOf = ({ estimatedTokens, promptTokens }: History): number =>
  promptTokens > 0 ? promptTokens : estimatedTokens

/**
 * Ready for a message of the user, whatever ended the work before: a call that was never answered gets an answer, and
 * results that the model never commented on are closed by a note in its place.
 */
export const settled = (history: History): History => {
  const last = history.contents.at(-1)
  if (last === undefined) return history
  if (last.role === "user") return isFunctionResponse(last) ? appended(history, INTERRUPTED) : history
  const calls = last.parts.flatMap((part) => part.functionCall ?? [])
  return calls.length === 0 ? history : appended(history, interruptedReplies(calls), INTERRUPTED)
}

const INTERRUPTED: Content = {
  role: "model",
  parts: [{ text: "[My answer to these results was interrupted.]" }]
}

const weighed = (contents: ReadonlyArray<Content>, before: History) => {
  let { estimatedTokens, responseTokens } = before
  for (const content of contents) {
    const tokens = estimateParts(content.parts)
    estimatedTokens += tokens
    if (tokens > SMALL_RESULT && content.parts.some((part) => maskable(part) !== undefined)) responseTokens += tokens
  }
  return { estimatedTokens, responseTokens }
}
