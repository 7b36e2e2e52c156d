/** What the json and stream-json writers remember of a run, folded from its events. */

import { addEvent, emptyStats, type RunStats } from "../chat/stats/run-stats.ts"
import { stripAnsi } from "../kernel/sanitize.ts"
import type { EventOf, ProtocolEvent } from "../protocol/event.ts"
import { haltText, type RunFailure, type RunOutcome } from "../protocol/outcome.ts"
import { estimateFields } from "./estimate-text.ts"
import type { ExtraFields } from "./run-documents.ts"

export interface RunSummary {
  readonly stats: RunStats
  /** Text of the turns that ended with tool calls. */
  readonly earlierTurns: ReadonlyArray<string>
  /** Text of the turn under way: in the end, of the last one. */
  readonly lastTurn: string
  /** Text of an attempt that was given up for another one. */
  readonly dropped: string
  /** A model was chosen, and is asked. */
  readonly isAsked: boolean
  readonly warnings: ReadonlyArray<string>
  readonly denials: ReadonlyArray<EventOf<"PermissionDenied">>
  readonly hiddenTools: ReadonlyArray<string>
  readonly trust: EventOf<"RunStarted">["trust"] | undefined
  readonly sandbox: EventOf<"RunStarted">["sandbox"] | undefined
  /** The answer as a value, where a form was asked for and met. */
  readonly structured: EventOf<"StructuredAnswer"> | undefined
  readonly estimate: EventOf<"RequestEstimated"> | undefined
  /** A hook ended the work. */
  readonly isHalted: boolean
}

export const emptySummary: RunSummary = {
  stats: emptyStats,
  earlierTurns: [],
  lastTurn: "",
  dropped: "",
  isAsked: false,
  warnings: [],
  denials: [],
  hiddenTools: [],
  trust: undefined,
  sandbox: undefined,
  structured: undefined,
  estimate: undefined,
  isHalted: false
}

export const summarize = (summary: RunSummary, event: ProtocolEvent): RunSummary => {
  switch (event._tag) {
    case "RunStarted":
      return { ...summary, trust: event.trust, sandbox: event.sandbox }
    case "Text":
      return { ...summary, lastTurn: summary.lastTurn + event.text }
    case "TurnRestarted":
      return { ...summary, lastTurn: "", dropped: summary.lastTurn || summary.dropped }
    case "ModelChosen":
      return { ...summary, isAsked: true }
    case "ToolFinished":
      return { ...endTurn(summary), stats: addEvent(summary.stats, event) }
    case "Notice":
      return event.severity === "info" ? summary : { ...summary, warnings: [...summary.warnings, event.message] }
    case "RunHalted":
      return { ...summary, isHalted: true, warnings: [...summary.warnings, haltText(event)] }
    case "PermissionDenied":
      return { ...summary, denials: [...summary.denials, event] }
    case "StructuredAnswer":
      return { ...summary, structured: event }
    case "RequestEstimated":
      return { ...summary, estimate: event }
    case "ToolsHidden":
      return { ...summary, hiddenTools: event.names }
    default: {
      event satisfies EventOf<Ignored>
      const stats = addEvent(summary.stats, event)
      return stats === summary.stats ? summary : { ...summary, stats }
    }
  }
}

/** The answer; of a run that did not get to its end, what had come of it. */
export const answerIn = ({ dropped, earlierTurns, lastTurn }: RunSummary, { failure }: RunOutcome): string =>
  failure === undefined ? lastTurn : lastTurn || dropped || (earlierTurns.at(-1) ?? "")

/** Fields that our documents add to those of the reference. */
export const extraFields = (summary: RunSummary, outcome: RunOutcome): ExtraFields => ({
  completion_reason:
    summary.isHalted && outcome.completionReason === "success" ? "stopped_by_hook" : outcome.completionReason,
  permission_denials: summary.denials.map((denial) => ({
    tool_name: denial.toolName,
    tool_id: denial.callId,
    reason: denial.reason,
    rule: denial.rule,
    allow_with: denial.allowWith,
    allow_rule: denial.allowRule
  })),
  hidden_tools: summary.hiddenTools,
  cached: outcome.cached,
  structured_output: summary.structured?.value,
  estimate: summary.estimate === undefined ? undefined : estimateFields(summary.estimate)
})

export const errorDocument = (failure: RunFailure) => ({
  type: failure.type,
  message: stripAnsi(failure.message),
  code: failure.code,
  status: failure.status,
  hint: failure.hint,
  help: failure.help
})

const endTurn = (summary: RunSummary): RunSummary =>
  summary.lastTurn === ""
    ? summary
    : { ...summary, earlierTurns: [...summary.earlierTurns, summary.lastTurn], lastTurn: "", dropped: "" }

/** Only counted, if at all. A new event belongs in a case, or in this list. */
type Ignored =
  | "UserMessage"
  | "ModelRouted"
  | "Thought"
  | "Citation"
  | "ToolRequested"
  | "ToolStarted"
  | "ToolProgress"
  | "RequestFinished"
  | "RequestFailed"
  | "AnswerRejected"
  | "TurnFinished"
  | "RetryScheduled"
  | "ChatCompressed"
  | "HookStarted"
  | "HookFinished"
  | "Subagent"
