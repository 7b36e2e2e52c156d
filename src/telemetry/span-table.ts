/** The spans that are told. Others, which name the steps of the program, only serve to find the parent of one of these. */

export const SPAN_NAMES = [
  "llm_call",
  "tool_call",
  "user_prompt",
  "system_prompt",
  "agent_call",
  "schedule_tool_calls",
  "GET",
  "POST"
] as const
export type SpanName = (typeof SPAN_NAMES)[number]

/** Told always; every other attribute needs `telemetry.traces`. */
export const ALWAYS_TOLD = [
  "gen_ai.operation.name",
  "gen_ai.agent.name",
  "gen_ai.agent.description",
  "gen_ai.conversation.id"
]

/** The same for spans around requests over HTTP, which say where to and how it ended. */
export const HTTP_ALWAYS_TOLD = ["http.request.method", "http.response.status_code", "server.address", "server.port"]

/** Of those, only with `telemetry.logPrompts` as well. */
export const SPAN_TEXTS = ["gen_ai.input.messages", "gen_ai.output.messages", "gen_ai.system_instructions"]

const HTTP = [...HTTP_ALWAYS_TOLD, "url.full"]

/** What each span stands around, and what it carries beside what is always told. */
export const SPAN_ATTRIBUTES: Readonly<
  Record<SpanName, { readonly about: string; readonly attributes: ReadonlyArray<string> }>
> = {
  llm_call: {
    about: "A request to a model, to the end of its answer.",
    attributes: [
      "gen_ai.request.model",
      "gen_ai.prompt.name",
      "gen_ai.system_instructions",
      "gen_ai.tool.definitions",
      "gen_ai.usage.input_tokens",
      "gen_ai.usage.output_tokens",
      "gen_ai.input.messages",
      "gen_ai.output.messages"
    ]
  },
  tool_call: {
    about: "A tool call, with the questions about it.",
    attributes: [
      "gen_ai.tool.name",
      "gen_ai.tool.call_id",
      "gen_ai.tool.description",
      "gen_ai.input.messages",
      "gen_ai.output.messages"
    ]
  },
  user_prompt: {
    about: "A prompt of a person: the request, its answer, and the calls that the answer asks for.",
    attributes: ["gen_ai.prompt.name", "gen_ai.input.messages"]
  },
  system_prompt: {
    about: "The same for results of tools, which the program sends in the person's place.",
    attributes: ["gen_ai.prompt.name", "gen_ai.input.messages"]
  },
  agent_call: { about: "A sub-agent at work.", attributes: ["gen_ai.input.messages", "gen_ai.output.messages"] },
  schedule_tool_calls: { about: "All calls of one answer.", attributes: ["gen_ai.input.messages"] },
  GET: { about: "A page that a tool fetches.", attributes: HTTP },
  POST: { about: "A request over HTTP to a model.", attributes: HTTP }
}
