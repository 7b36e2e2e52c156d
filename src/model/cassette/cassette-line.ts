/**
 * The public format of cassettes: JSON lines, a head first, then one entry for each call of the model. `gemini schema
 * cassette` prints it. A request that goes on from an earlier one holds only what is new, so that a long conversation
 * grows by its messages and not by their square.
 */
import { Schema } from "effect"

/** A file of a later format is refused, never guessed at. */
export const CASSETTE_FORMAT = 1

const optional = <A, I>(schema: Schema.Schema<A, I>) => Schema.optionalWith(schema, { exact: true })
const Count = Schema.NonNegativeInt
const Message = Schema.Record({ key: Schema.String, value: Schema.Unknown })

export const CassetteHead = Schema.Struct({
  cassette: Schema.Literal(CASSETTE_FORMAT).annotations({ description: "The format of the file." }),
  tool: Schema.String.annotations({ description: "The version of gemini that began it." }),
  auth: optional(Schema.String).annotations({ description: "The kind of credentials, such as gemini-api-key." }),
  access: optional(
    Schema.Struct({
      preview: optional(Schema.Boolean),
      gemini31: Schema.Boolean,
      flash35: Schema.Boolean,
      customTools: Schema.Boolean,
      noPro: Schema.Boolean
    })
  ).annotations({ description: "What the account might use: names such as auto and pro mean models by that." })
}).annotations({ identifier: "CassetteHead", description: "The first line." })
export type CassetteHead = typeof CassetteHead.Type

export const RecordedRequest = Schema.Struct({
  extends: optional(
    Schema.Struct({
      sha256: Schema.String,
      contents: Count.annotations({ description: "How many of its messages come first here." })
    })
  ).annotations({
    description: "An earlier entry with which this request begins. What stands here then is only what is different."
  }),
  call: optional(Schema.Literal("stream", "generate", "count", "embed")),
  model: optional(Schema.String),
  system: optional(Schema.String),
  config: optional(Schema.Unknown).annotations({ description: "Generation config, tools and tool config." }),
  contents: Schema.Array(Message).annotations({ description: "The messages, in the shape of the Gemini API." })
}).annotations({ identifier: "RecordedRequest", description: "The request without what differs from run to run." })
export type RecordedRequest = typeof RecordedRequest.Type

const RecordedError = Schema.Struct({
  kind: Schema.String,
  detail: Schema.String,
  phase: Schema.Literal("open", "body"),
  errorType: Schema.String,
  status: optional(Schema.Int),
  statusName: optional(Schema.String),
  reason: optional(Schema.String)
}).annotations({ identifier: "RecordedError", description: "How the call failed, after what came of its response." })
export type RecordedError = typeof RecordedError.Type

export const CassetteEntry = Schema.Struct({
  recording: Count.annotations({
    description:
      "Counts the runs that recorded into the file. Of entries with one hash, those of the last run are played."
  }),
  request: RecordedRequest,
  sha256: Schema.String.annotations({
    description: "Of the request: of its canonical JSON without messages, a line break, and each message with one."
  }),
  response: Schema.Array(Schema.Unknown).annotations({
    description: "The chunks of the answer; for count and embed, one object with the number or the vectors."
  }),
  gaps: Schema.Array(Count).annotations({ description: "Milliseconds before each chunk." }),
  replaced_by: optional(Schema.String).annotations({
    description: "The model that answered in place of the one asked."
  }),
  error: optional(RecordedError)
}).annotations({ identifier: "CassetteEntry", description: "One call of the model." })
export type CassetteEntry = typeof CassetteEntry.Type

/** Of either kind: what `gemini schema cassette` describes. */
export const CassetteFileLine = Schema.Union(CassetteHead, CassetteEntry)
