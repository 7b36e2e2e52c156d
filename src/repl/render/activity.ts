/** What the program is waiting for, and the status line that says so. Pure. */
import { readableLine, readableLines } from "../../kernel/readable-text.ts"
import { elapsedText, spinnerFrame } from "../../kernel/status-text.ts"
import type { EventOf, ProtocolEvent } from "../../protocol/event.ts"
import { cutLine } from "./framed.ts"
import { marksFor } from "./marks.ts"
import type { Paint } from "./paint.ts"
import { subagentActivity } from "./subagent-lines.ts"

export interface Activity {
  readonly what: string
  /** Milliseconds since the epoch. */
  readonly since: number
  /** The last line that a running tool has written. */
  readonly latest: string | undefined
}

export const starting = (now: number): Activity => ({ what: "working", since: now, latest: undefined })

export const activityAfter = (before: Activity, event: ProtocolEvent, now: number): Activity => {
  const nowAt = (what: string): Activity => ({ what: readableLine(what), since: now, latest: undefined })
  switch (event._tag) {
    case "ModelChosen":
      return nowAt(`waiting for ${event.model}`)
    case "Thought":
      return { ...before, what: readableLine(event.subject === "" ? "thinking" : `thinking: ${event.subject}`) }
    case "Text":
      return before.what === "answering" ? before : nowAt("answering")
    case "ToolRequested":
      return nowAt(`calling ${event.name}`)
    case "ToolStarted":
      return nowAt(`${event.title} ${event.description}`)
    case "ToolProgress":
      return { ...before, latest: readableLines(event.output.slice(-LONGEST_LAST_LINE)).at(-1)?.trim() }
    case "Subagent":
      return { ...before, latest: subagentActivity(event) ?? before.latest }
    case "ToolFinished":
      return nowAt("waiting for the model")
    case "HookStarted":
      return nowAt(`running hook ${event.index}/${event.total}: ${event.name}`)
    case "HookFinished":
      return nowAt("working")
    case "RetryScheduled":
      return nowAt(`retrying (attempt ${event.attempt + 1} of ${event.maxAttempts}) after: ${event.reason}`)
    default:
      event satisfies EventOf<Ignored>
      return before
  }
}

/** The output so far may be long, and comes again with each new line. */
const LONGEST_LAST_LINE = 4_096

export interface StatusStyle {
  readonly columns: number
  readonly unicode: boolean
  readonly paint: Paint
}

/** One row: how long it takes and how to stop it are kept, the rest is cut to fit. */
export const statusLine = ({ latest, since, what }: Activity, now: number, style: StatusStyle): string => {
  const marks = marksFor(style)
  const elapsed = now - since
  const frame = spinnerFrame(elapsed, style)
  const end = ` ${marks.separator} ${elapsedText(elapsed)} ${marks.separator} Ctrl-C to cancel`
  const room = style.columns - 1 - 2 - Bun.stringWidth(end)
  // The last words of a tool are the news; its name gives way to them.
  const name = cutLine(what, Math.max(8, Math.floor(room / 2)), marks)
  const words = latest === undefined || latest === "" ? what : `${name}: ${latest}`
  return `${style.paint(frame, "cyan")} ${cutLine(words, Math.max(0, room), marks)}${style.paint(end, "dim")}`
}

/** Of no interest here. A new event belongs in a case, or in this list. */
type Ignored =
  | "RunStarted"
  | "UserMessage"
  | "ModelRouted"
  | "Citation"
  | "PermissionDenied"
  | "ToolsHidden"
  | "RequestFinished"
  | "RequestFailed"
  | "AnswerRejected"
  | "TurnFinished"
  | "TurnRestarted"
  | "StructuredAnswer"
  | "RequestEstimated"
  | "ChatCompressed"
  | "RunHalted"
  | "Notice"
