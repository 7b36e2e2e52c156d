/** Questions of tools, put to the person at the terminal: choices of `ask_user`, and the review of a finished plan. */
import { readFileSync } from "node:fs"
import { Effect, Layer, Option } from "effect"
import { visibleText } from "../kernel/visible-text.ts"
import { type PlanReview, type Question, UserQuestions } from "../tools/user-questions.ts"
import { ask, type Choice, choiceOf } from "./ask.ts"
import type { LineEditor } from "./editor/line-editor.ts"
import type { Keyboard } from "./terminal/keyboard.ts"
import { Screen } from "./terminal/screen.ts"

export const layer = Layer.effect(
  UserQuestions,
  Effect.gen(function* () {
    const terminal = yield* Effect.context<Screen | LineEditor | Keyboard>()
    // Several calls may ask at the same time; a person answers one question at a time.
    const turn = yield* Effect.makeSemaphore(1)
    return UserQuestions.of({
      ask: (questions) => turn.withPermits(1)(Effect.provide(askAll(questions), terminal)),
      reviewPlan: (file) => turn.withPermits(1)(Effect.provide(reviewPlan(file), terminal))
    })
  })
)

const askAll = Effect.fnUntraced(function* (questions: ReadonlyArray<Question>) {
  const answers: Array<string> = []
  for (const question of questions) {
    const answer = yield* askOne(question)
    if (Option.isNone(answer)) return null
    answers.push(answer.value)
  }
  return answers
})

const askOne = (question: Question) => {
  const choices = choicesOf(question)
  const text = [`${question.header}: ${question.question}`, ...advice(question)].join("\n")
  return Effect.map(
    ask({ text, choices, takesOther: true }),
    Option.map((answer) => (question.multiSelect ? severalOf(choices, answer) : answer))
  )
}

const choicesOf = ({ options, type }: Question): ReadonlyArray<Choice> => {
  if (type === "text") return []
  return type === "yesno"
    ? [
        { value: "Yes", label: "Yes" },
        { value: "No", label: "No" }
      ]
    : options.map(({ description, label }) => ({ value: label, label, hint: description }))
}

const advice = ({ multiSelect, placeholder, type }: Question): ReadonlyArray<string> => {
  if (type === "text") return placeholder === undefined ? [] : [`(${placeholder})`]
  return [multiSelect ? "(several numbers with commas, or an answer of your own)" : "(or type an answer of your own)"]
}

/** `1,3` names the first and the third; words that are no choice stay as they are. */
export const severalOf = (choices: ReadonlyArray<Choice>, answer: string): string =>
  answer
    .split(",")
    .map((word) => word.trim())
    .filter((word) => word !== "")
    .map((word) => choiceOf(choices, word)?.value ?? word)
    .join(", ")

const PLAN_CHOICES: ReadonlyArray<Choice> = [
  { value: "auto_edit", label: "Yes, and apply its edits without asking" },
  { value: "default", label: "Yes, and ask before each edit" },
  { value: "no", label: "No, go on planning", hint: "any other text is told to the model" }
]

/** Turning away is no agreement. */
const reviewPlan = Effect.fnUntraced(function* (file: string) {
  const screen = yield* Screen
  yield* screen.print(planText(file))
  const answer = yield* ask({ text: `Carry out this plan? (${file})`, choices: PLAN_CHOICES, takesOther: true })
  return reviewOf(Option.getOrElse(answer, () => "no"))
})

export const reviewOf = (answer: string): PlanReview => {
  if (answer === "auto_edit" || answer === "default") return { approved: true, mode: answer }
  return answer === "no" ? { approved: false } : { approved: false, feedback: answer }
}

const planText = (file: string): string => {
  try {
    return visibleText(readFileSync(file, "utf8"))
  } catch (cause) {
    return `The plan ${file} cannot be shown: ${String(cause)}`
  }
}
