/**
 * The one tool that `gemini mcp serve` offers: how it is described, what it takes, what it answers, and what it needs
 * of the program.
 */
import { type Effect, Option, Schema } from "effect"
import type { EventOf, ProtocolEvent } from "../protocol/event.ts"
import type { SessionId } from "../protocol/ids.ts"
import { ApprovalMode } from "../protocol/modes.ts"
import type { RunOutcome } from "../protocol/outcome.ts"
import type { Person } from "../tools/from-config.ts"

export const runTool = {
  name: "run",
  title: "Run the gemini agent",
  description:
    "Gives a prompt to the gemini agent, which works on it with its own tools in a folder of this machine and answers with its last message. What it may do is decided by the policy of this machine and by how this server was started: calls that would need a question are put to the user where the client can ask them and refused otherwise, and so is a mode or a folder beyond those of the server.",
  inputSchema: {
    type: "object" as const,
    properties: {
      prompt: { type: "string", description: "What to do, in words. Commands that begin with / are not carried out." },
      approval_mode: {
        type: "string",
        enum: [...ApprovalMode.literals],
        description:
          "What runs without a question: default, auto_edit (edits too), yolo (everything), plan (nothing changes). At most that of the server, which is also what a run has without it."
      },
      cwd: {
        type: "string",
        description: "The working folder, one of those of the server. Without it: where the server was started."
      },
      output_schema: { type: "object", description: "A JSON Schema that the answer must fit." }
    },
    required: ["prompt"]
  },
  annotations: { title: "Run the gemini agent", openWorldHint: true }
}

const Arguments = Schema.Struct({
  prompt: Schema.String.pipe(Schema.filter((text) => text.trim() !== "")),
  approval_mode: Schema.optional(ApprovalMode),
  cwd: Schema.optional(Schema.String),
  output_schema: Schema.optional(Schema.Record({ key: Schema.String, value: Schema.Unknown }))
})

/** `None`: they are not what the schema asks for. */
export const readArguments = (given: unknown): Option.Option<AgentRequest> =>
  Option.map(Schema.decodeUnknownOption(Arguments)(given), ({ approval_mode, cwd, output_schema, prompt }) => ({
    prompt,
    approvalMode: approval_mode,
    cwd,
    outputSchema: output_schema
  }))

export const resultOf = ({ denials, outcome, response, sessionId, structured }: AgentReport) => {
  const { completionReason, exitCode, failure } = outcome
  const said =
    failure === undefined ? [] : [`error: ${failure.message}${failure.hint === undefined ? "" : `. ${failure.hint}`}`]
  return {
    content: [...said, response].filter((text) => text !== "").map((text) => ({ type: "text" as const, text })),
    structuredContent: {
      session_id: sessionId,
      response,
      completion_reason: completionReason,
      exit_code: exitCode,
      permission_denials: denials.map(({ reason, toolName }) => ({ tool_name: toolName, reason })),
      ...(structured === undefined ? {} : { structured: structured.value })
    },
    isError: failure !== undefined
  }
}

/** What a client is told while the agent works; `undefined` for what is of no interest to it. */
export const progressOf = (event: ProtocolEvent): string | undefined => {
  switch (event._tag) {
    case "Text":
      return event.text
    case "ToolRequested":
      return `calling ${event.name}`
    case "ToolFinished":
      return `${event.name}: ${event.status}`
    case "Subagent":
      return event.event._tag === "ToolRequested" ? `${event.agent}: calling ${event.event.name}` : undefined
    case "RetryScheduled":
      return `trying again in ${Math.ceil(event.delayMs / 1000)} s: ${event.reason}`
    default:
      event satisfies EventOf<Ignored>
      return undefined
  }
}

/** Of no interest here. A new event belongs in a case, or in this list. */
type Ignored =
  | "RunStarted"
  | "UserMessage"
  | "ModelRouted"
  | "ModelChosen"
  | "Thought"
  | "Citation"
  | "ToolStarted"
  | "ToolProgress"
  | "PermissionDenied"
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
  | "RunHalted"
  | "Notice"

/** What a server that offers this agent to others needs of it: run a prompt, tell what happens, give the outcome. */
export interface AgentRequest {
  readonly prompt: string
  /** Absent: as the server was started. Never freer than that. */
  readonly approvalMode: ApprovalMode | undefined
  /** Relative to the folder of the server, in one of its folders; absent: that folder. */
  readonly cwd: string | undefined
  /** JSON Schema that the answer must fit. */
  readonly outputSchema: Readonly<Record<string, unknown>> | undefined
}

export interface AgentReport {
  readonly sessionId: SessionId
  readonly outcome: RunOutcome
  /** Text of the last turn; partial where the run failed. */
  readonly response: string
  /** The answer as a value, where a schema was given and met. */
  readonly structured: { readonly value: unknown } | undefined
  /** Calls that the policy refused. */
  readonly denials: ReadonlyArray<{ readonly toolName: string; readonly reason: string }>
}

/** Interrupting it ends the run with all that it started. `person`: who can be asked; nobody where absent. */
export type ServedAgent = (
  request: AgentRequest,
  onEvent: (event: ProtocolEvent) => Effect.Effect<void>,
  person: Person | undefined
) => Effect.Effect<AgentReport>
