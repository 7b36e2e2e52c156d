/** The title of a session in one line, as a model is asked for it. Who asks, and when, is decided by the caller. */
import { Effect } from "effect"
import type { Content } from "../../protocol/content.ts"
import { textOf } from "../record/message-content.ts"
import { isQuestion } from "../record/model-history.ts"
import { SessionBusy } from "../record/open-session.ts"
import { appendLines, closeSessionFile, openSessionFile, RecordingError, syncFile } from "../record/session-file.ts"
import { ownerOf } from "../record/session-owner.ts"
import type { MessageRecord, SessionRecord } from "../record/session-record.ts"
import type { SessionEntry } from "./session-list.ts"

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

/** Writes the title of a session into its file, as one more record; when it was last used stays as it was. */
export const keepSummary = Effect.fn("Session.keepSummary")(function* ({ file, id }: SessionEntry, summary: string) {
  const pid = ownerOf(file)
  if (pid !== undefined) return yield* new SessionBusy({ sessionId: id, pid })
  // One object, to which nothing can be appended.
  if (file.endsWith(".json")) return yield* new RecordingError({ file, code: "of an older form" })
  const record: SessionRecord = { $set: { summary } }
  yield* Effect.acquireUseRelease(
    openSessionFile(file, { create: false }),
    (target) => Effect.zipRight(appendLines(target, [JSON.stringify(record)]), syncFile(target)),
    closeSessionFile
  )
})
