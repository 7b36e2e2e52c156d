/**
 * Request parameters by purpose: a preset extends another, overrides match on top, settings beat what is built in.
 * Asking for a model that has no preset of its own gives the chat parameters for its family.
 */
import { Predicate } from "effect"
import type { ModelAliases, ModelConfig, ModelOverrides } from "../config/setting-schema/model-config.ts"
import type { SettingsView } from "../config/settings.ts"
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

/** The presets that ship with the program, by purpose. Data only. */
const preset = (parent: string | undefined, model?: string, parameters?: Readonly<Record<string, unknown>>) => ({
  ...(parent === undefined ? {} : { extends: parent }),
  modelConfig: {
    ...(model === undefined ? {} : { model }),
    ...(parameters === undefined ? {} : { generateContentConfig: parameters })
  }
})

const thinking = (thinkingConfig: Readonly<Record<string, unknown>>) => ({ thinkingConfig })

const chatModels = (parent: string, ids: ReadonlyArray<string>) =>
  Object.fromEntries(ids.map((id) => [id, preset(parent, id)]))

const FLASH_LITE = "gemini-3.1-flash-lite"

const newModels = [
  "gemini-3.5-flash",
  "gemini-3.1-pro-preview",
  "gemini-3.1-pro-preview-customtools",
  FLASH_LITE,
  "gemini-3.1-flash-lite-preview",
  "gemini-3-pro-preview",
  "gemini-3-flash-preview",
  "gemma-4-31b-it",
  "gemma-4-26b-a4b-it"
]
const olderModels = ["gemini-2.5-pro", "gemini-2.5-flash", "gemini-2.5-flash-lite"]

/** The models that have parameters of their own for conversations. */
export const chatModelIds: ReadonlyArray<string> = [...newModels, ...olderModels]

const builtInAliases: ModelAliases = {
  base: preset(undefined, undefined, { temperature: 0, topP: 1 }),
  "chat-base": preset("base", undefined, {
    temperature: 1,
    topP: 0.95,
    topK: 64,
    ...thinking({ includeThoughts: true })
  }),
  "chat-base-2.5": preset("chat-base", undefined, thinking({ thinkingBudget: 8192 })),
  "chat-base-3": preset("chat-base", undefined, thinking({ thinkingLevel: "HIGH" })),
  ...chatModels("chat-base-3", newModels),
  ...chatModels("chat-base-2.5", olderModels),
  "gemini-2.5-flash-base": preset("base", "gemini-2.5-flash"),
  "gemini-3-flash-base": preset("base", "gemini-3-flash-preview"),
  "gemini-3.5-flash-base": preset("base", "gemini-3.5-flash"),
  classifier: preset("base", FLASH_LITE, { maxOutputTokens: 1024, ...thinking({ thinkingBudget: 512 }) }),
  "prompt-completion": preset("base", FLASH_LITE, {
    temperature: 0.3,
    maxOutputTokens: 16_000,
    ...thinking({ thinkingBudget: 0 })
  }),
  "fast-ack-helper": preset("base", FLASH_LITE, {
    temperature: 0.2,
    maxOutputTokens: 120,
    ...thinking({ thinkingBudget: 0 })
  }),
  "edit-corrector": preset("base", FLASH_LITE, thinking({ thinkingBudget: 0 })),
  "summarizer-default": preset("base", FLASH_LITE, { maxOutputTokens: 2000 }),
  "summarizer-shell": preset("base", FLASH_LITE, { maxOutputTokens: 2000 }),
  "web-search": preset("gemini-3-flash-base", undefined, { tools: [{ googleSearch: {} }] }),
  "web-fetch": preset("gemini-3-flash-base", undefined, { tools: [{ urlContext: {} }] }),
  "web-fetch-fallback": preset("gemini-3-flash-base"),
  "loop-detection": preset("gemini-3-flash-base"),
  "llm-edit-fixer": preset("gemini-3-flash-base"),
  "next-speaker-checker": preset("gemini-3-flash-base"),
  "loop-detection-double-check": preset("base", "gemini-3-pro-preview"),
  "context-snapshotter": preset("gemini-3-flash-base", undefined, {
    ...thinking({ thinkingLevel: "HIGH" }),
    temperature: 1,
    topP: 0.95,
    topK: 64
  }),
  "chat-compression-3-pro": preset(undefined, "gemini-3-pro-preview"),
  "chat-compression-3-flash": preset(undefined, "gemini-3-flash-preview"),
  "chat-compression-3.1-flash-lite": preset(undefined, FLASH_LITE),
  "chat-compression-2.5-pro": preset(undefined, "gemini-2.5-pro"),
  "chat-compression-2.5-flash": preset(undefined, "gemini-2.5-flash"),
  "chat-compression-2.5-flash-lite": preset(undefined, "gemini-2.5-flash-lite"),
  "chat-compression-default": preset(undefined, "gemini-3-pro-preview"),
  "agent-history-provider-summarizer": preset(undefined, "gemini-3-flash-preview")
}

/** A second attempt at an answer that could not be used gets another roll of the dice. */
const builtInOverrides: ModelOverrides = [
  { match: { model: "chat-base", isRetry: true }, modelConfig: { generateContentConfig: { temperature: 1 } } }
]

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
