/** Parts of the schemas for rule files whose faults are one sentence each. */
import { Schema } from "effect"

export const oneOf = <const Values extends readonly [string, ...ReadonlyArray<string>]>(...values: Values) =>
  Schema.Literal(...values).annotations({
    message: () => ({ message: `must be one of ${values.map((value) => `"${value}"`).join(", ")}`, override: true })
  })

export const stringOrList = Schema.Union(Schema.String, Schema.Array(Schema.String)).annotations({
  message: () => ({ message: "must be a string or a list of strings", override: true })
})

/** A key that may be missing; without `exact` each fault is reported twice. */
export const exact = <A, I, R>(schema: Schema.Schema<A, I, R>) => Schema.optionalWith(schema, { exact: true })
