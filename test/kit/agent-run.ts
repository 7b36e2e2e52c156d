/** Runs in which the scripted model is the main agent and its sub-agents at once: who asks, what it was sent, what it is told. */
import { Schema } from "effect"
import { TerminateMode } from "../../src/protocol/event.ts"
import { ToolErrorType } from "../../src/protocol/tool-error-type.ts"
import type { Json } from "./documents.ts"
import type { ModelRequest } from "./model-server.ts"
import { ask, call, type Reply, say } from "./replies.ts"

interface Body {
  readonly contents: ReadonlyArray<{ readonly parts: ReadonlyArray<Record<string, unknown>> }>
  readonly tools?: ReadonlyArray<{ readonly functionDeclarations: ReadonlyArray<{ readonly name: string }> }>
}

export const bodyOf = (request: ModelRequest): Body => request.body as Body

/** Names of the tools that the request offers. */
export const toolsOf = (request: ModelRequest): ReadonlyArray<string> =>
  bodyOf(request).tools?.flatMap(({ functionDeclarations }) => functionDeclarations.map(({ name }) => name)) ?? []

export const isAgent = (request: ModelRequest): boolean => toolsOf(request).includes("complete_task")

/** The last message, as text. */
export const lastParts = (request: ModelRequest | undefined): string =>
  request === undefined ? "" : JSON.stringify(bodyOf(request).contents.at(-1)?.parts)

export const isAfterTools = (request: ModelRequest): boolean => lastParts(request).includes("functionResponse")

export interface Task {
  readonly agent: string
  readonly prompt: string
}

/** The main agent gives out these tasks, and says a last word when they are done. */
export const delegating =
  (tasks: ReadonlyArray<Task>, agent: (request: ModelRequest) => Reply) =>
  (request: ModelRequest): Reply => {
    if (isAgent(request)) return agent(request)
    return isAfterTools(request)
      ? say("All is done.")
      : ask(...tasks.map(({ agent: agent_name, prompt }) => call("invoke_agent", { agent_name, prompt })))
  }

/** The whole conversation of the agent so far, as text: which task it has, and what it was answered. */
export const conversationOf = (request: ModelRequest): string => JSON.stringify(bodyOf(request).contents)

const step = <Name extends string, Fields extends Schema.Struct.Fields>(type: Name, fields: Fields) =>
  Schema.Struct({ type: Schema.Literal(type), ...fields })

/** Every step of a sub-agent as `docs/agents.md` promises it: no field less, none more. */
const Step = Schema.Union(
  step("started", { agent_id: Schema.String, prompt: Schema.String }),
  step("thought", { subject: Schema.String, description: Schema.String }),
  step("message", { role: Schema.Literal("assistant"), content: Schema.String, delta: Schema.Literal(true) }),
  step("tool_use", { tool_name: Schema.String, tool_id: Schema.String, parameters: Schema.Object }),
  step("tool_result", {
    tool_id: Schema.String,
    status: Schema.Literal("success", "error"),
    output: Schema.String,
    error: Schema.optional(Schema.Struct({ type: ToolErrorType, message: Schema.String }))
  }),
  step("error", { severity: Schema.Literal("warning", "error"), message: Schema.String }),
  step("recovery", { reason: TerminateMode, success: Schema.Boolean, turns: Schema.Number }),
  step("finished", { reason: TerminateMode, turns: Schema.Number, duration_ms: Schema.Number })
)
export type Step = typeof Step.Type

const Line = Schema.Struct({
  type: Schema.Literal("subagent"),
  timestamp: Schema.String,
  agent: Schema.String,
  tool_id: Schema.String,
  event: Step
})

const decodeLine = Schema.decodeUnknownSync(Line, { onExcessProperty: "error" })

/** What sub-agents did, from a `stream-json` document; a line that is not as promised is a failure. */
export const stepsOf = (events: ReadonlyArray<Json>): ReadonlyArray<typeof Line.Type> =>
  events.filter(({ type }) => type === "subagent").map((line) => decodeLine(line))
