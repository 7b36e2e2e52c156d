/**
 * What a command prints, for this screen: markdown is rendered, plain text is wrapped between words. Lines of a list keep
 * their second column where the window has room for it.
 */
import { Effect } from "effect"
import type { Printed } from "../commands/command.ts"
import { stripAnsi } from "../kernel/sanitize.ts"
import { readableText, visibleText } from "../kernel/visible-text.ts"
import { makeMarkdownStream } from "./render/markdown/markdown-stream.ts"
import type { Screen } from "./terminal/screen.ts"
import type { TerminalStyle } from "./terminal/terminal-style.ts"

export const printedText = ({ format, text }: Printed, style: TerminalStyle, columns: number): string =>
  format === "markdown" ? rendered(text, style, columns) : wrapped(visibleText(text), columns)

const rendered = (text: string, style: TerminalStyle, columns: number): string => {
  const stream = makeMarkdownStream(style)
  return [...stream.push(readableText(stripAnsi(text)), columns), ...stream.end()].join("\n")
}

/** A few words of this program, also where they quote others. */
export const printWords = ({ columns, print }: Screen["Type"], text: string): Effect.Effect<void> =>
  Effect.flatMap(columns, (width) => print(wrapped(visibleText(text), width)))

export const wrapped = (text: string, columns: number): string =>
  text
    .split("\n")
    .map((line) => (Bun.stringWidth(line) <= columns ? line : wrappedLine(line, columns)))
    .join("\n")

/** A gap of two blanks begins the second column. */
const FIRST_COLUMN = /^\s*(?:\S+(?: \S+)*\s{2,})?/

const wrappedLine = (line: string, columns: number): string => {
  const first = FIRST_COLUMN.exec(line)?.[0] ?? ""
  const width = Bun.stringWidth(first)
  const isRoomy = width <= columns / 2
  const indent = " ".repeat(isRoomy ? width : Math.min(4, columns >> 2))
  const [head, body] = isRoomy ? [first, line.slice(first.length)] : ["", line]
  const room = Math.max(1, columns - indent.length)
  const [start = "", ...rest] = Bun.wrapAnsi(body, room, { trim: true }).split("\n")
  return [head + start, ...rest.map((row) => indent + row)].join("\n")
}
