/** Prompts of a conversation: expanded, sent, and their answers shown. A failed call is shown too, and is no end. */
import { Effect, Stream } from "effect"
import { Chat, type Prompt } from "../chat/chat.ts"
import type { ChatError } from "../chat/chat-error.ts"
import type { CommandError } from "../commands/command-error.ts"
import { PromptExpansion } from "../commands/prompt-expansion.ts"
import type { PromptError } from "../prompt/prompt-error.ts"
import type { ProtocolEvent } from "../protocol/event.ts"
import { Transcript } from "./render/transcript.ts"

export interface PromptOptions {
  /** An error in words for a person: what happened, and what to do. */
  readonly describe: (error: ChatError | PromptError) => string
  /** Other readers of the events, such as statistics. */
  readonly onEvent: (event: ProtocolEvent) => Effect.Effect<void>
}

export interface Prompts {
  /** `@` references in it are expanded first. */
  readonly sendTyped: (text: string) => Effect.Effect<void, CommandError>
  readonly send: (prompt: Prompt) => Effect.Effect<void>
}

export const makePrompts = Effect.fnUntraced(function* (options: PromptOptions) {
  const chat = yield* Chat
  const expansion = yield* PromptExpansion
  const transcript = yield* Transcript

  const notice = (severity: "info" | "warning" | "error", message: string) =>
    transcript.onEvent({ _tag: "Notice", severity, message })

  const send = (prompt: Prompt) =>
    chat.send(prompt).pipe(
      Stream.tap(options.onEvent),
      Stream.runForEach(transcript.onEvent),
      transcript.during,
      Effect.catchAll((error) => notice("error", options.describe(error)))
    )

  return {
    send,
    sendTyped: Effect.fnUntraced(function* (text) {
      const { notes, parts, text: shown } = yield* expansion.expand(text)
      yield* Effect.forEach(notes, ({ message, severity }) => notice(severity, message), { discard: true })
      yield* send({ text: shown, parts })
    })
  } satisfies Prompts
})
