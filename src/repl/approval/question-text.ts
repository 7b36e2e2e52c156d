/**
 * A question about a tool call as it is printed: what would happen, whole and with everything in it visible, why it is
 * asked, and the answers. All words of the model stand behind a gutter, and none of them can act on the terminal.
 */
import type { ApprovalQuestion, ShownArgument } from "../../approval/approval.ts"
import { questionedText, visibleLine } from "../../kernel/visible-text.ts"
import type { Confirmation, FileDiff } from "../../protocol/confirmation.ts"
import { cutLine, type Frame, framedLines, wordRows } from "../render/framed.ts"
import { marksFor } from "../render/marks.ts"
import { changeCount, diffBody, diffInks, shownDiff } from "../render/tool-report.ts"
import type { ApprovalChoice } from "./approval-at-terminal.ts"

/** Beyond it a question cannot be read any more: its beginning and its end are shown, and what is missing is said. */
export const MAX_ROWS = 2_000

/** More rows than most windows have: the beginning is out of sight when the question is put. */
const TALL = 24

/** A reason that is longer would push what it is about out of sight. */
const MAX_REASON_CHARS = 600

export const questionText = (
  question: ApprovalQuestion,
  choices: ReadonlyArray<ApprovalChoice>,
  frame: Frame
): ReadonlyArray<string> => [
  ...headingLines(question.confirmation, frame),
  ...(question.agent === undefined ? [] : indented(`for the agent ${visibleLine(question.agent)}`, frame)),
  ...surroundings(question.confirmation, frame),
  ...countSpoken(bodyLines(question.confirmation), frame),
  ...(question.confirmation.type === "edit"
    ? whole(shownDiff(bodyLines(question.confirmation), frame), frame, diffInks)
    : whole(bodyLines(question.confirmation), frame)),
  ...openingLines(question, frame),
  ...argumentLines(question.arguments, frame),
  ...indented(`asked because ${shortened(visibleLine(question.why))}`, frame),
  ...choiceLines(choices, frame)
]

/** Labels quote what is allowed; a very long one is cut, since the whole of it was shown above. */
export const choiceLines = (choices: ReadonlyArray<ApprovalChoice>, frame: Frame): ReadonlyArray<string> =>
  choices.flatMap(({ label, letter, number }) => {
    const room = Math.max(8, frame.columns - 10)
    const rows = wordRows(cutLine(visibleLine(label), MAX_LABEL_ROWS * room, marksFor(frame)), frame, room)
    const shown = rows.length <= MAX_LABEL_ROWS ? rows : [...rows.slice(0, MAX_LABEL_ROWS), marksFor(frame).more]
    return shown.map((row, index) =>
      index === 0 ? `  ${frame.paint(`${number}`, "bold")} (${letter}) ${row}` : `          ${row}`
    )
  })

const MAX_LABEL_ROWS = 3

const shortened = (text: string): string =>
  text.length <= MAX_REASON_CHARS
    ? text
    : `${text.slice(0, MAX_REASON_CHARS)}... (${text.length - MAX_REASON_CHARS} more characters)`

/** Nobody hears an indentation: the number of lines says where the words of others end. */
const countSpoken = (lines: ReadonlyArray<string>, { isSpoken }: Frame): ReadonlyArray<string> =>
  isSpoken === true && lines.length > 1 ? [`  ${lines.length} lines:`] : []

/** What changes the meaning of a command without standing in it. */
const surroundings = (confirmation: Confirmation, frame: Frame): ReadonlyArray<string> => {
  if (confirmation.type !== "exec" && confirmation.type !== "sandbox_expansion") return []
  const { folder } = confirmation
  return folder === undefined ? [] : indented(`in the folder ${visibleLine(folder)}`, frame)
}

