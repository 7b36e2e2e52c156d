/** What a run is waiting for, folded from its events: what every status line says. Pure. */
import { readableLine, readableLines } from "../kernel/readable-text.ts"
import type { EventOf, ProtocolEvent } from "./event.ts"

export interface RunActivity {
  readonly what: string
  /** Milliseconds since the epoch. */
  readonly since: number
  /** The last line that a running tool has written. */
  readonly latest: string | undefined
  /** A command, at whose terminal a person may sit down. */
  readonly isCommand?: boolean
}

export const beginActivity = (now: number): RunActivity => ({ what: "working", since: now, latest: undefined })

export const activityAfter = (before: RunActivity, event: ProtocolEvent, now: number): RunActivity => {
  const nowAt = (what: string): RunActivity => ({ what: readableLine(what), since: now, latest: undefined })
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
      return { ...nowAt(`${event.title} ${event.description}`), isCommand: event.name === "run_shell_command" }
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

/** What the status line says of it; `undefined` when it stays as it is. */
const subagentActivity = ({ agent, event }: EventOf<"Subagent">): string | undefined => {
  switch (event._tag) {
    case "AgentStarted":
      return `${agent} begins`
    case "Thought":
      return `${agent}: ${event.subject === "" ? "thinking" : event.subject}`
    case "ToolStarted":
      return `${agent}: ${event.title} ${event.description}`
    default:
      return undefined
  }
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
