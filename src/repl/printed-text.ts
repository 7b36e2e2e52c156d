/**
 * What a command prints, for this screen: markdown is rendered, data stays as it is, and so does plain text: the
 * terminal wraps it. Lists of two columns keep the second one where the window has room for it.
 */
import { Effect } from "effect"
import { readableText } from "../kernel/readable-text.ts"
import { visibleText } from "../kernel/visible-text.ts"
import type { Printed } from "../slash/command.ts"
import { makeMarkdownStream } from "./render/markdown/markdown-stream.ts"
import type { Screen } from "./terminal/screen.ts"
import type { TerminalStyle } from "./terminal/terminal-features.ts"

export const printedText = ({ format, text }: Printed, style: TerminalStyle, columns: number): string => {
  if (format === "markdown") return rendered(text, style, columns)
  return format === "data" ? visibleText(text) : wrapped(visibleText(text), { columns, wrapsHard: style.wrapsHard })
}

const rendered = (text: string, style: TerminalStyle, columns: number): string => {
  const stream = makeMarkdownStream(style)
  return (stream.push(readableText(text), columns) + stream.end()).replace(/\n$/, "")
}

/** A few words of this program, also where they quote others. */
export const printWords = ({ columns, print, style }: Screen["Type"], text: string): Effect.Effect<void> =>
  Effect.flatMap(columns, (width) => print(wrapped(visibleText(text), { columns: width, wrapsHard: style.wrapsHard })))

export interface Wrapping {
  readonly columns: number
  /** As in `TerminalStyle`. */
  readonly wrapsHard?: boolean | undefined
}

export const wrapped = (text: string, { columns, wrapsHard }: Wrapping): string =>
  text
    .split("\n")
    .map((line) => {
      const mayStay = Bun.stringWidth(line) <= columns || (wrapsHard !== true && !SECOND_COLUMN.test(line))
      return mayStay ? line : wrappedLine(line, columns)
    })
    .join("\n")

const SECOND_COLUMN = /^\s*\S+(?: \S+)*\s{2,}\S/

/** A gap of two blanks begins the second column. */
const FIRST_COLUMN = /^\s*(?:\S+(?: \S+)*\s{2,})?/

const wrappedLine = (line: string, columns: number): string => {
  const first = FIRST_COLUMN.exec(line)?.[0] ?? ""
  const second = line.slice(first.length)
  const width = Bun.stringWidth(first)
  if (width <= columns / 2) {
    const [start = "", ...rest] = rowsOf(second, columns - width)
    return [first + start, ...rest.map((row) => " ".repeat(width) + row)].join("\n")
  }
  // The second column stands below the first one.
  const margin = /^\s*/.exec(first)?.[0].slice(0, columns >> 2) ?? ""
  const indent = margin + " ".repeat(Math.min(4, columns >> 2))
  const name = first.trim()
  const names = name === "" ? [] : rowsOf(name, columns - margin.length).map((row) => margin + row)
  return [...names, ...rowsOf(second, columns - indent.length).map((row) => indent + row)].join("\n")
}

const rowsOf = (text: string, room: number): ReadonlyArray<string> =>
  Bun.wrapAnsi(text, Math.max(1, room), { trim: true }).split("\n")
