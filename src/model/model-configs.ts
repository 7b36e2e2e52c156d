/**
 * Request parameters by purpose: a preset extends another, overrides match on top, settings beat what is built in.
 * Asking for a model that has no preset of its own gives the chat parameters for its family.
 */
import { Predicate } from "effect"
import type { ModelAliases, ModelConfig, ModelOverrides } from "../config/setting-schema/model-config.ts"
import type { SettingsView } from "../config/settings.ts"
import { builtInAliases, builtInOverrides } from "./built-in-configs.ts"
import type { GenerationConfig } from "./model-client.ts"
import { isGemini3 } from "./model-names.ts"

export interface ConfigRequest {
  /** A preset or a model id. */
  readonly name: string
  readonly isRetry: boolean
  /** The agent that asks; `core` for the main one. */
  readonly scope?: string
}

export interface ResolvedConfig {
  readonly model: string
  readonly config: GenerationConfig
}

export interface ConfigSources {
  readonly aliases: ModelAliases
  readonly customAliases: ModelAliases
  readonly overrides: ModelOverrides
  readonly customOverrides: ModelOverrides
  /** Made by the program while it runs, for agents and their models. */
  readonly runtimeAliases?: ModelAliases
  readonly runtimeOverrides?: ModelOverrides
}

/** What the settings say about presets of request parameters. */
export const sourcesIn = ({ get }: Pick<SettingsView, "get">): ConfigSources => ({
  aliases: get("modelConfigs.aliases"),
  customAliases: get("modelConfigs.customAliases"),
  overrides: get("modelConfigs.overrides"),
  customOverrides: get("modelConfigs.customOverrides")
})

const MAX_DEPTH = 100

export const resolveConfig = (request: ConfigRequest, sources: ConfigSources): ResolvedConfig => {
  const presets: ModelAliases = {
    ...builtInAliases,
    ...sources.aliases,
    ...sources.customAliases,
    ...sources.runtimeAliases
  }
  const chain = chainOf(request.name, presets)
  const base = chain.reduceRight<ModelConfig>((merged, name) => deepMerge(merged, presets[name]?.modelConfig ?? {}), {})
  const given = [...sources.overrides, ...sources.customOverrides, ...(sources.runtimeOverrides ?? [])]
  const overrides = [...builtInOverrides, ...given]
    .map((override, order) => ({ ...override, order, rank: rankOf(override.match, chain, base, request) }))
    .filter(({ rank }) => rank !== undefined)
    .sort((a, b) => (a.rank ?? 0) - (b.rank ?? 0) || a.order - b.order)
  const merged = overrides.reduce<ModelConfig>((config, override) => deepMerge(config, override.modelConfig), base)
  return { model: merged.model ?? request.name, config: merged.generateContentConfig ?? {} }
}

/** From the preset itself to its root. */
const chainOf = (name: string, presets: ModelAliases): ReadonlyArray<string> => {
  const known = Object.hasOwn(presets, name)
  const chain: Array<string> = [name]
  let next = known ? presets[name]?.extends : isGemini3(name) ? "chat-base-3" : "chat-base"
  // A circle in the user's presets ends where it closes.
  while (next !== undefined && !chain.includes(next) && chain.length < MAX_DEPTH) {
    chain.push(next)
    next = Object.hasOwn(presets, next) ? presets[next]?.extends : undefined
  }
  return chain
}

/** `undefined`: does not match. Otherwise nearer presets and more conditions rank higher. */
const rankOf = (
  match: Readonly<Record<string, unknown>>,
  chain: ReadonlyArray<string>,
  base: ModelConfig,
  request: ConfigRequest
): number | undefined => {
  const { isRetry, model, overrideScope, ...unknown } = match
  // A condition that nobody knows is not met.
  if (Object.keys(unknown).length > 0) return undefined
  if (isRetry !== undefined && isRetry !== request.isRetry) return undefined
  if (overrideScope !== undefined && overrideScope !== (request.scope ?? "core")) return undefined
  const depth = typeof model === "string" ? chain.indexOf(model) : -1
  if (model !== undefined && depth === -1 && model !== base.model) return undefined
  const level = depth === -1 ? 0 : chain.length - depth
  return level * 10 + Object.keys(match).length
}

/** Values of the second beat those of the first; lists are values. */
export const deepMerge = <A extends Readonly<Record<string, unknown>>>(low: A, high: A): A => {
  const merged: Record<string, unknown> = { ...low }
  for (const [key, value] of Object.entries(high)) {
    const below = Object.hasOwn(merged, key) ? merged[key] : undefined
    merged[key] = Predicate.isRecord(below) && Predicate.isRecord(value) ? deepMerge(below, value) : value
  }
  // Both sides are of this type, and so is every key of theirs.
  return merged as A
}