/** What the answer opens is as long as it is: nothing of it is cut. */
const openingLines = ({ confirmation, why }: ApprovalQuestion, frame: Frame): ReadonlyArray<string> =>
  confirmation.type !== "sandbox_expansion"
    ? []
    : [
        ...indented(
          confirmation.isAgain
            ? "it ran in the sandbox and failed; it would run once more, with this open to it:"
            : "it would run in the sandbox with this open to it:",
          frame
        ),
        ...whole([questionedText(visibleLine(confirmation.opens))], frame),
        ...(why === confirmation.origin
          ? []
          : indented(`because ${shortened(visibleLine(confirmation.origin))}`, frame))
      ]

const argumentLines = (given: ReadonlyArray<ShownArgument>, frame: Frame): ReadonlyArray<string> => {
  if (given.length === 0) return []
  const lines = given.flatMap(({ name, value }) => {
    const [first = "", ...others] = questionedText(value).split("\n")
    return [`${visibleLine(name)}: ${first}`, ...others.map((line) => `    ${line}`)]
  })
  return ["  with these arguments:", ...whole(lines, frame)]
}

const indented = (text: string, frame: Frame): ReadonlyArray<string> =>
  wordRows(text, frame, frame.columns - 5).map((row, index) => (index === 0 ? `  ${row}` : `    ${row}`))

/** Names that are too long for the line of the question stand below it, behind the gutter like all words of others. */
const headingLines = (confirmation: Confirmation, frame: Frame): ReadonlyArray<string> => {
  const { about, asks, names: given } = heading(confirmation)
  const names = questionedText(visibleLine(given))
  const full = `${[asks, names].filter((words) => words !== "").join(" ")}?${about}`
  const fits = Bun.stringWidth(full) + 3 < frame.columns
  const mark = frame.paint("?", "bold", "yellow")
  return fits
    ? [`${mark} ${frame.paint(full, "bold")}`]
    : [`${mark} ${frame.paint(`Allow this?${about}`, "bold")}`, ...framedLines([names], frame)]
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
      return {
        asks: "Allow",
        names: confirmation.isBackground === true ? "this command to run in the background" : "this command to run",
        about: ""
      }
    case "sandbox_expansion":
      return { asks: "Open the sandbox for", names: "this command", about: "" }
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

const bodyLines = (confirmation: Confirmation): ReadonlyArray<string> => {
  switch (confirmation.type) {
    case "edit":
      return diffBody(questionedText(confirmation.diff.fileDiff))
    case "exec":
    case "sandbox_expansion":
      return questionedText(confirmation.command).split("\n")
    case "mcp":
      return questionedText(JSON.stringify(confirmation.toolArgs, null, 2)).split("\n")
    case "info":
      return [...questionedText(confirmation.prompt).split("\n"), ...confirmation.urls.map(addressLine)]
    case "ask_user":
      return questionedText(JSON.stringify(confirmation.questions, null, 2)).split("\n")
    case "exit_plan_mode":
      return [visibleLine(confirmation.planPath)]
  }
}

/** From the beginning to the end. Where it is too long, the middle is left out: neither end can be pushed out of it. */
const whole = (
  lines: ReadonlyArray<string>,
  frame: Frame,
  inksOf?: Parameters<typeof framedLines>[2]
): ReadonlyArray<string> => {
  const rows = framedLines(lines, frame, inksOf)
  const warning = (text: string) => frame.paint(`  ${text}`, "bold", "red")
  const missing = rows.length - MAX_ROWS
  if (missing <= 0) return rows.length <= TALL ? rows : [...rows, warning(`${rows.length} rows: they begin further up`)]
  const half = MAX_ROWS / 2
  const note = warning(`NOT SHOWN: rows ${half + 1} to ${half + missing}; they would count all the same`)
  return [
    ...rows.slice(0, half),
    note,
    ...rows.slice(-half),
    warning(`${rows.length} rows, and ${missing} of them, in the middle, are NOT SHOWN: they would count all the same`)
  ]
}

/** Letters of other scripts may pass for ours: the name that is really asked for stands beside them. */
const addressLine = (address: string): string => {
  const shown = visibleLine(address)
  const host = URL.canParse(address) ? new URL(address).host : ""
  return host === "" || shown.includes(host) ? shown : `${shown} (host ${host})`
}
