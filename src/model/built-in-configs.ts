/** The presets that ship with the program, by purpose. Data only. */
import type { ModelAliases, ModelOverrides } from "../config/setting-schema/model-config.ts"

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

export const builtInAliases: ModelAliases = {
  base: preset(undefined, undefined, { temperature: 0, topP: 1 }),
  "chat-base": preset("base", undefined, {
    temperature: 1,
    topP: 0.95,
    topK: 64,
    ...thinking({ includeThoughts: true })
  }),
  "chat-base-2.5": preset("chat-base", undefined, thinking({ thinkingBudget: 8192 })),
  "chat-base-3": preset("chat-base", undefined, thinking({ thinkingLevel: "HIGH" })),
  ...chatModels("chat-base-3", [
    "gemini-3-pro-preview",
    "gemini-3-flash-preview",
    "gemini-3.1-pro-preview",
    "gemini-3.1-pro-preview-customtools",
    "gemini-3.1-flash-lite-preview",
    FLASH_LITE,
    "gemini-3.5-flash",
    "gemma-4-31b-it",
    "gemma-4-26b-a4b-it"
  ]),
  ...chatModels("chat-base-2.5", ["gemini-2.5-pro", "gemini-2.5-flash", "gemini-2.5-flash-lite"]),
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
export const builtInOverrides: ModelOverrides = [
  { match: { model: "chat-base", isRetry: true }, modelConfig: { generateContentConfig: { temperature: 1 } } }
]
