/**
 * What settings may say of models: named presets of request parameters, overrides for requests that match
 * (`modelConfigs`), changes of single agents (`agents.overrides`), and prices.
 */
import { Schema } from "effect"
import { Amount, expecting, Flag, integerFrom, OpenObject, optional, Text, TextList } from "../setting.ts"
import { McpServers } from "./mcp-server.ts"

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

/** `agents.overrides.<name>`: what the user changes about one agent. */
export const AgentOverride = Schema.Struct({
  enabled: optional(Flag),
  modelConfig: optional(ModelConfig),
  runConfig: optional(
    Schema.Struct({ maxTurns: optional(integerFrom(1)), maxTimeMinutes: optional(Amount) }).annotations({
      message: () => "expected { maxTurns, maxTimeMinutes }"
    })
  ),
  tools: optional(TextList),
  mcpServers: optional(McpServers)
}).annotations({ message: () => "expected an object" })

export type AgentOverride = typeof AgentOverride.Type

export const AgentOverrides = Schema.Record({ key: Schema.String, value: AgentOverride }).annotations({
  message: () => "expected an object of agents by name"
})

const Dollars = Schema.Finite.pipe(
  Schema.greaterThanOrEqualTo(0),
  expecting("a number of US dollars for a million tokens")
)

const rates = {
  input: Dollars,
  /** Thoughts are paid for like the answer. */
  output: Dollars,
  /** Input that the service had kept from before; as input where absent. */
  cached: optional(Dollars)
}

/** Prices of models as the user states them: US dollars for a million tokens. */
export const Price = Schema.Struct({
  ...rates,
  /** For prompts above 200,000 tokens, where they cost more. */
  long: optional(Schema.Struct(rates))
})

export type Price = typeof Price.Type

/** By model id. */
export const Prices = Schema.Record({ key: Schema.String, value: Price })

export type Prices = typeof Prices.Type
