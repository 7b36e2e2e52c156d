/**
 * Approval by the person at the terminal. One question at a time; what was typed before a question was there is thrown
 * away, so that no key meant for something else approves anything. Ctrl-C and Esc cancel the whole turn.
 */
import { Effect, Layer } from "effect"
import { Approval, type ApprovalAnswer, type ApprovalQuestion } from "../../approval/approval.ts"
import { visibleText } from "../../kernel/visible-text.ts"
import { ExternalEditor } from "../editor/external-editor.ts"
import { LineEditor } from "../editor/line-editor.ts"
import { type Frame, framedLines } from "../render/framed.ts"
import { paintWith } from "../render/paint.ts"
import { Keyboard } from "../terminal/keyboard.ts"
import { Screen } from "../terminal/screen.ts"
import { answerFrom, type Choice, type ChoiceSettings, choicesFor, preselected, type TypedAnswer } from "./choices.ts"
import { choiceLines, questionText } from "./question-text.ts"

export interface ApprovalOptions extends ChoiceSettings {
  /** Where saved rules go: the project's where it is trusted and has rules of its own, else the user's. */
  readonly savesTo: "user" | "workspace"
  /** `general.enableNotifications`: somebody may have looked away. */
  readonly notifies: boolean
}

export const layer = (options: ApprovalOptions) =>
  Layer.effect(
    Approval,
    Effect.gen(function* () {
      const services = yield* Effect.context<Screen | Keyboard | LineEditor | ExternalEditor>()
      const turn = yield* Effect.makeSemaphore(1)
      return Approval.of({
        ask: (question) => turn.withPermits(1)(Effect.provide(askOne(question, options), services))
      })
    })
  )

const askOne = Effect.fn("Approval.ask")(function* (question: ApprovalQuestion, options: ApprovalOptions) {
  const screen = yield* Screen
  const keyboard = yield* Keyboard
  const choices = choicesFor(question, options)
  const onEnter = preselected(question, choices, options)
  const frame = yield* frameOf(screen)
  yield* keyboard.discardTyped
  if (options.notifies) yield* screen.notify("gemini waits for an approval")
  let shown = questionText(question, choices, frame)
  while (true) {
    const typed = yield* readAnswer(choices, screen.print(shown.join("\n")), onEnter)
    const answer = typed._tag === "Unclear" ? undefined : yield* answerTo(typed, question, options)
    if (answer !== undefined) return answer
    const advice = typed._tag === "Unclear" && typed.advice !== undefined ? [visibleText(typed.advice)] : []
    shown = [...advice, ...choiceLines(choices, frame)]
  }
})

const frameOf = ({ columns, style }: Screen["Type"]) =>
  Effect.map(
    columns,
    (width): Frame => ({ columns: width, unicode: style.unicode, paint: paintWith(style), wrapsHard: style.wrapsHard })
  )

const readAnswer = Effect.fnUntraced(function* (
  choices: ReadonlyArray<Choice>,
  heading: Effect.Effect<void>,
  onEnter: Choice | undefined
) {
  const editor = yield* LineEditor
  const numbers = choices.map(({ number }) => number).join("/")
  const enter = onEnter === undefined ? "" : ` (Enter: ${onEnter.number})`
  const line = yield* editor.readLine({ prompt: () => `Allow? ${numbers}${enter}: `, multiLine: false, heading })
  switch (line._tag) {
    case "Line":
      return answerFrom(line.text, choices, onEnter)
    case "EndOfInput":
      return answerFrom("n", choices)
    case "Interrupted":
    case "Escaped":
      return yield* Effect.interrupt
  }
})

/** `undefined`: it came to nothing, and the question stands. */
const answerTo = Effect.fnUntraced(function* (
  { choice, reason }: Extract<TypedAnswer, { readonly _tag: "Chosen" }>,
  question: ApprovalQuestion,
  options: ApprovalOptions
): Effect.fn.Return<ApprovalAnswer | undefined, never, Screen | LineEditor | ExternalEditor> {
  switch (choice.kind._tag) {
    case "Once":
      return { _tag: "Once" }
    case "No":
      return { _tag: "No", reason }
    case "Session":
      return { _tag: "Always", covers: choice.kind.covers, keep: "session" }
    case "Save":
      return (yield* agreesToEntry(choice.kind, options))
        ? { _tag: "Always", covers: "call", keep: options.savesTo }
        : undefined
    case "Modify":
      return yield* modified(question)
  }
})

/** It outlives the session: it is shown as it would be written. */
const agreesToEntry = Effect.fnUntraced(function* (
  { entry, file }: Extract<Choice["kind"], { readonly _tag: "Save" }>,
  { savesTo }: ApprovalOptions
) {
  const screen = yield* Screen
  const editor = yield* LineEditor
  const frame = yield* frameOf(screen)
  const place = savesTo === "user" ? "your policies" : "the policies of this project"
  const shown = [
    `This would be added to ${file.startsWith("sandbox") ? "your policies" : place} (${file}):`,
    ...framedLines(visibleText(entry).trimEnd().split("\n"), frame)
  ]
  const heading = screen.print(shown.join("\n"))
  const line = yield* editor.readLine({ prompt: () => "Save it? y/n: ", multiLine: false, heading })
  if (line._tag === "Interrupted" || line._tag === "Escaped") return yield* Effect.interrupt
  return line._tag === "Line" && /^\s*y(?:es)?\s*$/i.test(line.text)
})

const modified = Effect.fnUntraced(function* ({ draft }: ApprovalQuestion) {
  const screen = yield* Screen
  const editor = yield* ExternalEditor
  if (draft === undefined) return undefined
  return yield* editor.edit(draft).pipe(
    Effect.flatMap((text) =>
      text === draft.text
        ? Effect.as(screen.print("Nothing was changed."), undefined)
        : Effect.succeed<ApprovalAnswer>({ _tag: "Modified", text, isSettled: false })
    ),
    Effect.catchTag("ExternalEditorError", (error) => Effect.as(screen.print(visibleText(error.message)), undefined))
  )
})
