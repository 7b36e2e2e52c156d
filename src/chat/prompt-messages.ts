/** The first message of the work on a prompt, and what stays of the last one when the work ends before it is sent. */
import { Cause, Effect, Option } from "effect"
import { SESSION_CONTEXT_TAG } from "../prompt/session-context.ts"
import { type Content, type Part, userText } from "../protocol/content.ts"
import type { ChatError } from "./chat-error.ts"
import type { History } from "./history.ts"
import { isFunctionResponse } from "./request-contents.ts"
import { unsentReplies } from "./tool-messages.ts"

/** The first message of a conversation is preceded by what the model should know of its surroundings. */
export const firstMessage = (
  history: History,
  parts: ReadonlyArray<Part>,
  sessionContext: Effect.Effect<string>
): Effect.Effect<Content> =>
  history.contents.length > 0
    ? Effect.succeed({ role: "user", parts })
    : // The API refuses an empty text.
      Effect.map(sessionContext, (text) => ({ role: "user", parts: text === "" ? parts : [{ text }, ...parts] }))

/** A conversation that was recorded elsewhere may have been kept without what stands before every one. */
export const missingOpening = (
  contents: ReadonlyArray<Content>,
  sessionContext: Effect.Effect<string>
): Effect.Effect<ReadonlyArray<Content>> =>
  contents.length === 0 || contents[0]?.parts[0]?.text?.startsWith(SESSION_CONTEXT_TAG) === true
    ? Effect.succeed([])
    : Effect.map(sessionContext, (text) => [userText(text)])

/** The conversation without what stands before it, so that it is put there anew, as it is now. */
export const withoutOpening = (contents: ReadonlyArray<Content>): ReadonlyArray<Content> => {
  const [first, ...rest] = contents
  if (first?.parts[0]?.text?.startsWith(SESSION_CONTEXT_TAG) !== true) return contents
  const parts = first.parts.slice(1)
  return parts.length === 0 ? rest : [{ ...first, parts }, ...rest]
}

/** Signatures hold for the service that gave them: another one gets the conversation without. */
export const withoutSignatures = (contents: ReadonlyArray<Content>): ReadonlyArray<Content> =>
  contents.map((content) => ({ ...content, parts: content.parts.map(({ thoughtSignature: _, ...part }) => part) }))

/** Tools have run, and the next prompt must know: their results stay, however the run ends; too large ones as a note. */
export const keptResults = (message: Content, cause: Cause.Cause<ChatError>): ReadonlyArray<Content> => {
  if (!isFunctionResponse(message)) return []
  const isTooLarge = Option.exists(Cause.failureOption(cause), ({ _tag }) => _tag === "ContextOverflow")
  return [isTooLarge ? unsentReplies(message) : message]
}
