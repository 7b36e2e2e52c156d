/**
 * A question about a tool call as it is printed: what would happen, whole and with everything in it visible, why it is
 * asked, and the answers. All words of the model stand behind a gutter, and none of them can act on the terminal.
 */
import type { ApprovalQuestion } from "../../approval/approval.ts"
import { visibleLine, visibleText } from "../../kernel/visible-text.ts"
import type { Confirmation, FileDiff } from "../../protocol/confirmation.ts"
import { changeCount, diffBody, diffInks } from "../render/diff-lines.ts"
import { type Frame, framedLines } from "../render/framed.ts"
import { wrapText } from "../render/markdown/wrap.ts"
import { marksFor } from "../render/marks.ts"
import type { Choice } from "./choices.ts"

/** Beyond it a question cannot be read any more; the rest is in the editor, and the question says so. */
export const MAX_LINES = 2_000

export const questionText = (
  question: ApprovalQuestion,
  choices: ReadonlyArray<Choice>,
  frame: Frame
): ReadonlyArray<string> => [
  ...headingLines(question.confirmation, frame),
  ...(question.agent === undefined ? [] : indented(`for the agent ${visibleLine(question.agent)}`, frame)),
  ...body(question.confirmation, frame),
  ...indented(`asked because ${visibleLine(question.why)}`, frame),
  ...choiceLines(choices, frame)
]

/** Labels quote what is allowed; a very long one is cut, since the whole of it was shown above. */
export const choiceLines = (choices: ReadonlyArray<Choice>, frame: Frame): ReadonlyArray<string> =>
  choices.flatMap(({ label, letter, number }) => {
    const rows = wrapText(visibleLine(label), Math.max(8, frame.columns - 10))
    const shown = rows.length <= MAX_LABEL_ROWS ? rows : [...rows.slice(0, MAX_LABEL_ROWS), marksFor(frame).more]
    return shown.map((row, index) =>
      index === 0 ? `  ${frame.paint(`${number}`, "bold")} (${letter}) ${row}` : `          ${row}`
    )
  })

const MAX_LABEL_ROWS = 3

const indented = (text: string, { columns }: Frame): ReadonlyArray<string> =>
  wrapText(text, Math.max(8, columns - 5)).map((row, index) => (index === 0 ? `  ${row}` : `    ${row}`))

/** Names that are too long for the line of the question stand below it, behind the gutter like all words of others. */
const headingLines = (confirmation: Confirmation, frame: Frame): ReadonlyArray<string> => {
  const { about, asks, names } = heading(confirmation)
  const full = `${[asks, visibleLine(names)].filter((words) => words !== "").join(" ")}?${about}`
  const fits = Bun.stringWidth(full) + 3 < frame.columns
  const mark = frame.paint("?", "bold", "yellow")
  return fits
    ? [`${mark} ${frame.paint(full, "bold")}`]
    : [`${mark} ${frame.paint(`Allow this?${about}`, "bold")}`, ...framedLines([visibleLine(names)], frame)]
}

interface Heading {
  /** Empty where the names ask by themselves. */
  readonly asks: string
  readonly names: string
  readonly about: string
}

const heading = (confirmation: Confirmation): Heading => {
  switch (confirmation.type) {
    case "edit":
      return { asks: "Allow a change to", names: confirmation.diff.filePath, about: ` ${changes(confirmation.diff)}` }
    case "exec":
      return { asks: "Allow", names: "this command to run", about: "" }
    case "mcp":
      return { asks: "Allow", names: `${confirmation.toolName} of MCP server ${confirmation.serverName}`, about: "" }
    default:
      // Most titles are questions of their own: "Fetch these pages?".
      return { asks: "", names: confirmation.title.replace(/\?$/, ""), about: "" }
  }
}

const changes = ({ diffStat, isNewFile }: FileDiff): string => {
  const added = diffStat.model_added_lines + diffStat.user_added_lines
  const removed = diffStat.model_removed_lines + diffStat.user_removed_lines
  return `(${isNewFile ? "new file, " : ""}${changeCount(added, removed)})`
}

const body = (confirmation: Confirmation, frame: Frame): ReadonlyArray<string> => {
  switch (confirmation.type) {
    case "edit":
      return whole(diffBody(visibleText(confirmation.diff.fileDiff)), frame, diffInks)
    case "exec":
      return whole(visibleText(confirmation.command).split("\n"), frame)
    case "mcp":
      return whole(visibleText(JSON.stringify(confirmation.toolArgs, null, 2)).split("\n"), frame)
    case "info":
      return whole([...visibleText(confirmation.prompt).split("\n"), ...confirmation.urls.map(addressLine)], frame)
    case "ask_user":
      return whole(visibleText(JSON.stringify(confirmation.questions, null, 2)).split("\n"), frame)
    case "exit_plan_mode":
      return whole([visibleLine(confirmation.planPath)], frame)
  }
}

const whole = (
  lines: ReadonlyArray<string>,
  frame: Frame,
  inksOf?: Parameters<typeof framedLines>[2]
): ReadonlyArray<string> => {
  const shown = framedLines(lines.slice(0, MAX_LINES), frame, inksOf)
  const missing = lines.length - MAX_LINES
  return missing <= 0
    ? shown
    : [...shown, frame.paint(`  NOT SHOWN: ${missing} more lines; they would count all the same`, "bold", "red")]
}

/** Letters of other scripts may pass for ours: the name that is really asked for stands beside them. */
const addressLine = (address: string): string => {
  const shown = visibleLine(address)
  const host = URL.canParse(address) ? new URL(address).host : ""
  return host === "" || shown.includes(host) ? shown : `${shown} (host ${host})`
}
