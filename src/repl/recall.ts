/** The end of a conversation that goes on, as it would stand on the screen had it never been left. */
import { Effect } from "effect"
import { EDITOR_CONTEXT_START } from "../ide/editor-context.ts"
import { readableLine, readableText } from "../kernel/readable-text.ts"
import type { Content } from "../protocol/content.ts"
import { isSystemNote } from "../session/record/model-history.ts"
import { makeMarkdownStream } from "./render/markdown/markdown-stream.ts"
import { marksFor } from "./render/marks.ts"
import { paintWith } from "./render/paint.ts"
import { Screen } from "./terminal/screen.ts"
import type { TerminalStyle } from "./terminal/terminal-features.ts"

/** Enough to know where one was. */
const SHOWN_QUESTIONS = 2
const SHOWN_LINES = 40

export const recall = Effect.fnUntraced(function* (
  history: ReadonlyArray<Content>,
  unanswered: ReadonlyArray<{ readonly text: string; readonly why: string }> = []
) {
  const screen = yield* Screen
  const paint = paintWith(screen.style)
  const lines = [
    ...recallLines(history, screen.style, yield* screen.columns),
    ...unanswered
      .slice(-SHOWN_QUESTIONS)
      .flatMap(({ text, why }) => [questionLine(text), paint(`(no answer: ${readableLine(why)})`, "dim")])
  ]
  if (lines.length > 0) yield* screen.print(lines.join("\n"))
})

export const recallLines = (
  history: ReadonlyArray<Content>,
  style: TerminalStyle,
  columns: number
): ReadonlyArray<string> => {
  const paint = paintWith(style)
  const questions = history.flatMap((content, index) => (questionIn(content) === "" ? [] : [index]))
  const from = questions.at(-SHOWN_QUESTIONS) ?? 0
  const lines = history.slice(from).flatMap((content) => contentLines(content, style, columns))
  const shown = lines.slice(-SHOWN_LINES)
  const hidden = Math.max(0, questions.length - SHOWN_QUESTIONS)
  const note = hidden === 0 && shown.length === lines.length ? [] : [earlier(hidden)]
  return [...note.map((line) => paint(line, "dim")), ...shown]
}

const earlier = (hidden: number): string =>
  hidden === 0
    ? "(the end of the conversation)"
    : `(${hidden} earlier ${hidden === 1 ? "prompt" : "prompts"} not shown)`

/** What a person said; results of calls and the description of the surroundings are none of it. */
const questionIn = ({ parts, role }: Content): string =>
  role === "model"
    ? ""
    : parts
        .map(({ text = "" }) => text)
        .filter((text) => !text.startsWith("<session_context>") && !text.startsWith(EDITOR_CONTEXT_START))
        .filter((text) => !isSystemNote(text))
        .join("\n")
        .trim()

const contentLines = (content: Content, style: TerminalStyle, columns: number): ReadonlyArray<string> => {
  const question = questionIn(content)
  if (question !== "") return [questionLine(question)]
  return content.role === "model" ? answerLines(content, style, columns) : []
}

/** A prompt may hold whole files. */
const QUESTION_ROOM = 500

const questionLine = (question: string): string => `> ${readableLine(question)}`.slice(0, QUESTION_ROOM)

const answerLines = ({ parts }: Content, style: TerminalStyle, columns: number): ReadonlyArray<string> =>
  parts.flatMap(({ functionCall, text, thought }) => {
    if (functionCall !== undefined) return [`${marksFor(style).note} ${readableLine(functionCall.name ?? "")}`]
    if (text === undefined || thought === true) return []
    const stream = makeMarkdownStream(style)
    const shown = stream.push(readableText(text), columns) + stream.end()
    return shown === "" ? [] : [shown.replace(/\n$/, "")]
  })
