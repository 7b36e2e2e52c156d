/**
 * The records of a session file, one JSON object a line: metadata, messages, and changes of both. The format is shared
 * with the reference, so files of either program can be read by the other. Readers are lenient: what a newer version
 * adds is kept where it stands in a message, and left out where a whole record is of an unknown kind.
 */
import { Schema } from "effect"
import { Part } from "../../protocol/content.ts"
import { RequestRole } from "../../protocol/usage.ts"

const JsonObject = Schema.Record({ key: Schema.String, value: Schema.Unknown })

/** `subagent`: a conversation that another one started; lists leave it out. */
export const SessionKind = Schema.Literal("main", "subagent")
export type SessionKind = typeof SessionKind.Type

/** What is known of a session as a whole. */
export const METADATA_FIELDS = {
  sessionId: Schema.String,
  /** Hex SHA-256 of the absolute path of the project. */
  projectHash: Schema.String,
  /** ISO 8601, UTC. */
  startTime: Schema.String,
  lastUpdated: Schema.String,
  kind: SessionKind,
  /** A title, made by a model. */
  summary: Schema.String,
  /** Folders that were added to the workspace. */
  directories: Schema.Array(Schema.String),
  /** Asked once by a script, and no conversation; false once somebody went on with it at a terminal. */
  oneShot: Schema.Boolean
}

const { projectHash, sessionId, ...mayBeMissing } = METADATA_FIELDS

export const SessionMetadata = Schema.extend(
  Schema.Struct({ sessionId, projectHash }),
  Schema.partial(Schema.Struct(mayBeMissing))
)
export type SessionMetadata = typeof SessionMetadata.Type

export const TokenCounts = Schema.Struct({
  input: Schema.Number,
  output: Schema.Number,
  cached: Schema.Number,
  thoughts: Schema.Number,
  tool: Schema.Number,
  total: Schema.Number,
  /** The service tier that answered, where it was not the standard one. */
  tier: Schema.optionalWith(Schema.String, { exact: true }),
  /** From a recording of answers, which costs nothing. */
  replayed: Schema.optionalWith(Schema.Boolean, { exact: true })
})
export type TokenCounts = typeof TokenCounts.Type

/** A request that gave no message of its own. */
export const OtherRequest = Schema.Struct({
  model: Schema.String,
  role: RequestRole,
  tokens: TokenCounts,
  /** Why it failed, where it did. */
  error: Schema.optionalWith(Schema.String, { exact: true })
})
export type OtherRequest = typeof OtherRequest.Type

export const ToolCallRecord = Schema.Struct({
  id: Schema.String,
  name: Schema.String,
  args: Schema.optionalWith(JsonObject, { default: () => ({}) }),
  /** `success`, `error`, `cancelled`; other versions know more. */
  status: Schema.optional(Schema.String),
  timestamp: Schema.optional(Schema.String),
  /** What the model got: normally one function response. */
  result: Schema.optional(Schema.NullOr(Schema.Union(Schema.Array(Part), Schema.String))),
  /** What the person saw: text, or an object such as the change of a file. */
  resultDisplay: Schema.optional(Schema.Unknown),
  description: Schema.optional(Schema.String),
  displayName: Schema.optional(Schema.String),
  renderOutputAsMarkdown: Schema.optional(Schema.Boolean),
  /** How the call was confirmed, where a confirmation was involved. */
  decision: Schema.optional(Schema.String),
  durationMs: Schema.optional(Schema.Number)
})
export type ToolCallRecord = typeof ToolCallRecord.Type

const Words = Schema.Union(Schema.String, Schema.Array(Schema.Union(Schema.String, Part)), Part)

export const ThoughtRecord = Schema.Struct({
  subject: Schema.String,
  description: Schema.String,
  timestamp: Schema.optional(Schema.String)
})
export type ThoughtRecord = typeof ThoughtRecord.Type

export const MessageRecord = Schema.Struct({
  id: Schema.String,
  timestamp: Schema.optional(Schema.String),
  type: Schema.Literal("user", "gemini", "info", "warning", "error"),
  content: Schema.optionalWith(Words, { default: () => "" }),
  /** What the person typed, where the model got something else. */
  displayContent: Schema.optional(Words),
  thoughts: Schema.optional(Schema.Array(ThoughtRecord)),
  tokens: Schema.optional(Schema.NullOr(TokenCounts)),
  /** As it was asked for. */
  model: Schema.optional(Schema.String),
  toolCalls: Schema.optional(Schema.Array(ToolCallRecord)),
  /** What else was asked since the message before: which model to take, for a summary, an answer that was cut. */
  otherRequests: Schema.optional(Schema.Array(OtherRequest)),
  /** On a note about a failure: the question that got no answer and left the conversation because of it. */
  retracts: Schema.optional(Schema.String)
})
export type MessageRecord = typeof MessageRecord.Type

/** One line of a file. */
export type SessionRecord =
  | MessageRecord
  | { readonly $rewindTo: string }
  | { readonly $set: Partial<SessionMetadata> & { readonly messages?: ReadonlyArray<MessageRecord> } }
  | SessionMetadata

/** The same, as `gemini schema session` describes it. */
export const SessionLine = Schema.Union(
  MessageRecord,
  Schema.Struct({ $rewindTo: Schema.String }),
  Schema.Struct({
    $set: Schema.extend(
      Schema.partial(SessionMetadata),
      Schema.Struct({ messages: Schema.optional(Schema.Array(MessageRecord)) })
    )
  }),
  SessionMetadata
)
