/**
 * What a run does and why, for `--debug`: one line for each step, from the events that everybody reads. Texts of answers,
 * arguments and results are none of it.
 */
import { Effect } from "effect"
import type { EventOf, ProtocolEvent } from "../protocol/event.ts"

export const logged = (event: ProtocolEvent): Effect.Effect<void> => {
  const step = debugStep(event)
  return step === undefined ? Effect.void : Effect.annotateLogs(Effect.logDebug(step.what), step.facts)
}

interface Step {
  readonly what: string
  readonly facts: Readonly<Record<string, unknown>>
}

const debugStep = (event: ProtocolEvent): Step | undefined => {
  switch (event._tag) {
    case "RunStarted":
      return { what: "run started", facts: { model: event.model, trust: event.trust, session: event.sessionId } }
    case "ModelRouted":
      return { what: "model routed", facts: { model: event.model, by: event.source, because: event.reasoning } }
    case "ModelChosen":
      return { what: "model chosen", facts: { model: event.model } }
    case "ToolsHidden":
      return { what: "tools hidden from the model", facts: { names: event.names.join(",") } }
    case "ToolRequested":
      return { what: "tool requested", facts: { tool: event.name, call: event.callId } }
    case "ToolStarted":
      return { what: "tool allowed", facts: { call: event.callId, by: event.wasAsked ? "the person" : "a rule" } }
    case "ToolFinished": {
      const { callId, durationMs, name, status } = event
      return { what: "tool finished", facts: { tool: name, call: callId, status, ms: Math.round(durationMs) } }
    }
    case "PermissionDenied": {
      const { callId, reason, rule = "", toolName } = event
      return { what: "tool denied", facts: { tool: toolName, call: callId, because: reason, rule } }
    }
    case "RequestFinished": {
      const { durationMs, model, role, usage } = event
      const tokens = `${usage.promptTokenCount}+${usage.candidatesTokenCount}`
      return { what: "request answered", facts: { model, role, ms: Math.round(durationMs), tokens } }
    }
    case "RequestFailed": {
      const { durationMs, errorType, model, role } = event
      return { what: "request failed", facts: { model, role, ms: Math.round(durationMs), error: errorType } }
    }
    case "AnswerRejected":
      return { what: "answer not usable", facts: { model: event.model, kind: event.kind } }
    case "RetryScheduled": {
      const { attempt, delayMs, model, reason } = event
      return { what: "request again", facts: { model, attempt, ms: Math.round(delayMs), because: reason } }
    }
    case "TurnFinished":
      return { what: "turn finished", facts: { reason: event.reason } }
    case "ChatCompressed":
      return { what: "compression", facts: { status: event.status, from: event.originalTokens, to: event.newTokens } }
    case "HookStarted":
      return { what: "hook started", facts: { hook: event.name, event: event.event, of: event.source } }
    case "HookFinished":
      return { what: "hook finished", facts: { hook: event.name, event: event.event, success: event.success } }
    case "RunHalted":
      return { what: "run halted", facts: { kind: event.kind, because: event.reason } }
    default:
      event satisfies EventOf<Ignored>
      return undefined
  }
}

/** Texts, and what is told in other lines. A new event belongs in a case, or in this list. */
type Ignored =
  | "UserMessage"
  | "Thought"
  | "Text"
  | "Citation"
  | "ToolProgress"
  | "TurnRestarted"
  | "StructuredAnswer"
  | "RequestEstimated"
  | "Notice"
  | "Subagent"
