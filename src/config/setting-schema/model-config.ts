/** `modelConfigs`: named presets of request parameters, and overrides for requests that match. */
import { Schema } from "effect"
import { OpenObject, optional, Text } from "../setting.ts"

export const ModelConfig = Schema.Struct({
  model: optional(Text),
  /** Passed on to the API as it is. */
  generateContentConfig: optional(OpenObject)
}).annotations({ message: () => "expected { model, generateContentConfig }" })
export type ModelConfig = typeof ModelConfig.Type

export const ModelAliases = Schema.Record({
  key: Schema.String,
  value: Schema.Struct({ extends: optional(Text), modelConfig: optional(ModelConfig) })
}).annotations({ message: () => "expected an object of presets by name" })
export type ModelAliases = typeof ModelAliases.Type

export const ModelOverrides = Schema.Array(Schema.Struct({ match: OpenObject, modelConfig: ModelConfig })).annotations({
  message: () => "expected a list of { match, modelConfig }"
})
export type ModelOverrides = typeof ModelOverrides.Type
