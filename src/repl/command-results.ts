/** Carries out what a slash command answered. */
import { Effect, Option } from "effect"
import type { Environment } from "../config/environment.ts"
import type { Settings } from "../config/settings.ts"
import { ExitCode } from "../protocol/exit-code.ts"
import type { OpenedSession } from "../session/record/open-session.ts"
import { type CommandResult, type Printed, print, type Question } from "../slash/command.ts"
import type { CommandError } from "../slash/command-error.ts"
import { ask } from "./ask.ts"
import { copyText, openUrl } from "./desktop.ts"
import { ExternalEditor } from "./editor/external-editor.ts"
import { LineEditor } from "./editor/line-editor.ts"
import { printedText } from "./printed-text.ts"
import type { Prompts } from "./prompts.ts"
import { recall } from "./recall.ts"
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

  const answerOf = Effect.fnUntraced(function* ({ answer, cancel, choices, isSecret, text }: Question) {
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
