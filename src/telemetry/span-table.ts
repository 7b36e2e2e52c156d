/** The spans that are told. Others, which name the steps of the program, only serve to find the parent of one of these. */

export const SPAN_NAMES = [
  "llm_call",
  "tool_call",
  "user_prompt",
  "system_prompt",
  "agent_call",
  "schedule_tool_calls"
] as const
export type SpanName = (typeof SPAN_NAMES)[number]

/** Told always; every other attribute needs `telemetry.traces`. */
export const ALWAYS_TOLD = [
  "gen_ai.operation.name",
  "gen_ai.agent.name",
  "gen_ai.agent.description",
  "gen_ai.conversation.id"
]

/** Of those, only with `telemetry.logPrompts` as well. */
export const SPAN_TEXTS = ["gen_ai.input.messages", "gen_ai.output.messages", "gen_ai.system_instructions"]
