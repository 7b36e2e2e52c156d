/** `agents.overrides.<name>`: what the user changes about one agent. */
import { Schema } from "effect"
import { Amount, Flag, integerFrom, optional, TextList } from "../setting.ts"
import { McpServers } from "./mcp-server.ts"
import { ModelConfig } from "./model-config.ts"

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
