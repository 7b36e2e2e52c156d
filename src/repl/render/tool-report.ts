/** What is told of a finished tool call: one line with its outcome, and a few lines of what it brought. Pure. */
import { readableLine, readableLines } from "../../kernel/readable-text.ts"
import { elapsedText } from "../../kernel/status-text.ts"
import type { EventOf } from "../../protocol/event.ts"
import { cutLine, cutLines, type Frame, gutteredLines } from "./framed.ts"
import { type Marks, marksFor } from "./marks.ts"
import type { Ink } from "./paint.ts"

/** How the call was announced; absent for one that never began. */
export interface Begun extends Pick<EventOf<"ToolStarted">, "title" | "description" | "wasAsked"> {
  /** Milliseconds since the epoch. */
  readonly startedAt: number
  /** A line already said that it runs. */
  readonly isAnnounced?: boolean
}

const SHOWN_LINES = 5
const SHOWN_DIFF_LINES = 40
const NOTEWORTHY_MS = 1_000

export const toolReport = (
  event: EventOf<"ToolFinished">,
  begun: Begun | undefined,
  frame: Frame
): ReadonlyArray<string> => [headline(event, begun, frame), ...details(event, begun, frame)]

/** Of a call that was at work when the run was cancelled: nothing reports its end. */
export const cancelledReport = ({ description, startedAt, title }: Begun, now: number, frame: Frame): string => {
  const marks = marksFor(frame)
  const facts = [...elapsedFacts(now - startedAt), "cancelled"]
  return reportLine(
    { mark: frame.paint(marks.refused, "yellow"), title: readableLine(title), description, facts },
    frame
  )
}

const headline = (event: EventOf<"ToolFinished">, begun: Begun | undefined, frame: Frame): string => {
  const [mark, ink] = markOf(event, marksFor(frame))
  const facts = [
    ...(event.linesAdded === undefined ? [] : [changeCount(event.linesAdded, event.linesRemoved ?? 0)]),
    ...elapsedFacts(event.durationMs),
    ...(event.status === "cancelled" ? [readableLine(event.output)] : [])
  ]
  const title = readableLine(begun?.title ?? event.displayName ?? event.name)
  const description = begun?.description ?? event.description
  return reportLine({ mark: frame.paint(mark, ink), title, description, facts }, frame)
}

const elapsedFacts = (ms: number): ReadonlyArray<string> => (ms >= NOTEWORTHY_MS ? [elapsedText(ms)] : [])

interface Report {
  readonly mark: string
  readonly title: string
  readonly description: string | undefined
  readonly facts: ReadonlyArray<string>
}

const reportLine = ({ description, facts, mark, title }: Report, frame: Frame): string => {
  const marks = marksFor(frame)
  const end = facts.length === 0 ? "" : ` ${marks.separator} ${facts.join(` ${marks.separator} `)}`
  const room = Math.max(10, frame.columns - 4 - Bun.stringWidth(title) - Bun.stringWidth(end))
  const what = description === undefined ? "" : ` ${cutLine(readableLine(description), room, marks)}`
  return `${mark} ${frame.paint(title, "bold")}${what}${frame.paint(end, "dim")}`
}

const markOf = ({ status }: EventOf<"ToolFinished">, marks: Marks): readonly [string, Ink] => {
  switch (status) {
    case "success":
      return [marks.done, "green"]
    case "error":
      return [marks.failed, "red"]
    case "cancelled":
      return [marks.refused, "yellow"]
  }
}

const details = (event: EventOf<"ToolFinished">, begun: Begun | undefined, frame: Frame): ReadonlyArray<string> => {
  if (event.status === "cancelled") return []
  if (event.status === "error") return faultLines(event.error?.message ?? event.output, frame)
  if (event.name === "write_todos") return todoLines(event.output, frame)
  // Whoever agreed to a change has read it a moment ago.
  if (event.linesAdded !== undefined) return begun?.wasAsked === true ? [] : diffPart(event.output, frame)
  return part(readableLines(event.output), event.name === "run_shell_command" ? "tail" : "head", frame)
}

