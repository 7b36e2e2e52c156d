/** A step of a sub-agent as it stands in `stream-json`: the forms of the run's own events, inside of one. */
import { stripAnsi } from "../kernel/sanitize.ts"
import type { SubagentEvent } from "../protocol/event.ts"

/** `undefined` for steps that say nothing to a reader of the stream. */
export const subagentStep = (event: SubagentEvent): Readonly<Record<string, unknown>> | undefined => {
  switch (event._tag) {
    case "AgentStarted":
      return { type: "started", agent_id: event.agentId, prompt: event.prompt }
    case "Thought":
      return { type: "thought", subject: event.subject, description: event.description }
    case "Text":
      return { type: "message", role: "assistant", content: stripAnsi(event.text), delta: true }
    case "ToolRequested":
      return { type: "tool_use", tool_name: event.name, tool_id: event.callId, parameters: event.args }
    case "ToolFinished":
      return {
        type: "tool_result",
        tool_id: event.callId,
        status: event.status === "success" ? "success" : "error",
        output: event.output,
        error: event.error
      }
    case "Notice":
      return event.severity === "info"
        ? undefined
        : { type: "error", severity: event.severity, message: stripAnsi(event.message) }
    case "AgentRecovery":
      return { type: "recovery", reason: event.reason, success: event.success, turns: event.turns }
    case "AgentFinished":
      return { type: "finished", reason: event.reason, turns: event.turns, duration_ms: event.durationMs }
    case "ToolStarted":
    case "RetryScheduled":
      return undefined
  }
}
