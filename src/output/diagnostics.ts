/** Which events a person sees on standard error, the same in every output format. */

import { readableText } from "../kernel/readable-text.ts"
import type { EventOf, ProtocolEvent } from "../protocol/event.ts"
import { haltText } from "../protocol/outcome.ts"

/** The line for this event, or `undefined` when it says nothing there. */
export const diagnosticLine = (event: ProtocolEvent): string | undefined => {
  switch (event._tag) {
    case "Notice":
      return `[${event.severity.toUpperCase()}] ${oneLine(event.message)}`
    case "RunHalted":
      return `${event.kind === "blocked" ? "[WARNING] " : ""}${oneLine(haltText(event))}`
    case "ToolFinished":
      return event.error === undefined
        ? undefined
        : `Error executing tool ${oneLine(event.name)}: ${readableText(event.error.message)}`
    case "PermissionDenied":
      return `[WARNING] ${oneLine(event.toolName)} was refused: ${oneLine(event.reason)}${
        event.allowWith === undefined ? "" : ` (to allow it: ${oneLine(event.allowWith)})`
      }`
    case "RetryScheduled":
      return `[INFO] ${oneLine(event.reason)}; attempt ${event.attempt + 1} of ${event.maxAttempts} in ${seconds(event.delayMs)} s`
    case "Subagent":
      return event.event._tag === "Notice" && event.event.severity !== "info"
        ? `[${event.event.severity.toUpperCase()}] agent ${oneLine(event.agent)}: ${oneLine(event.event.message)}`
        : undefined
    default:
      event satisfies EventOf<Ignored>
      return undefined
  }
}

/** A rule that allows what was refused, to be copied into a policy file; only where people read along. */
export const denialAdvice = (event: ProtocolEvent): string | undefined =>
  event._tag === "PermissionDenied" && event.allowRule !== undefined
    ? `[INFO] for good, by a rule in ~/.gemini/policies/allowed.toml:\n${readableText(event.allowRule).trimEnd()}`
    : undefined

const oneLine = (text: string): string => readableText(text).replace(/\s*\n+\s*/g, " ")

const seconds = (ms: number): string => (ms / 1000).toFixed(ms < 10_000 ? 1 : 0)

/** Of no interest here. A new event belongs in a case, or in this list. */
type Ignored =
  | "RunStarted"
  | "UserMessage"
  | "ModelRouted"
  | "ModelChosen"
  | "Thought"
  | "Text"
  | "Citation"
  | "ToolRequested"
  | "ToolStarted"
  | "ToolProgress"
  | "ToolsHidden"
  | "RequestFinished"
  | "RequestFailed"
  | "AnswerRejected"
  | "TurnFinished"
  | "TurnRestarted"
  | "StructuredAnswer"
  | "RequestEstimated"
  | "ChatCompressed"
  | "HookStarted"
  | "HookFinished"
