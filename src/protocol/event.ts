/**
 * The one stream of events that a run emits. A closed union: text, JSON, stream-JSON, line mode, editors, the session
 * recorder and telemetry are readers of it, and a new member makes every exhaustive reader fail to compile.
 *
 * Events carry content as the model gave it; cleaning for a terminal is the reader's business.
 */
import { type Effect, Schema } from "effect"
import type { FileDiff } from "./confirmation.ts"
import { Content } from "./content.ts"
import { CallId, PromptId, SessionId } from "./ids.ts"
import { Trust } from "./modes.ts"
import { SandboxReport } from "./sandbox-report.ts"
import { ToolErrorType } from "./tool-error-type.ts"
import { RequestRole, UsageMetadata } from "./usage.ts"

const event = <Tag extends string, Fields extends Schema.Struct.Fields>(tag: Tag, fields: Fields) =>
  Schema.TaggedStruct(tag, fields)

/** First event of every run. `model` is the configured name, not the one it resolves to. */
const RunStarted = event("RunStarted", {
  sessionId: SessionId,
  model: Schema.String,
  trust: Trust,
  /** Absent: commands run as they are. */
  sandbox: Schema.optionalWith(SandboxReport, { exact: true })
})
/** The prompt as given, before expansion. */
const UserMessage = event("UserMessage", { promptId: PromptId, text: Schema.String })
/** Why this prompt goes to this model. `source` names the strategy that decided, `reasoning` is for people. */
const ModelRouted = event("ModelRouted", {
  model: Schema.String,
  source: Schema.String,
  latencyMs: Schema.Number,
  reasoning: Schema.String,
  /** Strategies that failed before one decided. */
  error: Schema.optional(Schema.String)
})
/** The model that answers from here on, after aliases, routing and fallback. */
const ModelChosen = event("ModelChosen", { model: Schema.String })
const Thought = event("Thought", { subject: Schema.String, description: Schema.String })
/** Visible text of one chunk. */
const Text = event("Text", { text: Schema.String })
const Citation = event("Citation", { text: Schema.String })
/** The model asked for a tool; sent before anything runs. */
const ToolRequested = event("ToolRequested", {
  callId: CallId,
  name: Schema.String,
  args: Schema.Record({ key: Schema.String, value: Schema.Unknown })
})
/** A call begins to run: it was allowed, by a rule or by a person. */
const ToolStarted = event("ToolStarted", {
  callId: CallId,
  name: Schema.String,
  /** The tool's name for people. */
  title: Schema.String,
  /** One line: what happens. */
  description: Schema.String,
  /** A person saw all of it and agreed. */
  wasAsked: Schema.Boolean
})
/** Live output of a running tool; each replaces the one before. */
const ToolProgress = event("ToolProgress", { callId: CallId, output: Schema.String })
/** Lines and characters that a change added and removed, by who wrote them. */
export const DiffStat = Schema.Struct({
  model_added_lines: Schema.Number,
  model_removed_lines: Schema.Number,
  model_added_chars: Schema.Number,
  model_removed_chars: Schema.Number,
  user_added_lines: Schema.Number,
  user_removed_lines: Schema.Number,
  user_added_chars: Schema.Number,
  user_removed_chars: Schema.Number
})
const FileChange: Schema.Schema<FileDiff> = Schema.Struct({
  fileDiff: Schema.String,
  fileName: Schema.String,
  filePath: Schema.String,
  originalContent: Schema.NullOr(Schema.String),
  newContent: Schema.String,
  diffStat: DiffStat,
  isNewFile: Schema.Boolean
})
/** A tool call ended. Events of one turn come in the order of the requests, each as soon as those before it have come. */
const ToolFinished = event("ToolFinished", {
  callId: CallId,
  name: Schema.String,
  status: Schema.Literal("success", "error", "cancelled"),
  /** Text form of the result, for people. */
  output: Schema.String,
  error: Schema.optional(Schema.Struct({ type: ToolErrorType, message: Schema.String })),
  durationMs: Schema.Number,
  /** How the call was confirmed, where a confirmation was involved. */
  decision: Schema.optional(Schema.Literal("accept", "reject", "modify", "auto_accept")),
  linesAdded: Schema.optional(Schema.Number),
  linesRemoved: Schema.optional(Schema.Number),
  /** One line for people: what the call was to do. */
  description: Schema.optional(Schema.String),
  /** The tool as people know it. */
  displayName: Schema.optional(Schema.String),
  /** The change of a file, where the call made one. */
  diff: Schema.optional(FileChange),
  /** Of the call as it was made, which may differ from what was asked for. Absent where nothing was made. */
  args: Schema.optional(Schema.Record({ key: Schema.String, value: Schema.Unknown })),
  /** The MCP server whose tool it is. */
  server: Schema.optional(Schema.String),
  /** Characters that the model gets. */
  contentLength: Schema.optional(Schema.Number),
  /** The result was too long for the model; lengths in characters. */
  truncated: Schema.optional(Schema.Struct({ originalLength: Schema.Number, threshold: Schema.Number }))
})
/** A call was refused by policy, or its tool was hidden because it would have had to ask. */
const PermissionDenied = event("PermissionDenied", {
  callId: CallId,
  toolName: Schema.String,
  reason: Schema.String,
  rule: Schema.optional(Schema.String),
  /** The flag or setting that would have allowed it. */
  allowWith: Schema.optional(Schema.String),
  /** A rule for a policy file that would allow it, as TOML. */
  allowRule: Schema.optional(Schema.String)
})
/** Tools that are not offered to the model in this run because each use would have to ask. */
const ToolsHidden = event("ToolsHidden", { names: Schema.Array(Schema.String) })
/** One model request was answered to its end. `model` is the version that the answer names. */
const RequestFinished = event("RequestFinished", {
  model: Schema.String,
  role: RequestRole,
  durationMs: Schema.Number,
  usage: UsageMetadata,
  /** In US dollars; absent where no price of the model is known. */
  costUsd: Schema.optional(Schema.Number),
  /** What the service calls this answer, where it says so. */
  traceId: Schema.optional(Schema.String),
  /** Sources that it names; absent: none. */
  citations: Schema.optional(Schema.Number),
  /** Of the account, where the answer was paid for with them. */
  paidCredits: Schema.optional(Schema.Struct({ consumed: Schema.Number, remaining: Schema.optional(Schema.Number) }))
})
/** One model request failed, or was cut while its answer came. */
const RequestFailed = event("RequestFailed", {
  model: Schema.String,
  role: RequestRole,
  durationMs: Schema.Number,
  errorType: Schema.String,
  /** Of the part that had come, where the service said what it took. */
  usage: Schema.optional(UsageMetadata),
  /** In US dollars, of that; absent where no price of the model is known. */
  costUsd: Schema.optional(Schema.Number)
})
/** The answer came to its end but cannot be used: empty, blocked, malformed. Counted beside the request itself. */
const AnswerRejected = event("AnswerRejected", { model: Schema.String, role: RequestRole, kind: Schema.String })
/** The model said why it stopped. */
const TurnFinished = event("TurnFinished", { reason: Schema.String })
/** Waiting before the next attempt of a request that failed. */
const RetryScheduled = event("RetryScheduled", {
  model: Schema.String,
  attempt: Schema.Number,
  maxAttempts: Schema.Number,
  delayMs: Schema.Number,
  reason: Schema.String,
  errorType: Schema.String
})
/** The answer so far was not usable and is asked for again: readers drop the text of this turn. */
const TurnRestarted = event("TurnRestarted", { reason: Schema.String })
/** The answer fits the schema that was asked for. Its text comes before, as `Text`. */
const StructuredAnswer = event("StructuredAnswer", { value: Schema.Unknown })
/** What a request would take; nothing was sent. Shares are of the total, between 0 and 1. */
const RequestEstimated = event("RequestEstimated", {
  model: Schema.String,
  totalTokens: Schema.Number,
  /** For the input alone, in US dollars; absent where no price of the model is known. */
  inputCostUsd: Schema.optional(Schema.Number),
  pieces: Schema.Array(
    Schema.Struct({
      kind: Schema.Literal("instruction", "tools", "surroundings", "context_file", "prompt"),
      /** Path of a context file; otherwise a name for people. */
      name: Schema.String,
      tokens: Schema.Number,
      share: Schema.Number,
      trust: Schema.optional(Trust)
    })
  )
})
/** What an attempt to compress the history came to. */
export const CompressionStatus = Schema.Literal(
  "COMPRESSED",
  "COMPRESSION_FAILED_INFLATED_TOKEN_COUNT",
  "COMPRESSION_FAILED_EMPTY_SUMMARY",
  "NOOP",
  /** No snapshot was written, but old results of tools were cut. */
  "CONTENT_TRUNCATED"
)
export type CompressionStatus = typeof CompressionStatus.Type
/** The history was replaced by a shorter one: whoever records the session goes on from `history`. */
const ChatCompressed = event("ChatCompressed", {
  status: CompressionStatus,
  originalTokens: Schema.Number,
  newTokens: Schema.Number,
  /** Of the model whose conversation it is. */
  windowTokens: Schema.Number,
  history: Schema.Array(Content)
})
/** A program of the user's runs: the `index`th of `total` at this event. */
const HookStarted = event("HookStarted", {
  name: Schema.String,
  event: Schema.String,
  /** Whose it is: `project`, `user`, `system` or `extension`. */
  source: Schema.String,
  index: Schema.Number,
  total: Schema.Number
})
const HookFinished = event("HookFinished", { name: Schema.String, event: Schema.String, success: Schema.Boolean })
/** A hook ended the work on this prompt: `stopped` wants it over, `blocked` refused what was about to happen. */
const RunHalted = event("RunHalted", {
  kind: Schema.Literal("stopped", "blocked"),
  reason: Schema.String,
  /** The model has forgotten the conversation. */
  contextCleared: Schema.Boolean
})
/** Something the user should know; the run goes on. */
const Notice = event("Notice", { severity: Schema.Literal("info", "warning", "error"), message: Schema.String })
/** How the work of a sub-agent ended. */
export const TerminateMode = Schema.Literal(
  "GOAL",
  "MAX_TURNS",
  "TIMEOUT",
  "ABORTED",
  "ERROR",
  "ERROR_NO_COMPLETE_TASK_CALL"
)
export type TerminateMode = typeof TerminateMode.Type
/** A sub-agent begins to work. */
const AgentStarted = event("AgentStarted", { agentId: Schema.String, prompt: Schema.String })
/** It ran into a limit or forgot to say that it is done, and got one more turn to say so. */
const AgentRecovery = event("AgentRecovery", {
  agentId: Schema.String,
  reason: TerminateMode,
  success: Schema.Boolean,
  turns: Schema.Number,
  durationMs: Schema.Number
})
const AgentFinished = event("AgentFinished", {
  agentId: Schema.String,
  reason: TerminateMode,
  turns: Schema.Number,
  durationMs: Schema.Number
})
/** What a sub-agent does, as far as people are shown it. */
export const SubagentEvent = Schema.Union(
  AgentStarted,
  Thought,
  Text,
  ToolRequested,
  ToolStarted,
  ToolFinished,
  RetryScheduled,
  Notice,
  AgentRecovery,
  AgentFinished
)
export type SubagentEvent = typeof SubagentEvent.Type
/**
 * A step of a sub-agent that works for the call `callId`. What its requests take and what it was refused is told by the
 * events that tell it of the run, so that nobody has to look in here to count.
 */
const Subagent = event("Subagent", { agent: Schema.String, callId: CallId, event: SubagentEvent })

export const ProtocolEvent = Schema.Union(
  RunStarted,
  UserMessage,
  ModelRouted,
  ModelChosen,
  Thought,
  Text,
  Citation,
  ToolRequested,
  ToolStarted,
  ToolProgress,
  ToolFinished,
  PermissionDenied,
  ToolsHidden,
  RequestFinished,
  RequestFailed,
  AnswerRejected,
  TurnFinished,
  RetryScheduled,
  TurnRestarted,
  StructuredAnswer,
  RequestEstimated,
  ChatCompressed,
  HookStarted,
  HookFinished,
  RunHalted,
  Notice,
  Subagent
)
export type ProtocolEvent = typeof ProtocolEvent.Type

/** The event with this tag: `EventOf<"ToolFinished">`. */
export type EventOf<Tag extends ProtocolEvent["_tag"]> = Extract<ProtocolEvent, { readonly _tag: Tag }>

/** Tells an event to everybody who reads along. */
export type Emit = (event: ProtocolEvent) => Effect.Effect<void>
