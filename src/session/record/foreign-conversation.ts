/** Conversations that are kept as bare contents: what `/chat share` and `/chat save` write, and older forms of them. */
import { Effect, Option, Predicate, Schema } from "effect"
import { Content } from "../../protocol/content.ts"
import { readRegularFile } from "../../system/regular-file.ts"
import { recordedContent } from "./message-content.ts"
import { SessionUnreadable } from "./session-reader.ts"
import type { MessageRecord } from "./session-record.ts"

const MAX_BYTES = 64 * 1024 * 1024

const Conversation = Schema.parseJson(
  Schema.Union(
    Schema.Array(Content),
    Schema.Struct({ history: Schema.Array(Content), authType: Schema.optional(Schema.String) })
  )
)

export interface SavedConversation {
  readonly history: ReadonlyArray<Content>
  /** How the person was signed in when it was saved; older files do not say. */
  readonly authType: string | undefined
}

export const readConversation = (file: string): Effect.Effect<SavedConversation, SessionUnreadable> => {
  const content = readRegularFile(file, MAX_BYTES)
  if (content.kind !== "text") {
    const reason = content.kind === "missing" ? "does not exist" : content.reason
    return new SessionUnreadable({ file, reason })
  }
  return Option.match(decode(content.text), {
    onNone: () => new SessionUnreadable({ file, reason: "is not a conversation" }),
    onSome: (found) =>
      Effect.succeed(
        isBare(found) ? { history: found, authType: undefined } : { history: found.history, authType: found.authType }
      )
  })
}

const decode = Schema.decodeUnknownOption(Conversation, { onExcessProperty: "preserve" })

const isBare = (
  found: ReadonlyArray<Content> | { readonly history: ReadonlyArray<Content> }
): found is ReadonlyArray<Content> => !Predicate.hasProperty(found, "history")

/** The same as messages of a session. */
export const contentsIn = (file: string, timestamp: string) =>
  Effect.map(readConversation(file), ({ history }) => ({
    messages: history.map(
      (content): MessageRecord => ({
        id: crypto.randomUUID(),
        timestamp,
        type: content.role === "user" ? "user" : "gemini",
        content: recordedContent(content)
      })
    ),
    warnings: []
  }))
