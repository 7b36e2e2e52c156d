/** Why a run ended without doing what was asked, beyond what the model service and the tools report themselves. */
import { Schema } from "effect"
import type { ModelError } from "../retry/model-error.ts"
import type { FatalToolError } from "../tools/tool-scheduler.ts"
import type { SchemaMismatch } from "./structured/schema-error.ts"

/** The model's answers could not be used, after all attempts. */
export class InvalidAnswer extends Schema.TaggedError<InvalidAnswer>()("InvalidAnswer", {
  kind: Schema.String,
  detail: Schema.String
}) {
  override get message() {
    return this.detail
  }
}

/** A limit of the run was reached. */
export class LimitReached extends Schema.TaggedError<LimitReached>()("LimitReached", {
  limit: Schema.Literal("turns", "time", "tool_calls", "tokens", "cost"),
  /** The limit as the person set it, such as `5` or `90s`. */
  value: Schema.String,
  /** The flag or setting that it came from. */
  source: Schema.String
}) {
  override get message() {
    return `${LIMIT_TEXT[this.limit](this.value)} was reached (${this.source})`
  }
}

const counted = (noun: string) => (value: string) => `the limit of ${value} ${noun}${value === "1" ? "" : "s"}`

const LIMIT_TEXT = {
  turns: counted("turn"),
  tool_calls: counted("tool call"),
  tokens: counted("token"),
  time: (value: string) => `the time limit of ${value}`,
  cost: (value: string) => `the cost limit of $${value}`
}

/** A limit in dollars cannot be kept: nobody knows what this model costs. */
export class UnpricedModel extends Schema.TaggedError<UnpricedModel>()("UnpricedModel", {
  model: Schema.String,
  /** The flag or setting that limits the cost. */
  source: Schema.String
}) {
  override get message() {
    return `the cost limit (${this.source}) cannot be kept: no price is known for ${this.model}`
  }
}

export const LoopKind = Schema.Literal("calls", "text", "progress")
export type LoopKind = typeof LoopKind.Type

/** The model went on repeating itself after it was told to step back. */
export class LoopDetected extends Schema.TaggedError<LoopDetected>()("LoopDetected", {
  kind: LoopKind,
  detail: Schema.String
}) {
  override get message() {
    return `stopped because the model is stuck in a loop: ${this.detail}`
  }
}

/** The request does not fit into what is left of the model's context window; it was not sent. */
export class ContextOverflow extends Schema.TaggedError<ContextOverflow>()("ContextOverflow", {
  model: Schema.String,
  /** Of the message that was to be sent. */
  estimatedTokens: Schema.Number,
  remainingTokens: Schema.Number,
  /** How much of the window the conversation before it takes, between 0 and 1. */
  usedShare: Schema.Number
}) {
  override get message() {
    return `the message has about ${this.estimatedTokens} tokens, but only ${this.remainingTokens} are left in the context window of ${this.model}`
  }
}

export type ChatError =
  | ModelError
  | InvalidAnswer
  | LimitReached
  | UnpricedModel
  | LoopDetected
  | ContextOverflow
  | SchemaMismatch
  | FatalToolError
