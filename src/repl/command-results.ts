/** Carries out what a slash command answered, and sends the prompts of a conversation. */
import { Effect, Option, Ref } from "effect"
import { Chat } from "../chat/chat.ts"
import type { ChatError } from "../chat/chat-error.ts"
import type { Prompt } from "../chat/chat-options.ts"
import { SessionStats } from "../chat/stats/session-stats.ts"
import type { Environment } from "../config/environment.ts"
import type { Settings } from "../config/settings.ts"
import * as Flow from "../kernel/flow.ts"
import type { PromptError } from "../prompt/prompt-error.ts"
import { ExitCode } from "../protocol/exit-code.ts"
import type { OpenedSession } from "../session/record/open-session.ts"
import { type CommandQuestion, type CommandResult, type Printed, print } from "../slash/command.ts"
import type { CommandError } from "../slash/command-error.ts"
import { type ExpansionNote, PromptExpansion } from "../slash/prompt-expansion.ts"
import { ask } from "./ask.ts"
import { copyText, openUrl } from "./desktop.ts"
import { ExternalEditor } from "./editor/external-editor.ts"
import { LineEditor } from "./editor/line-editor.ts"
import { printedText } from "./printed-text.ts"
import { recall } from "./recall.ts"
import { Transcript } from "./render/transcript.ts"
import type { Keyboard } from "./terminal/keyboard.ts"
import { Screen } from "./terminal/screen.ts"

/** How line mode ends: for good, or to begin again in the same process. */
export type Ending =
  | { readonly _tag: "Exit"; readonly exitCode: number; readonly deletesSession: boolean }
  /** A new, empty session. */
  | { readonly _tag: "NewSession" }
  /** Another session, which goes on. */
  | { readonly _tag: "Resume"; readonly opened: OpenedSession }
  /** The same conversation, on settings that are read again. */
  | { readonly _tag: "Reconfigure" }
  /** The same conversation, after the person was asked how to sign in. */
  | { readonly _tag: "SignIn"; readonly isSignedOut: boolean }

export type Next =
  | { readonly _tag: "GoOn" }
  /** Text for the person to go on with, and what is said once it is in the line: keys may follow at once. */
  | { readonly _tag: "Draft"; readonly text: string; readonly say: Effect.Effect<void> }
  | { readonly _tag: "End"; readonly ending: Ending }

const GO_ON: Next = { _tag: "GoOn" }

/** A prompt that was not sent stands in the line again. */
export const afterPrompt =
  ({ print }: Pick<Screen["Type"], "print">) =>
  (given: Option.Option<string>): Next =>
    Option.match(given, {
      onNone: () => GO_ON,
      onSome: (text) => ({ _tag: "Draft", text, say: print("The prompt is in the line again.") })
    })

export const makeResults = Effect.fnUntraced(function* (prompts: Prompts) {
  const terminal = yield* Effect.context<Screen | Keyboard | LineEditor | Environment | Settings>()
  const screen = yield* Screen
  const lineEditor = yield* LineEditor
  const editor = yield* ExternalEditor

  const show = (printed: Printed) =>
    Effect.flatMap(screen.columns, (columns) => screen.print(printedText(printed, screen.style, columns)))
  const tell = (text: string) => (text === "" ? Effect.void : show(print(text)))

  const answerOf = Effect.fnUntraced(function* ({ answer, cancel, choices, isSecret, text }: CommandQuestion) {
    const given = yield* Effect.provide(ask({ text, choices, isSecret, isOptional: true }), terminal)
    if (Option.isSome(given)) return yield* Effect.flatMap(answer(given.value), carryOut)
    if (cancel !== undefined) yield* cancel
    return yield* Effect.as(screen.print("Cancelled."), GO_ON)
  })

  const editDraft = (text: string) =>
    editor.edit({ text, fileName: "prompt.md" }).pipe(
      Effect.map((draft): Next => ({ _tag: "Draft", text: draft.replace(/\n+$/, ""), say: Effect.void })),
      Effect.catchTag("ExternalEditorError", (error) => Effect.as(screen.print(error.message), GO_ON))
    )

  const carryOut = (result: CommandResult): Effect.Effect<Next, CommandError> => {
    switch (result._tag) {
      case "Print":
        return Effect.as(show(result), GO_ON)
      case "Submit":
        return Effect.as(prompts.send(result.prompt, result.notes), GO_ON)
      case "SubmitTyped":
        return Effect.map(prompts.sendTyped(result.text, result.before), afterPrompt(screen))
      case "Ask":
        return answerOf(result.question)
      case "NewSession":
        return Effect.as(tell("A new session begins."), { _tag: "End", ending: { _tag: "NewSession" } })
      case "Quit":
        return Effect.succeed({
          _tag: "End",
          ending: { _tag: "Exit", exitCode: ExitCode.success, deletesSession: result.deletesSession }
        })
      case "ResumeSession":
        return Effect.as(tell(result.opened.warnings.join("\n")), {
          _tag: "End",
          ending: { _tag: "Resume", opened: result.opened }
        })
      case "Recall":
        return Effect.as(Effect.zipRight(Effect.provide(recall(result.history), terminal), tell(result.told)), GO_ON)
      case "Draft":
        return Effect.succeed({ _tag: "Draft", text: result.text, say: tell(result.told) })
      case "Reconfigure":
        return Effect.as(tell(result.told), { _tag: "End", ending: { _tag: "Reconfigure" } })
      case "SignIn": {
        const { isSignedOut = false } = result
        return Effect.as(tell(result.told), { _tag: "End", ending: { _tag: "SignIn", isSignedOut } })
      }
      case "Copy":
        return Effect.as(Effect.provide(copyText(result), terminal), GO_ON)
      case "EditDraft":
        return editDraft(result.text)
      case "SetEditorKeys":
        return Effect.as(Effect.zipRight(lineEditor.setViKeys(result.keys === "vi"), tell(result.told)), GO_ON)
      case "OpenUrl":
        return Effect.as(Effect.provide(openUrl(result), terminal), GO_ON)
    }
  }
  return { carryOut }
})

export interface PromptOptions {
  /** An error in words for a person: what happened, and what to do. */
  readonly describe: (error: ChatError | PromptError) => string
}

interface Prompts {
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

/** Prompts of a conversation: expanded, sent, and their answers shown. A failed call is shown too, and is no end. */
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
