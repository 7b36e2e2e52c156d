/**
 * Approval by the person at the terminal. One question at a time; what was typed before a question was there is thrown
 * away, so that no key meant for something else approves anything. Ctrl-C and Esc cancel the whole turn.
 */
import { Effect, Layer } from "effect"
import { Approval, type ApprovalAnswer, type ApprovalQuestion, type Coverage } from "../../approval/approval.ts"
import { visibleText } from "../../kernel/visible-text.ts"
import { ExternalEditor } from "../editor/external-editor.ts"
import { LineEditor } from "../editor/line-editor.ts"
import { type Frame, framedLines } from "../render/framed.ts"
import { paintWith } from "../render/paint.ts"
import { Keyboard } from "../terminal/keyboard.ts"
import { Screen } from "../terminal/screen.ts"
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
    (width): Frame => ({
      columns: width,
      unicode: style.unicode,
      isSpoken: style.isSpoken,
      paint: paintWith(style),
      wrapsHard: style.wrapsHard
    })
  )

const readAnswer = Effect.fnUntraced(function* (
  choices: ReadonlyArray<ApprovalChoice>,
  heading: Effect.Effect<void>,
  onEnter: ApprovalChoice | undefined
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
  { entry, file }: Extract<ApprovalChoice["kind"], { readonly _tag: "Save" }>,
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

type ChoiceKind =
  | { readonly _tag: "Once" }
  | { readonly _tag: "Session"; readonly covers: Coverage }
  | { readonly _tag: "Save"; readonly entry: string; readonly file: string }
  | { readonly _tag: "Modify" }
  | { readonly _tag: "No" }

export interface ApprovalChoice {
  readonly number: number
  readonly letter: string
  readonly label: string
  readonly kind: ChoiceKind
}

interface ChoiceSettings {
  /** Standing approvals are offered in trusted folders only. */
  readonly offersSession: boolean
  /** `security.enablePermanentToolApproval`. */
  readonly offersSaving: boolean
  /** `security.autoAddToPolicyByDefault`. */
  readonly prefersSaving?: boolean
}

/**
 * The answers that a question offers. Numbers and letters are those that scripts rely on: 1 `y` once, 2 `a` for this
 * session, 3 `e` in the editor, 4 `n` no; what else there is comes after them. What does not apply is left out, and the
 * numbers of the rest stay.
 */
export const choicesFor = (question: ApprovalQuestion, settings: ChoiceSettings): ReadonlyArray<ApprovalChoice> => {
  const standing = settings.offersSession ? question.standing : []
  const call = standing.find(({ covers }) => covers === "call")
  const extra = standing.flatMap(({ covers, what }): ReadonlyArray<Unnumbered> => {
    if (covers === "call") return []
    const letter = covers === "server" ? "v" : "m"
    return [{ letter, label: `allow for this session: ${what}`, kind: { _tag: "Session", covers } }]
  })
  const { savedAs: entry, savedIn: file = "auto-saved.toml", what } = call ?? {}
  const save: ReadonlyArray<Unnumbered> =
    settings.offersSaving && entry !== undefined
      ? [{ letter: "s", label: `allow for all sessions: ${what}`, kind: { _tag: "Save", entry, file } }]
      : []
  return [
    { number: 1, letter: "y", label: "allow once", kind: { _tag: "Once" } },
    ...(call === undefined
      ? []
      : [
          {
            number: 2,
            letter: "a",
            label: `allow for this session: ${call.what}`,
            kind: { _tag: "Session", covers: "call" } as const
          }
        ]),
    ...(question.draft === undefined
      ? []
      : [{ number: 3, letter: "e", label: "modify with external editor", kind: { _tag: "Modify" } as const }]),
    { number: 4, letter: "n", label: "no (add a reason for the model)", kind: { _tag: "No" } },
    ...[...extra, ...save].map((choice, index) => ({ ...choice, number: 5 + index }))
  ]
}

/** What Enter alone means; mostly nothing. What a command does is not seen at a glance: that one is always typed. */
export const preselected = (
  { confirmation }: Pick<ApprovalQuestion, "confirmation">,
  choices: ReadonlyArray<ApprovalChoice>,
  { prefersSaving = false }: ChoiceSettings
): ApprovalChoice | undefined =>
  prefersSaving && confirmation.type !== "exec" ? choices.find(({ kind }) => kind._tag === "Save") : undefined

type Unnumbered = Omit<ApprovalChoice, "number">

type TypedAnswer =
  | { readonly _tag: "Chosen"; readonly choice: ApprovalChoice; readonly reason: string | undefined }
  /** Not an answer; `advice` says why, where there is something to say. */
  | { readonly _tag: "Unclear"; readonly advice: string | undefined }

const WORDS: Readonly<Record<string, string>> = { yes: "y", always: "a", edit: "e", modify: "e", no: "n", save: "s" }

const HELP =
  "Answer with a number or its letter, and Enter. n and some words refuse the call and tell the model why; Ctrl-C cancels the whole request."

/** Strict: what could be an answer to something else approves nothing. */
export const answerFrom = (
  typed: string,
  choices: ReadonlyArray<ApprovalChoice>,
  onEnter?: ApprovalChoice
): TypedAnswer => {
  const text = typed.trim()
  if (text === "") {
    return onEnter === undefined
      ? { _tag: "Unclear", advice: undefined }
      : { _tag: "Chosen", choice: onEnter, reason: undefined }
  }
  if (text === "?") return { _tag: "Unclear", advice: HELP }
  const [, head = "", tail = ""] = /^(\d+|\p{L}+)(?:[\s,;:.-]+(.*))?$/su.exec(text) ?? []
  const word = head.toLowerCase()
  const letter = Object.hasOwn(WORDS, word) ? WORDS[word] : word
  const choice = choices.find((one) => String(one.number) === head || one.letter === letter)
  if (choice === undefined) return { _tag: "Unclear", advice: `"${text.slice(0, 40)}" is not one of the answers` }
  const reason = tail.trim()
  if (reason !== "" && choice.kind._tag !== "No") {
    return { _tag: "Unclear", advice: `only "n" takes words: to refuse and say why, answer n ${reason.slice(0, 40)}` }
  }
  return { _tag: "Chosen", choice, reason: reason === "" ? undefined : reason }
}
