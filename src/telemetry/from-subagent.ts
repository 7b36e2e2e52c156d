/** What a sub-agent did as records, counts and measurements. Pure. */
import type { EventOf } from "../protocol/event.ts"
import { type CallFacts, signalsOfCall } from "./from-tool-call.ts"
import { count, log, measure, type Signal } from "./signal.ts"

export const signalsOfSubagent = (
  { agent, event }: EventOf<"Subagent">,
  facts: Omit<CallFacts, "args">
): ReadonlyArray<Signal> => {
  switch (event._tag) {
    case "AgentStarted":
      return [log("gemini_cli.agent.start", `Agent ${agent} begins.`, { agent_id: event.agentId, agent_name: agent })]
    case "AgentFinished":
      return [
        log("gemini_cli.agent.finish", `Agent ${agent} ended: ${event.reason}.`, {
          agent_id: event.agentId,
          agent_name: agent,
          duration_ms: event.durationMs,
          turn_count: event.turns,
          terminate_reason: event.reason
        }),
        ...count("gemini_cli.agent.run.count", { agent_name: agent, terminate_reason: event.reason }),
        measure("gemini_cli.agent.duration", event.durationMs, { agent_name: agent }),
        measure("gemini_cli.agent.turns", event.turns, { agent_name: agent })
      ]
    case "AgentRecovery":
      return [
        log("gemini_cli.agent.recovery_attempt", `Agent ${agent} got a last turn after ${event.reason}.`, {
          agent_id: event.agentId,
          agent_name: agent,
          reason: event.reason,
          duration_ms: event.durationMs,
          success: event.success,
          turn_count: event.turns
        }),
        ...count("gemini_cli.agent.recovery_attempt.count", {
          agent_name: agent,
          reason: event.reason,
          success: event.success
        }),
        measure("gemini_cli.agent.recovery_attempt.duration", event.durationMs, { agent_name: agent })
      ]
    case "ToolFinished":
      return signalsOfCall(event, { ...facts, args: event.args })
    default:
      return []
  }
}
