/** Finished tool calls, and what a sub-agent did, as records, counts and measurements. Pure. */
import type { EventOf } from "../protocol/event.ts"
import { fileOperation } from "./file-operation.ts"
import { count, log, measure, type Signal } from "./signal.ts"
import type { Attributes } from "./telemetry.ts"

/** Whose tools a server offers, where an extension brings it. */
export interface BringingExtension {
  readonly name: string
  /** SHA-256 of where it came from. */
  readonly id: string
}

export interface CallFacts {
  readonly promptId: string | undefined
  /** As they were asked for. */
  readonly args: Readonly<Record<string, unknown>> | undefined
  /** When the call ended, in milliseconds. */
  readonly at: number
  readonly logPrompts: boolean
  /** By the name of the server. */
  readonly extensions: ReadonlyMap<string, BringingExtension>
}

type Finished = EventOf<"ToolFinished">

export const signalsOfCall = (event: Finished, facts: CallFacts): ReadonlyArray<Signal> => {
  const { durationMs, name } = event
  const success = event.status === "success"
  const extension = facts.extensions.get(event.server ?? "")
  const common = {
    function_name: name,
    success,
    decision: event.decision,
    tool_type: event.server === undefined ? "native" : "mcp"
  }
  return [
    log("gemini_cli.tool_call", `Tool call: ${name}. Decision: ${event.decision ?? "none"}. Success: ${success}.`, {
      ...common,
      duration_ms: durationMs,
      prompt_id: facts.promptId,
      content_length: event.contentLength,
      mcp_server_name: event.server,
      extension_name: extension?.name,
      extension_id: extension?.id,
      start_time: facts.at - durationMs,
      end_time: facts.at,
      function_args: JSON.stringify(event.args ?? facts.args ?? {}),
      metadata: metadataOf(event, facts.logPrompts),
      ...errorOf(event)
    }),
    ...count("gemini_cli.tool.call.count", common),
    measure("gemini_cli.tool.call.latency", durationMs, { function_name: name }),
    ...count("gemini_cli.lines.changed", { function_name: name, type: "added" }, event.linesAdded ?? 0),
    ...count("gemini_cli.lines.changed", { function_name: name, type: "removed" }, event.linesRemoved ?? 0),
    ...truncation(event, facts),
    ...(success ? fileChange(event) : [])
  ]
}

const errorOf = ({ error, output, status }: Finished): Attributes => {
  if (status === "success") return {}
  const message = error?.message ?? output
  const type = error?.type ?? "cancelled"
  return { error: message, "error.message": message, error_type: type, "error.type": type }
}

/** The names and counts of a change; the texts before and after it are of no use beside the arguments. */
const metadataOf = ({ diff }: Finished, logPrompts: boolean): string | undefined => {
  if (diff === undefined) return undefined
  const { diffStat, fileName, isNewFile } = diff
  return JSON.stringify(logPrompts ? { ...diffStat, file_name: fileName, is_new_file: isNewFile } : diffStat)
}

const truncation = ({ contentLength, name, truncated }: Finished, { promptId }: CallFacts): ReadonlyArray<Signal> =>
  truncated === undefined
    ? []
    : [
        log("gemini_cli.tool_output_truncated", `Tool output truncated for ${name}.`, {
          eventName: "tool_output_truncated",
          tool_name: name,
          original_content_length: truncated.originalLength,
          truncated_content_length: contentLength,
          threshold: truncated.threshold,
          prompt_id: promptId
        })
      ]

/** A change of a file. What is only read is told where it is read, since nothing here knows how much that was. */
const fileChange = ({ diff, name }: Finished): ReadonlyArray<Signal> =>
  diff === undefined
    ? []
    : fileOperation({
        tool: name,
        operation: diff.isNewFile ? "create" : "update",
        path: diff.filePath,
        lines: diff.newContent.split("\n").length
      })

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
