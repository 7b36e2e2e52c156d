/**
 * The contract of `-o json` and `-o stream-json`: the one description of what the writers print. They are held to it by
 * type, so that a run loads none of it; `gemini schema` prints it, and the tests validate every output against it.
 *
 * Adding a field keeps the version. Renaming or removing one, or changing its type, raises it.
 */
import { Schema } from "effect"
import { CompressionStatus } from "../protocol/event.ts"
import { Trust } from "../protocol/modes.ts"
import { CompletionReason } from "../protocol/outcome.ts"
import { SandboxReport } from "../protocol/sandbox-report.ts"
import { SCHEMA_VERSION } from "./schema-version.ts"

const Texts = Schema.Array(Schema.String)
const byName = <A, I>(value: Schema.Schema<A, I>) => Schema.Record({ key: Schema.String, value })

const Tokens = Schema.Struct({
  input: Schema.Number,
  prompt: Schema.Number,
  candidates: Schema.Number,
  total: Schema.Number,
  cached: Schema.Number,
  thoughts: Schema.Number,
  tool: Schema.Number
})
const requests = { totalRequests: Schema.Int, totalErrors: Schema.Int, totalLatencyMs: Schema.Number }
const Decisions = Schema.Struct({
  accept: Schema.Int,
  reject: Schema.Int,
  modify: Schema.Int,
  auto_accept: Schema.Int
})
const Cost = Schema.NullOr(Schema.Number).annotations({
  description: "US dollars; null where the price of a request is not known."
})

const Credits = Schema.optional(
  Schema.Number.annotations({ description: "Paid credits of the account that answers cost; absent: none." })
)

const Tiers = Schema.optional(
  byName(Schema.Struct({ requests: Schema.Int, total_tokens: Schema.Number, cost_usd: Cost })).annotations({
    description: "By service tier; absent where every answer came at the standard one."
  })
)

export const JsonStats = Schema.Struct({
  models: byName(
    Schema.Struct({
      api: Schema.Struct({ ...requests, errorsByType: byName(Schema.Int) }),
      tokens: Tokens,
      roles: byName(Schema.UndefinedOr(Schema.Struct({ ...requests, tokens: Tokens })))
    })
  ),
  tools: Schema.Struct({
    totalCalls: Schema.Int,
    totalSuccess: Schema.Int,
    totalFail: Schema.Int,
    totalDurationMs: Schema.Number,
    totalDecisions: Decisions,
    byName: byName(
      Schema.Struct({
        count: Schema.Int,
        success: Schema.Int,
        fail: Schema.Int,
        durationMs: Schema.Number,
        decisions: Decisions
      })
    )
  }),
  files: Schema.Struct({ totalLinesAdded: Schema.Number, totalLinesRemoved: Schema.Number }),
  cost_usd: Cost,
  credits: Credits,
  tiers: Tiers
})
export type JsonStats = typeof JsonStats.Encoded

const Failure = Schema.Struct({
  type: Schema.String,
  message: Schema.String,
  code: Schema.optional(Schema.Union(Schema.Number, Schema.String)),
  status: Schema.optional(Schema.Number.annotations({ description: "HTTP status of a failed model request." })),
  hint: Schema.optional(Schema.String),
  help: Schema.optional(
    Schema.String.annotations({ description: "A short code that stays the same: `gemini help CODE` says more." })
  )
})

const extra = {
  completion_reason: CompletionReason,
  cached: Schema.optional(
    Schema.Boolean.annotations({ description: "Answered from what --cache kept: no model was asked." })
  ),
  permission_denials: Schema.Array(
    Schema.Struct({
      tool_name: Schema.String,
      tool_id: Schema.String,
      reason: Schema.String,
      rule: Schema.optional(Schema.String),
      allow_with: Schema.optional(Schema.String),
      allow_rule: Schema.optional(
        Schema.String.annotations({
          description: "A rule, as TOML, that allows the call once it stands in a policy file."
        })
      )
    })
  ),
  hidden_tools: Texts,
  structured_output: Schema.optional(
    Schema.Unknown.annotations({ description: "The answer as --output-schema asks." })
  ),
  estimate: Schema.optional(
    Schema.Struct({
      model: Schema.String,
      total_tokens: Schema.Number,
      input_cost_usd: Schema.NullOr(Schema.Number),
      prices_as_of: Schema.String,
      parts: Schema.Array(
        Schema.Struct({
          kind: Schema.Literal("instruction", "tools", "surroundings", "context_file", "prompt"),
          name: Schema.String,
          tokens: Schema.Number,
          share: Schema.Number,
          trust: Schema.optional(Trust)
        })
      )
    })
  )
}
export const ExtraFields = Schema.Struct(extra)
export type ExtraFields = typeof ExtraFields.Encoded

