/** The questions of a session to which one can go back, and what each of them led to. Pure. */
import { Option, Schema } from "effect"
import type { FileDiff } from "../../protocol/confirmation.ts"
import { DiffStat } from "../../protocol/event.ts"
import { textOf } from "../record/message-content.ts"
import { isQuestion } from "../record/model-history.ts"
import type { MessageRecord } from "../record/session-record.ts"

export interface RewindPoint {
  readonly messageId: string
  /** As it was typed: it is put back into the input. */
  readonly text: string
  readonly timestamp: string | undefined
  /** Of the edits that came after it, up to the next question. */
  readonly changes: { readonly files: number; readonly linesAdded: number; readonly linesRemoved: number }
}

/** Newest last. */
export const rewindPoints = (messages: ReadonlyArray<MessageRecord>): ReadonlyArray<RewindPoint> => {
  const starts = messages.flatMap((message, index) => (isStart(message) ? [index] : []))
  return starts.flatMap((start, number) => {
    const message = messages[start]
    if (message === undefined) return []
    const edits = editsIn(messages.slice(start, starts[number + 1]))
    return [
      {
        messageId: message.id,
        text: textOf(message.displayContent ?? message.content),
        timestamp: message.timestamp,
        changes: {
          files: new Set(edits.map(({ filePath }) => filePath)).size,
          linesAdded: sum(edits, ({ diffStat }) => diffStat.model_added_lines + diffStat.user_added_lines),
          linesRemoved: sum(edits, ({ diffStat }) => diffStat.model_removed_lines + diffStat.user_removed_lines)
        }
      }
    ]
  })
}

/** The edits from this question on, newest first, as they have to be taken back. */
export const editsSince = (messages: ReadonlyArray<MessageRecord>, messageId: string): ReadonlyArray<FileDiff> => {
  const start = messages.findIndex(({ id }) => id === messageId)
  return start === -1 ? [] : editsIn(messages.slice(start)).toReversed()
}

/** The conversation before this question. */
export const messagesBefore = (
  messages: ReadonlyArray<MessageRecord>,
  messageId: string
): ReadonlyArray<MessageRecord> =>
  messages.slice(
    0,
    Math.max(
      0,
      messages.findIndex(({ id }) => id === messageId)
    )
  )

const isStart = ({ content, displayContent, type }: MessageRecord): boolean =>
  type === "user" && isQuestion(textOf(displayContent ?? content))

const DiffRecord = Schema.Struct({
  fileDiff: Schema.optionalWith(Schema.String, { default: () => "" }),
  fileName: Schema.String,
  filePath: Schema.String,
  originalContent: Schema.NullOr(Schema.String),
  newContent: Schema.String,
  isNewFile: Schema.optionalWith(Schema.Boolean, { default: () => false }),
  diffStat: Schema.optionalWith(DiffStat, {
    default: () => ({
      model_added_lines: 0,
      model_removed_lines: 0,
      model_added_chars: 0,
      model_removed_chars: 0,
      user_added_lines: 0,
      user_removed_lines: 0,
      user_added_chars: 0,
      user_removed_chars: 0
    })
  })
})

const decodeDiff = Schema.decodeUnknownOption(DiffRecord)

const editsIn = (messages: ReadonlyArray<MessageRecord>): ReadonlyArray<FileDiff> =>
  messages.flatMap(({ toolCalls = [] }) =>
    toolCalls.flatMap(({ resultDisplay, status }) =>
      status === "success" ? Option.toArray(decodeDiff(resultDisplay)) : []
    )
  )

const sum = <A>(items: ReadonlyArray<A>, count: (item: A) => number): number =>
  items.reduce((total, item) => total + count(item), 0)
