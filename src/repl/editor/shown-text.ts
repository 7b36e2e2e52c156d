/** How a text stands on the screen: the row in which it is edited, and the lines that stay when it is finished. */
import type { TemporaryLine } from "../terminal/temporary-line.ts"
import type { TerminalStyle } from "../terminal/terminal-style.ts"
import type { EditState } from "./edit-state.ts"
import type { ReadLineRequest } from "./line-editor.ts"
import { row } from "./row.ts"
import { typedLine } from "./typed-text.ts"

export const CONTINUATION = ". "

export interface EditRow {
  readonly state: EditState
  /** The start of the text that stands above already. */
  readonly settled: string
  readonly columns: number
  readonly request: ReadLineRequest
  readonly style: TerminalStyle
}

export const editRow = ({ columns, request, settled, state, style }: EditRow): TemporaryLine => {
  const isSecret = request.isSecret === true
  const mode = state.vi?.mode === "normal" ? "[N] " : ""
  return row({
    prompt: mode + promptOf({ request, settled, state }),
    text: isSecret ? "" : state.text.slice(settled.length),
    cursor: isSecret ? 0 : state.cursor - settled.length,
    columns,
    lineBreak: style.unicode ? "↵" : "^J"
  })
}

const promptOf = ({ request, settled, state }: Pick<EditRow, "request" | "settled" | "state">): string => {
  const { search } = state
  if (search === undefined) return settled === "" ? request.prompt() : CONTINUATION
  const hasFailed = search.query !== "" && search.index === undefined
  return `(${hasFailed ? "nothing found" : "search"}) ${typedLine(search.query, " ")}: `
}

/** The text as it stays. A secret is not shown here either. */
export const finishedLines = (request: ReadLineRequest, text: string, isStart: boolean): string => {
  if (request.isSecret === true) return request.prompt()
  return text
    .split("\n")
    .map((line, index) => (isStart && index === 0 ? request.prompt() : CONTINUATION) + typedLine(line, ""))
    .join("\n")
}