/** What went wrong is told in whole lines. */
const faultLines = (message: string, frame: Frame): ReadonlyArray<string> => {
  const lines = readableLines(message)
  return gutteredLines([...lines.slice(0, SHOWN_LINES), ...moreNote(lines.length - SHOWN_LINES, frame)], frame)
}

const moreNote = (missing: number, frame: Frame): ReadonlyArray<string> =>
  missing <= 0 ? [] : [`${marksFor(frame).more} ${missing} more lines`]

/** The end of a command's output says how it went; other results say it at the beginning. */
const part = (lines: ReadonlyArray<string>, which: "head" | "tail", frame: Frame): ReadonlyArray<string> => {
  const missing = lines.length - SHOWN_LINES
  if (missing <= 1) return cutLines(lines, frame)
  const note = `${marksFor(frame).more} ${missing} more lines`
  return which === "head"
    ? cutLines([...lines.slice(0, SHOWN_LINES), note], frame)
    : cutLines([note, ...lines.slice(-SHOWN_LINES)], frame)
}

const diffPart = (output: string, frame: Frame): ReadonlyArray<string> => {
  const lines = diffBody(readableLines(output).join("\n"))
  const missing = lines.length - SHOWN_DIFF_LINES
  return [
    ...gutteredLines(shownDiff(lines.slice(0, SHOWN_DIFF_LINES), frame), frame, diffInks),
    ...cutLines(moreNote(missing, frame), frame)
  ]
}

const LOOKS: Readonly<Record<string, readonly [unicode: string, ascii: string, ...inks: ReadonlyArray<Ink>]>> = {
  pending: ["○", "[ ]"],
  in_progress: ["▸", "[>]", "bold", "cyan"],
  completed: ["✓", "[x]", "dim"],
  cancelled: ["⊘", "[-]", "dim", "strike"],
  blocked: ["!", "[!]", "yellow"]
}

/** The model's list of subtasks, from its plain form: `2. [in_progress] Write the tests`. */
const todoLines = (text: string, frame: Frame): ReadonlyArray<string> =>
  readableLines(text).map((line) => {
    const [, status = "", words = line] = /^\d+\. \[(\w+)\] (.*)$/.exec(line) ?? []
    const [unicode, ascii, ...inks] = (Object.hasOwn(LOOKS, status) ? LOOKS[status] : undefined) ?? ["", ""]
    const shown = `${frame.unicode ? unicode : ascii} ${words}`
    return `  ${frame.paint(cutLine(shown, Math.max(8, frame.columns - 3), marksFor(frame)), ...inks)}`
  })

/** Lines of a unified diff and their colours. The names of the two files are left out: the reader knows the file. */
export const diffBody = (diff: string): ReadonlyArray<string> => {
  const lines = diff.replace(/\n$/, "").split("\n")
  const start = lines.findIndex((line) => line.startsWith("@@"))
  return start === -1 ? [] : lines.slice(start)
}

export const diffInks = (line: string): ReadonlyArray<Ink> => {
  switch (line[0]) {
    case "+":
      return ["green"]
    case "-":
      return ["red"]
    case "@":
      return ["cyan"]
    case "\\":
      return ["dim"]
    default:
      return []
  }
}

export const shownDiff = (
  lines: ReadonlyArray<string>,
  { isSpoken }: { readonly isSpoken?: boolean | undefined }
): ReadonlyArray<string> => (isSpoken === true ? lines.map(spokenDiff) : lines)

/** The same in words, for those who hear it. */
const spokenDiff = (line: string): string => {
  const [, added, count = "1"] = /^@@ -\S+ \+(\d+)(?:,(\d+))? @@/.exec(line) ?? []
  if (added !== undefined) return count === "1" ? `at line ${added}:` : `from line ${added}, ${count} lines:`
  const word = SPOKEN_SIGNS[line[0] ?? " "]
  return word === undefined ? line : `${word}: ${line.slice(1)}`
}

const SPOKEN_SIGNS: Readonly<Record<string, string>> = { "+": "added", "-": "removed", " ": "unchanged" }

export const changeCount = (added: number, removed: number): string => `+${added} -${removed}`
