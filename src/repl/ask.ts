/**
 * A question at the terminal: the choices are numbered, an answer is a number or the word itself, followed by Enter. What
 * was typed before the question could be read is no answer to it.
 */
import { Effect, Option } from "effect"
import { questionedText } from "../kernel/visible-text.ts"
import { LineEditor } from "./editor/line-editor.ts"
import { type Wrapping, wrapped } from "./printed-text.ts"
import { wordRows } from "./render/framed.ts"
import { Keyboard } from "./terminal/keyboard.ts"
import { Screen } from "./terminal/screen.ts"

export interface Choice {
  readonly value: string
  readonly label: string
  readonly hint?: string | undefined
}

export interface Asked {
  readonly text: string
  /** Empty: any text is an answer, also an empty one. */
  readonly choices: ReadonlyArray<Choice>
  readonly isSecret?: boolean | undefined
  /** Anything that is none of the choices is an answer as well. */
  readonly takesOther?: boolean | undefined
  /** Enter alone turns away from it. */
  readonly isOptional?: boolean | undefined
  /** The choice that Enter alone means. */
  readonly initial?: string | undefined
}

/** `None` when the person turned away: Ctrl-C, Esc, or the end of the input. */
export const ask = Effect.fnUntraced(function* (asked: Asked) {
  const screen = yield* Screen
  const editor = yield* LineEditor
  const keyboard = yield* Keyboard
  yield* keyboard.discardTyped
  const frame = { columns: yield* screen.columns, wrapsHard: screen.style.wrapsHard }
  const question = [wrapped(questionedText(asked.text), frame), ...choiceLines(asked.choices, frame)]
  let heading = screen.print(question.join("\n"))
  const initial = asked.choices.findIndex(({ value }) => value === asked.initial)
  const leaving = asked.isOptional === true ? " (Enter: leave it)" : initial === -1 ? "" : ` (Enter: ${initial + 1})`
  const request = {
    prompt: () => (asked.choices.length === 0 ? "? " : `? 1-${asked.choices.length}${leaving}: `),
    multiLine: false,
    isSecret: asked.isSecret ?? false
  }
  while (true) {
    const result = yield* editor.readLine({ ...request, heading })
    if (result._tag !== "Line") return Option.none<string>()
    const answer = asked.isSecret ? result.text : result.text.trim()
    if (asked.choices.length === 0) return Option.some(answer)
    if (asked.isOptional === true && answer === "") return Option.none<string>()
    const chosen = answer === "" ? asked.choices[initial] : choiceOf(asked.choices, answer)
    if (chosen !== undefined) return Option.some(chosen.value)
    if (asked.takesOther === true && answer !== "") return Option.some(answer)
    heading = screen.print(`Please answer with a number from 1 to ${asked.choices.length}.`)
  }
})

/** Rows of a long choice hang below its first one. */
const choiceLines = (choices: ReadonlyArray<Choice>, frame: Wrapping): ReadonlyArray<string> =>
  choices.flatMap(({ hint, label }, index) => {
    const number = `  ${index + 1}. `
    const text = `${questionedText(label)}${hint === undefined || hint === "" ? "" : `  (${questionedText(hint)})`}`
    const rows = wordRows(text, frame, frame.columns - number.length)
    return rows.map((row, at) => (at === 0 ? number : " ".repeat(number.length)) + row)
  })

/** By number, by value or by label, in any case. `y` and `n` mean the choices that begin with yes and no. */
export const choiceOf = (choices: ReadonlyArray<Choice>, answer: string): Choice | undefined => {
  const word = answer.toLowerCase()
  if (word === "") return undefined
  const short = /^(?:y|yes|n|no)$/.test(word) ? word.slice(0, 1) : undefined
  return (
    choices[/^\d+$/.test(answer) ? Number(answer) - 1 : -1] ??
    choices.find(({ label, value }) => value.toLowerCase() === word || label.toLowerCase() === word) ??
    choices.find(
      ({ label }) => short !== undefined && /^(?:yes|no)\b/i.exec(label)?.[0].toLowerCase().startsWith(short)
    )
  )
}
