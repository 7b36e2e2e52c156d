import { describe, expect, test } from "bun:test"
import type { AuthType } from "../protocol/modes.ts"
import { type ConfigSources, resolveConfig } from "./model-configs.ts"
import { isAutoModel, isGemini3, type RemoteAccess, resolveModel, sessionAccess, tokenLimit } from "./model-names.ts"

const none: ConfigSources = { aliases: {}, customAliases: {}, overrides: [], customOverrides: [] }
const configOf = (name: string, sources: Partial<ConfigSources> = {}, isRetry = false) =>
  resolveConfig({ name, isRetry }, { ...none, ...sources })

describe("names", () => {
  test.each<[AuthType, string, string]>([
    ["gemini-api-key", "pro", "gemini-3.1-pro-preview"],
    ["gemini-api-key", "auto", "gemini-3.1-pro-preview"],
    ["vertex-ai", "auto", "gemini-3.1-pro-preview"],
    ["gateway", "auto", "gemini-2.5-pro"],
    ["gemini-api-key", "flash", "gemini-3.5-flash"],
    ["gemini-api-key", "flash-lite", "gemini-3.1-flash-lite"],
    ["gemini-api-key", "auto-gemini-2.5", "gemini-2.5-pro"],
    ["gemini-api-key", "gemini-2.5-flash", "gemini-2.5-flash"],
    ["gemini-api-key", "models/gemini-3-flash-preview", "gemini-3-flash-preview"],
    ["gemini-api-key", "gemini-3-pro-preview", "gemini-3.1-pro-preview"],
    ["gateway", "gemini-3-pro-preview", "gemini-3-pro-preview"],
    ["gateway", "my-custom-model", "my-custom-model"]
  ])("with %s, %s is %s", (auth, name, id) => expect(resolveModel(name, sessionAccess(auth))).toBe(id))

  const [PREVIEW, GA] = ["gemini-3-flash-preview", "gemini-3.5-flash"]
  test.each<[string, RemoteAccess, Record<string, string>]>([
    [
      "nothing is said",
      { hasPreview: undefined, flags: {} },
      { auto: "gemini-2.5-pro", flash: "gemini-2.5-flash", [PREVIEW]: PREVIEW }
    ],
    [
      "no preview",
      { hasPreview: false, flags: {} },
      { auto: "gemini-2.5-pro", [PREVIEW]: "gemini-2.5-flash", "gemini-3-pro-preview": "gemini-2.5-pro", [GA]: GA }
    ],
    [
      "preview",
      { hasPreview: true, flags: {} },
      { auto: "gemini-3-pro-preview", pro: "gemini-3-pro-preview", flash: PREVIEW }
    ],
    ["preview is switched off", { hasPreview: true, flags: { preview: false } }, { auto: "gemini-2.5-pro" }],
    [
      "3.1",
      { hasPreview: true, flags: { hasGemini31: true } },
      { auto: "gemini-3.1-pro-preview", "gemini-3-pro-preview": "gemini-3.1-pro-preview" }
    ],
    ["3.5", { hasPreview: true, flags: { hasFlash35: true } }, { flash: GA }],
    ["no pro", { hasPreview: true, flags: { hasNoPro: true } }, { auto: PREVIEW, pro: "gemini-3-pro-preview" }],
    [
      "no pro, 3.5",
      { hasPreview: true, flags: { hasNoPro: true, hasFlash35: true } },
      { auto: GA, "auto-gemini-2.5": GA }
    ]
  ])("an account of which %s", (_, account, ids) => {
    const access = sessionAccess("oauth-personal", account)
    expect(Object.fromEntries(Object.keys(ids).map((name) => [name, resolveModel(name, access)]))).toEqual(ids)
  })

  test("families and limits", () => {
    expect(["gemini-3", "gemini-3.1-pro-preview", "gemini-3-flash", "gemini-30"].map(isGemini3)).toEqual([
      true,
      true,
      true,
      false
    ])
    expect(isAutoModel("auto")).toBe(true)
    expect(isAutoModel("pro")).toBe(false)
    expect(tokenLimit("gemma-4-31b-it")).toBe(256_000)
    expect(tokenLimit("whatever")).toBe(1_048_576)
  })
})

describe("presets", () => {
  test("a chat model has the parameters of its family", () => {
    expect(configOf("gemini-2.5-pro")).toEqual({
      model: "gemini-2.5-pro",
      config: { temperature: 1, topP: 0.95, topK: 64, thinkingConfig: { includeThoughts: true, thinkingBudget: 8192 } }
    })
    expect(configOf("gemini-3.5-flash").config).toMatchObject({ thinkingConfig: { thinkingLevel: "HIGH" } })
  })
  test("an unknown model gets the chat parameters and keeps its name", () => {
    expect(configOf("my-model")).toEqual({
      model: "my-model",
      config: { temperature: 1, topP: 0.95, topK: 64, thinkingConfig: { includeThoughts: true } }
    })
  })
  test("a purpose has its model and its limits", () => {
    expect(configOf("classifier")).toEqual({
      model: "gemini-3.1-flash-lite",
      config: { temperature: 0, topP: 1, maxOutputTokens: 1024, thinkingConfig: { thinkingBudget: 512 } }
    })
    expect(configOf("web-search").config.tools).toEqual([{ googleSearch: {} }])
  })
})

describe("settings", () => {
  test("an own preset extends a built-in one", () => {
    const customAliases = {
      mine: { extends: "gemini-2.5-pro", modelConfig: { generateContentConfig: { temperature: 0.1 } } }
    }
    expect(configOf("mine", { customAliases })).toMatchObject({
      model: "gemini-2.5-pro",
      config: { temperature: 0.1, topK: 64 }
    })
  })
  test("a circle of presets ends", () => {
    const customAliases = { a: { extends: "b" }, b: { extends: "a", modelConfig: { model: "m" } } }
    expect(configOf("a", { customAliases }).model).toBe("m")
  })
  test("the nearer and the more specific override wins", () => {
    const override = (match: Record<string, unknown>, temperature: number) => ({
      match,
      modelConfig: { generateContentConfig: { temperature } }
    })
    const overrides = [
      override({ model: "gemini-2.5-pro", overrideScope: "core" }, 0.3),
      override({ model: "gemini-2.5-pro" }, 0.2),
      override({ model: "chat-base" }, 0.1),
      override({ overrideScope: "other" }, 0.9)
    ]
    expect(configOf("gemini-2.5-pro", { overrides }).config.temperature).toBe(0.3)
  })
  test("an override with a condition that nobody knows does not apply", () => {
    const overrides = [{ match: { moon: "full" }, modelConfig: { generateContentConfig: { temperature: 0.9 } } }]
    expect(configOf("classifier", { overrides }).config.temperature).toBe(0)
  })
  test("what the program makes at run time comes last", () => {
    const named = (model: string) => ({ mine: { modelConfig: { model } } })
    expect(configOf("mine", { customAliases: named("a"), runtimeAliases: named("b") }).model).toBe("b")
  })
  test("a retry of the main chat is warmer again", () => {
    const customAliases = {
      cold: { extends: "chat-base", modelConfig: { model: "m", generateContentConfig: { temperature: 0 } } }
    }
    expect(configOf("cold", { customAliases }).config.temperature).toBe(0)
    expect(configOf("cold", { customAliases }, true).config.temperature).toBe(1)
  })
  test("names of object members are no presets", () => {
    expect(configOf("constructor").model).toBe("constructor")
    expect(configOf("__proto__").config.topK).toBe(64)
  })
})
