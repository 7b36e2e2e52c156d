/** One line of the output: what an item came to. Its form is a promise to scripts. */
import { Schema } from "effect"
import type { DoneRecord } from "./journal/journal-record.ts"

const maybe = <A, I>(schema: Schema.Schema<A, I>) => Schema.optionalWith(schema, { exact: true })

export const ResultLine = Schema.Struct({
  key: Schema.String,
  status: Schema.Literal("success", "error"),
  response: Schema.String,
  /** The answer as a value, where a schema was given and met. */
  structured: maybe(Schema.Unknown),
  error: maybe(
    Schema.Struct({
      /** What a script branches on: the reasons of a run, and `input` where the item itself cannot be used. */
      type: Schema.String,
      message: Schema.String,
      hint: maybe(Schema.String),
      status: maybe(Schema.Number)
    })
  ),
  completion_reason: Schema.String,
  stats: Schema.Struct({
    tokens: Schema.Struct({ total: Schema.Number, input: Schema.Number, output: Schema.Number, cached: Schema.Number }),
    /** `null`: no price of the model is known. */
    cost_usd: Schema.NullOr(Schema.Number),
    turns: Schema.Number,
    tool_calls: Schema.Number,
    duration_ms: Schema.Number
  }),
  model: Schema.NullOr(Schema.String),
  tier: Schema.String,
  /** How often the item was sent. */
  attempt: Schema.Number,
  session_id: maybe(Schema.String),
  /** What the item changed in its own copy of the repository (`--worktree-per-item`). */
  patch: maybe(Schema.String)
})
export type ResultLine = typeof ResultLine.Type

export const NO_STATS: ResultLine["stats"] = {
  tokens: { total: 0, input: 0, output: 0, cached: 0 },
  cost_usd: 0,
  turns: 0,
  tool_calls: 0,
  duration_ms: 0
}

/** An item that is never sent: nothing was paid for it. */
export const unsentResult = (key: string, why: string, tier: string): ResultLine => ({
  key,
  status: "error",
  response: "",
  error: { type: "input", message: why },
  completion_reason: "input",
  stats: NO_STATS,
  model: null,
  tier,
  attempt: 0
})

/** `text` prints answers only: the reader of the file counts on nothing else being there. */
export const outputLine = (result: ResultLine, format: "json" | "text"): string => {
  if (format === "json") return `${JSON.stringify(result)}\n`
  return result.status === "success" ? `${result.response}${result.response.endsWith("\n") ? "" : "\n"}` : ""
}

const NOWHERE = { offset: 0, length: 0, sum: 0 }

/** What the journal says of it. `place`: of its line in the output, where that can be gone back to. */
export const doneRecord = (
  result: ResultLine,
  requestHash: string,
  place: Pick<DoneRecord, "offset" | "length" | "sum"> = NOWHERE
): DoneRecord => ({
  t: "done",
  key: result.key,
  request_hash: requestHash,
  offset: place.offset,
  length: place.length,
  sum: place.sum,
  status: result.status,
  cost: result.stats.cost_usd,
  tokens: result.stats.tokens.total,
  duration_ms: result.stats.duration_ms,
  attempt: result.attempt,
  ...(result.model === null ? {} : { model: result.model }),
  tier: result.tier,
  ...(result.error === undefined ? {} : { cause: result.error.type })
})
