/** What the program is waiting for, and the status line that says so. Pure. */
import type { ProtocolEvent } from "../../protocol/event.ts"
import { cutLine } from "./framed.ts"
import { marksFor } from "./marks.ts"
import type { Paint } from "./paint.ts"
import { cleanLines, durationText, oneLine } from "./plain-words.ts"

export interface Activity {
  readonly what: string
  /** Milliseconds since the epoch. */
  readonly since: number
  /** The last line that a running tool has written. */
  readonly latest: string | undefined
}

export const starting = (now: number): Activity => ({ what: "working", since: now, latest: undefined })

export const activityAfter = (before: Activity, event: ProtocolEvent, now: number): Activity => {
  const nowAt = (what: string): Activity => ({ what: oneLine(what), since: now, latest: undefined })
  switch (event._tag) {
    case "ModelChosen":
      return nowAt(`waiting for ${event.model}`)
    case "Thought":
      return { ...before, what: oneLine(event.subject === "" ? "thinking" : `thinking: ${event.subject}`) }
    case "Text":
      return before.what === "answering" ? before : nowAt("answering")
    case "ToolRequested":
      return nowAt(`calling ${event.name}`)
    case "ToolStarted":
      return nowAt(`${event.title} ${event.description}`)
    case "ToolProgress":
      return { ...before, latest: cleanLines(event.output).at(-1)?.trim() }
    case "ToolFinished":
      return nowAt("waiting for the model")
    case "RetryScheduled":
      return nowAt(`retrying (attempt ${event.attempt + 1} of ${event.maxAttempts}) after: ${event.reason}`)
    default:
      return before
  }
}

const FRAMES = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"]
const FRAME_MS = 120
const PLAIN_FRAMES = ["|", "/", "-", "\\"]

export interface StatusStyle {
  readonly columns: number
  readonly unicode: boolean
  readonly paint: Paint
}

/** One row: how long it takes and how to stop it are kept, the rest is cut to fit. */
export const statusLine = ({ latest, since, what }: Activity, now: number, style: StatusStyle): string => {
  const marks = marksFor(style)
  const frames = style.unicode ? FRAMES : PLAIN_FRAMES
  const elapsed = Math.max(0, now - since)
  const frame = frames[Math.floor(elapsed / FRAME_MS) % frames.length] ?? ""
  const end = ` ${marks.separator} ${durationText(elapsed)} ${marks.separator} Ctrl-C to cancel`
  const room = style.columns - 1 - 2 - Bun.stringWidth(end)
  const words = latest === undefined || latest === "" ? what : `${shortened(what)}: ${latest}`
  return `${style.paint(frame, "cyan")} ${cutLine(words, Math.max(0, room), marks)}${style.paint(end, "dim")}`

  /** The last words of a tool are the news; its name may give way to them. */
  function shortened(text: string): string {
    return cutLine(text, Math.max(8, Math.floor(room / 2)), marks)
  }
}
