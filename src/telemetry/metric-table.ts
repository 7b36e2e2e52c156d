/** The counters and histograms of a run: names, units, attributes. The documentation is generated from this table. */

export interface MetricRow {
  readonly about: string
  readonly unit?: string
  readonly attributes: ReadonlyArray<string>
  /** Not a whole number. */
  readonly isDouble?: boolean
}

const FILE = ["operation", "lines", "mimetype", "extension", "programming_language"]
const INFERENCE = [
  "gen_ai.operation.name",
  "gen_ai.provider.name",
  "gen_ai.request.model",
  "gen_ai.response.model",
  "server.address",
  "server.port"
]

const counterRows = {
  "gemini_cli.session.count": { about: "Sessions started.", attributes: [] },
  "gemini_cli.tool.call.count": {
    about: "Tool calls that ended.",
    attributes: ["function_name", "success", "decision", "tool_type"]
  },
  "gemini_cli.api.request.count": {
    about: "Requests to models.",
    attributes: ["model", "status_code", "error_type"]
  },
  "gemini_cli.token.usage": { about: "Tokens, by kind.", attributes: ["model", "type"] },
  "gemini_cli.file.operation.count": { about: "Files read, created, changed.", attributes: FILE },
  "gemini_cli.lines.changed": { about: "Lines added and removed in files.", attributes: ["function_name", "type"] },
  "gemini_cli.chat.invalid_chunk.count": { about: "Pieces of answers that made no sense.", attributes: [] },
  "gemini_cli.chat.content_retry.count": { about: "Unusable answers asked for again.", attributes: [] },
  "gemini_cli.chat.content_retry_failure.count": { about: "Answers that stayed unusable.", attributes: [] },
  "gemini_cli.network_retry.count": { about: "Requests sent again.", attributes: ["model", "attempt"] },
  "gemini_cli.model_routing.failure.count": {
    about: "Strategies of routing that failed.",
    attributes: ["routing.decision_source", "routing.error_message"]
  },
  "gemini_cli.slash_command.model.call_count": {
    about: "Models chosen by /model.",
    attributes: ["slash_command.model.model_name"]
  },
  "gemini_cli.chat_compression": {
    about: "Conversations that were compressed.",
    attributes: ["tokens_before", "tokens_after"]
  },
  "gemini_cli.agent.run.count": { about: "Runs of sub-agents.", attributes: ["agent_name", "terminate_reason"] },
  "gemini_cli.agent.recovery_attempt.count": {
    about: "Last turns of sub-agents at their limit.",
    attributes: ["agent_name", "reason", "success"]
  },
  "gemini_cli.hook_call.count": { about: "Hooks run.", attributes: ["hook_event_name", "hook_name", "success"] },
  "gemini_cli.exit.fail.count": { about: "Exits whose tidying up failed.", attributes: [] },
  "gemini_cli.plan.execution.count": { about: "Plans approved.", attributes: ["approval_mode"] },
  "gemini_cli.keychain.availability.count": { about: "Looks at the key store.", attributes: ["available"] },
  "gemini_cli.overage_option.count": {
    about: "Choices about paid credits.",
    attributes: ["selected_option", "model"]
  },
  "gemini_cli.credit_purchase.count": { about: "Pages of credits opened.", attributes: ["source", "model"] },
  "gemini_cli.token_storage.type.count": { about: "Stores of credentials opened.", attributes: ["type", "forced"] }
} satisfies Record<string, MetricRow>

const histogramRows = {
  "gemini_cli.tool.call.latency": { about: "Time of a tool call.", unit: "ms", attributes: ["function_name"] },
  "gemini_cli.api.request.latency": { about: "Time of a request.", unit: "ms", attributes: ["model"] },
  "gemini_cli.model_routing.latency": {
    about: "Time to choose a model.",
    unit: "ms",
    attributes: ["routing.decision_model", "routing.decision_source"]
  },
  "gemini_cli.agent.duration": { about: "Time of a sub-agent.", unit: "ms", attributes: ["agent_name"] },
  "gemini_cli.agent.turns": { about: "Turns of a sub-agent.", unit: "turns", attributes: ["agent_name"] },
  "gemini_cli.agent.recovery_attempt.duration": {
    about: "Time of a sub-agent's last turn.",
    unit: "ms",
    attributes: ["agent_name"]
  },
  "gemini_cli.hook_call.latency": {
    about: "Time of a hook.",
    unit: "ms",
    attributes: ["hook_event_name", "hook_name", "success"]
  },
  "gen_ai.client.token.usage": {
    about: "Tokens of a request, by direction.",
    unit: "token",
    attributes: [...INFERENCE, "gen_ai.token.type"]
  },
  "gen_ai.client.operation.duration": {
    about: "Time of a request.",
    unit: "s",
    isDouble: true,
    attributes: [...INFERENCE, "error.type"]
  },
  "gemini_cli.startup.duration": {
    about: "Time of a part of the start.",
    unit: "ms",
    isDouble: true,
    attributes: ["phase", "details"]
  },
  "gemini_cli.memory.usage": { about: "Memory in use.", unit: "bytes", attributes: ["memory_type", "component"] },
  "gemini_cli.cpu.usage": { about: "Processor in use.", unit: "percent", isDouble: true, attributes: ["component"] },
  "gemini_cli.event_loop.delay": {
    about: "How late timers fire.",
    unit: "ms",
    isDouble: true,
    attributes: ["percentile", "component"]
  },
  "gemini_cli.tool.queue.depth": { about: "Calls of one turn.", unit: "count", attributes: [] },
  "gemini_cli.tool.execution.breakdown": {
    about: "Parts of a tool call.",
    unit: "ms",
    attributes: ["function_name", "phase"]
  },
  "gemini_cli.api.request.breakdown": { about: "Parts of a request.", unit: "ms", attributes: ["model", "phase"] },
  "gemini_cli.token.efficiency": {
    about: "Share of the prompt that came from the cache.",
    unit: "ratio",
    isDouble: true,
    attributes: ["model", "metric", "context"]
  }
} satisfies Record<string, MetricRow>

export type CounterName = keyof typeof counterRows
export type HistogramName = keyof typeof histogramRows
export const counters: Readonly<Record<CounterName, MetricRow>> = counterRows
export const histograms: Readonly<Record<HistogramName, MetricRow>> = histogramRows
