/** The title of a session in one line, as a model is asked for it. Who asks, and when, is decided by the caller. */
import type { Content } from "../../protocol/content.ts"
import { isQuestion } from "../read/model-history.ts"
import { textOf } from "../record/message-content.ts"
import type { MessageRecord } from "../record/session-record.ts"

/** From the beginning and from the end. */
const MESSAGES_TAKEN = 10
const MESSAGE_LENGTH = 500
const LONGEST_SUMMARY = 80

/** What of a message the request is made of. */
export type SummarizedMessage = Pick<MessageRecord, "id" | "type"> & { readonly text: string }

/** A conversation may be large, and little of it is needed. */
export const forSummary = ({ content, displayContent, id, type }: MessageRecord): SummarizedMessage => {
  const text = textOf(displayContent ?? content).trim()
  const isSaid = type === "user" ? isQuestion(text) : type === "gemini"
  return { id, type, text: isSaid ? text.slice(0, MESSAGE_LENGTH) : "" }
}

/** `undefined`: nobody asked anything, so there is nothing to sum up. */
export const summaryRequest = (messages: ReadonlyArray<SummarizedMessage>): ReadonlyArray<Content> | undefined => {
  const spoken = messages.flatMap(({ text, type }) =>
    text === "" ? [] : [{ speaker: type === "user" ? "User" : "Assistant", text }]
  )
  if (!spoken.some(({ speaker }) => speaker === "User")) return undefined
  const taken =
    spoken.length <= 2 * MESSAGES_TAKEN
      ? spoken
      : [...spoken.slice(0, MESSAGES_TAKEN), ...spoken.slice(-MESSAGES_TAKEN)]
  const conversation = taken.map(({ speaker, text }) => `${speaker}: ${text}`).join("\n\n")
  return [
    {
      role: "user",
      parts: [
        {
          text: `Say in one sentence of at most ${LONGEST_SUMMARY} characters what the user wants in this conversation. Answer with the sentence only.\n\n${conversation}`
        }
      ]
    }
  ]
}

/** The model's answer as a title; `undefined` when it said nothing. */
export const summaryOf = (answer: string): string | undefined => {
  const line = answer
    .replace(/[\p{Cc}\s]+/gu, " ")
    .trim()
    .replace(/^["'`]+|["'`]+$/g, "")
    .trim()
  return line === "" ? undefined : [...line].slice(0, LONGEST_SUMMARY).join("")
}
