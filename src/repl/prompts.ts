/** Prompts of a conversation: expanded, sent, and their answers shown. A failed call is shown too, and is no end. */
import { Effect, Option, Ref } from "effect"
import { Chat } from "../chat/chat.ts"
import type { ChatError } from "../chat/chat-error.ts"
import type { Prompt } from "../chat/chat-options.ts"
import { SessionStats } from "../chat/stats/session-stats.ts"
import * as Flow from "../kernel/flow.ts"
import type { PromptError } from "../prompt/prompt-error.ts"
import type { CommandError } from "../slash/command-error.ts"
import { type ExpansionNote, PromptExpansion } from "../slash/prompt-expansion.ts"
import { ask } from "./ask.ts"
import type { LineEditor } from "./editor/line-editor.ts"
import { Transcript } from "./render/transcript.ts"
import type { Keyboard } from "./terminal/keyboard.ts"
import type { Screen } from "./terminal/screen.ts"

export interface PromptOptions {
  /** An error in words for a person: what happened, and what to do. */
  readonly describe: (error: ChatError | PromptError) => string
}

export interface Prompts {
  /**
   * `@` references in it are expanded first; `before` is sent before it as it is. Some: it was not sent, and is given
   * back to be changed.
   */
  readonly sendTyped: (text: string, before?: string) => Effect.Effect<Option.Option<string>, CommandError>
  /** `notes`: what the person should know of it first. */
  readonly send: (prompt: Prompt, notes?: ReadonlyArray<ExpansionNote>) => Effect.Effect<void>
  /** A prompt is being answered now. */
  readonly isAnswering: Effect.Effect<boolean>
}

export const makePrompts = Effect.fnUntraced(function* (options: PromptOptions) {
  const chat = yield* Chat
  const expansion = yield* PromptExpansion
  const transcript = yield* Transcript
  const stats = yield* SessionStats
  const terminal = yield* Effect.context<Screen | Keyboard | LineEditor>()
  const answering = yield* Ref.make(false)

  const notice = (severity: "info" | "warning" | "error", message: string) =>
    transcript.onEvent({ _tag: "Notice", severity, message })

  const tell = (notes: ReadonlyArray<ExpansionNote>) =>
    Effect.forEach(notes, ({ message, severity }) => notice(severity, message), { discard: true })

  const mayRead = (path: string) =>
    Effect.map(
      Effect.provide(ask({ text: `${path} is outside of this folder. Read it?`, choices: YES_NO }), terminal),
      Option.contains("yes")
    )

  const answered = (prompt: Prompt) =>
    chat
      .send({ ...prompt, afterwards: stats.record })
      .pipe(Flow.tap(stats.record), Flow.runForEach(transcript.onEvent), transcript.during, stats.working, (work) =>
        Effect.acquireUseRelease(
          Ref.set(answering, true),
          () => work,
          () => Ref.set(answering, false)
        )
      )

  /** False: it was not sent. */
  const send = (prompt: Prompt): Effect.Effect<boolean> =>
    Effect.catchAll(Effect.as(answered(prompt), true), (error) =>
      Effect.gen(function* () {
        yield* notice("error", options.describe(error))
        if (error._tag === "LoopDetected" && (yield* isNoLoop)) return yield* send(prompt)
        return error._tag !== "ContextOverflow"
      })
    )

  const isNoLoop = Effect.gen(function* () {
    const answer = yield* Effect.provide(ask({ text: "Is this a loop?", choices: LOOP_CHOICES }), terminal)
    if (Option.contains(answer, "disable")) return yield* Effect.as(chat.ignoreLoops, true)
    return yield* Effect.as(notice("info", "The request was halted. Say what should be done differently."), false)
  })

  return {
    isAnswering: Ref.get(answering),
    send: (prompt, notes = []) => Effect.asVoid(Effect.zipRight(tell(notes), send(prompt))),
    sendTyped: Effect.fnUntraced(function* (text: string, before?: string) {
      const { notes, parts, text: shown } = yield* expansion.expand(text, { mayRead, before })
      yield* tell(notes)
      return (yield* send({ text: shown, parts })) ? Option.none() : Option.some(text)
    })
  } satisfies Prompts
})

const LOOP_CHOICES = [
  { value: "keep", label: "Yes, stop here" },
  { value: "disable", label: "No, go on", hint: "and do not look for loops in this session" }
]

const YES_NO = [
  { value: "yes", label: "Yes" },
  { value: "no", label: "No" }
]