const version = Schema.Literal(SCHEMA_VERSION)

export const RunDocument = Schema.Struct({
  session_id: Schema.String,
  response: Schema.optional(Schema.String.annotations({ description: "Text of the last turn." })),
  stats: Schema.optional(JsonStats),
  error: Schema.optional(Failure),
  warnings: Schema.optional(Texts),
  full_response: Schema.optional(Schema.String.annotations({ description: "Text of all turns." })),
  ...extra,
  trust: Schema.optional(Trust),
  sandbox: Schema.optional(SandboxReport),
  schema_version: version
})
export type RunDocument = typeof RunDocument.Encoded

const streamTokens = {
  total_tokens: Schema.Number,
  input_tokens: Schema.Number,
  output_tokens: Schema.Number,
  cached: Schema.Number,
  input: Schema.Number
}
export const StreamStats = Schema.Struct({
  ...streamTokens,
  duration_ms: Schema.Number,
  tool_calls: Schema.Int,
  models: byName(Schema.Struct(streamTokens)),
  cost_usd: Cost,
  credits: Credits,
  tiers: Tiers
})
export type StreamStats = typeof StreamStats.Encoded

const message = {
  role: Schema.Literal("user", "assistant"),
  content: Schema.String,
  delta: Schema.optional(Schema.Boolean)
}
const toolUse = { tool_name: Schema.String, tool_id: Schema.String, parameters: byName(Schema.Unknown) }
const toolResult = {
  tool_id: Schema.String,
  status: Schema.Literal("success", "error"),
  output: Schema.String,
  error: Schema.optional(Schema.Struct({ type: Schema.String, message: Schema.String }))
}
const problem = { severity: Schema.Literal("warning", "error"), message: Schema.String }
const thought = { subject: Schema.String, description: Schema.String }
const typed = <Type extends string, Fields extends Schema.Struct.Fields>(type: Type, fields: Fields) =>
  Schema.Struct({ type: Schema.Literal(type), ...fields })

/** A step of a sub-agent: the forms of the run's own events, inside of one. */
export const SubagentStep = Schema.Union(
  typed("started", { agent_id: Schema.String, prompt: Schema.String }),
  typed("thought", thought),
  typed("message", message),
  typed("tool_use", toolUse),
  typed("tool_result", toolResult),
  typed("error", problem),
  typed("recovery", { reason: Schema.String, success: Schema.Boolean, turns: Schema.Int }),
  typed("finished", { reason: Schema.String, turns: Schema.Int, duration_ms: Schema.Number })
)
export type SubagentStep = typeof SubagentStep.Encoded

const line = <Type extends string, Fields extends Schema.Struct.Fields>(type: Type, fields: Fields) =>
  Schema.Struct({ type: Schema.Literal(type), timestamp: Schema.String, ...fields })

export const StreamEvent = Schema.Union(
  line("init", {
    session_id: Schema.String,
    model: Schema.String,
    trust: Schema.optional(Trust),
    sandbox: Schema.optional(SandboxReport),
    schema_version: version
  }),
  line("message", message),
  line("tool_use", toolUse),
  line("tool_result", toolResult),
  line("error", problem),
  line("permission_request", {
    ...toolUse,
    question: Schema.String,
    rule: Schema.String.annotations({ description: "Why it is asked." })
  }),
  line("thought", thought).annotations({ description: "With --verbose, or where output.events names it." }),
  line("compression", {
    status: CompressionStatus,
    original_tokens: Schema.Number,
    new_tokens: Schema.Number
  }).annotations({
    description: "The history was shortened, or was to be. With --verbose, or where output.events names it."
  }),
  line("subagent", { agent: Schema.String, tool_id: Schema.String, event: SubagentStep }),
  line("result", {
    status: Schema.Literal("success", "error"),
    error: Schema.optional(Failure),
    response: Schema.optional(Schema.String.annotations({ description: "What had come, where the run failed." })),
    stats: StreamStats,
    ...extra,
    prompt_index: Schema.optional(
      Schema.Int.annotations({ description: "With --input-format stream-json: which prompt, from 0." })
    )
  })
)
export type StreamEvent = typeof StreamEvent.Encoded
