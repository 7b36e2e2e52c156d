/**
 * The hooks at the two ends of a session. What they say at its beginning is for the model; at its end they are waited
 * for, but a program that was told to stop does not wait long.
 */
import { Effect, Exit } from "effect"
import type { SessionEndReason, SessionStartSource } from "../../hooks/hook-event.ts"
import { Hooks, type Tell } from "../../hooks/hooks.ts"
import { userText } from "../../protocol/content.ts"
import { Chat } from "../chat.ts"
import type { Prompt } from "../chat-options.ts"

/** Put before the prompt of a run that has only one. */
export const promptWithStart = Effect.fnUntraced(function* (source: SessionStartSource, tell: Tell) {
  const hooks = yield* Hooks
  const context = yield* hooks.sessionStart(source, tell)
  return (prompt: Prompt): Prompt =>
    context === undefined
      ? prompt
      : { text: `${context}\n\n${prompt.text}`, parts: [{ text: `${context}\n\n` }, ...prompt.parts] }
})

/** A turn of its own in a conversation. */
export const converseWithStart = Effect.fnUntraced(function* (source: SessionStartSource, tell: Tell) {
  const hooks = yield* Hooks
  const chat = yield* Chat
  const context = yield* hooks.sessionStart(source, tell)
  if (context !== undefined) yield* chat.replaceHistory([...(yield* chat.history), userText(context)])
})

/** From a signal to the end of the program. */
const HURRY = "5 seconds"

/** `reasonOf` gets what came of the session, nothing where it failed; no reason: it goes on in another form. */
export const withSessionEnd = <A, E, R>(
  session: Effect.Effect<A, E, R>,
  reasonOf: (result: A | undefined) => SessionEndReason | undefined,
  tell: Tell
): Effect.Effect<A, E, R> =>
  Effect.onExit(session, (exit) =>
    Effect.gen(function* () {
      const hooks = yield* Hooks
      const reason = reasonOf(Exit.isSuccess(exit) ? exit.value : undefined)
      if (reason === undefined) return
      const end = Effect.interruptible(hooks.told("SessionEnd", reason, tell))
      yield* Exit.isInterrupted(exit) ? Effect.timeoutOption(end, HURRY) : end
    })
  )
