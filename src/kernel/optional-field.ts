/** Fields of a document of others that need not be there. */
import { Schema } from "effect"

export const optional = <A, I>(schema: Schema.Schema<A, I>) => Schema.optionalWith(schema, { exact: true })

/** Some write `null` for what they have not. */
export const optionalOrNull = <A, I>(schema: Schema.Schema<A, I>) =>
  Schema.optionalWith(schema, { exact: true, nullable: true })
