/** What can go wrong with the form of an answer: the schema itself, or the answer. */
import { Schema } from "effect"

/** The schema that was given cannot be used; nothing was sent. */
export class BadOutputSchema extends Schema.TaggedError<BadOutputSchema>()("BadOutputSchema", {
  /** The file, or a word for JSON that was given on the command line. */
  source: Schema.String,
  detail: Schema.String
}) {
  override get message() {
    return `--output-schema: ${this.source} ${this.detail}`
  }
}

/** The answer does not fit, after all repair turns. */
export class SchemaMismatch extends Schema.TaggedError<SchemaMismatch>()("SchemaMismatch", {
  /** What is wrong with the last answer. */
  fault: Schema.String,
  repairs: Schema.Number
}) {
  override get message() {
    return `the answer does not fit the schema, after ${this.repairs} repair turns: ${this.fault}`
  }
}
