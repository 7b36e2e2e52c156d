import { describe, expect, test } from "bun:test"
import { resolveConfig } from "./model-configs.ts"
import { displayName, hasModernFeatures, isGemini2, substituteModel, takesMediaInResponses } from "./model-features.ts"

const rows: ReadonlyArray<readonly [id: string, isTwo: boolean, isModern: boolean, nests: boolean]> = [
  ["gemini-2.5-pro", true, false, false],
  ["gemini-2", true, false, false],
  ["gemini-20-x", false, false, false],
  ["gemini-3-pro-preview", false, true, true],
  ["gemini-3.1-pro-preview-customtools", false, true, true],
  ["gemini-3.5-flash", false, true, true],
  ["gemma-4-31b-it", false, true, false],
  ["my-model", false, true, false]
]

for (const [id, isTwo, isModern, nests] of rows) {
  test(`features of ${id}`, () =>
    expect([isGemini2(id), hasModernFeatures(id), takesMediaInResponses(id)]).toEqual([isTwo, isModern, nests]))
}

test("the variant for own tools has the name of its model", () =>
  expect(displayName("gemini-3.1-pro-preview-customtools")).toBe("gemini-3.1-pro-preview"))

describe("another model for the same purpose", () => {
  const none = { aliases: {}, customAliases: {}, overrides: [], customOverrides: [] }
  const purpose = (name: string) => resolveConfig({ name, isRetry: false }, none)

  test("keeps limits, tools and temperature", () => {
    expect(substituteModel(purpose("web-search"), "gemini-2.5-flash")).toEqual({
      model: "gemini-2.5-flash",
      config: { temperature: 0, topP: 1, tools: [{ googleSearch: {} }] }
    })
    expect(substituteModel(purpose("classifier"), "gemini-2.5-flash-lite").config).toEqual(purpose("classifier").config)
  })

  const thoughts: ReadonlyArray<readonly [name: string, model: string, expected: object]> = [
    ["gemini-2.5-pro", "gemini-3-pro-preview", { includeThoughts: true, thinkingLevel: "HIGH" }],
    ["gemini-3-pro-preview", "gemini-2.5-pro", { includeThoughts: true, thinkingBudget: 8192 }],
    ["classifier", "gemini-3-flash-preview", { thinkingLevel: "LOW" }],
    ["edit-corrector", "gemini-3-flash-preview", { thinkingLevel: "LOW" }],
    ["gemini-2.5-pro", "gemini-2.5-flash", { includeThoughts: true, thinkingBudget: 8192 }],
    ["gemini-3-pro-preview", "my-model", { includeThoughts: true, thinkingLevel: "HIGH" }]
  ]
  for (const [name, model, expected] of thoughts) {
    test(`thinking of ${name} on ${model}`, () =>
      expect(substituteModel(purpose(name), model).config.thinkingConfig).toEqual(expected))
  }

  test("a budget that leaves the choice to the model has no level", () => {
    const config = { thinkingConfig: { thinkingBudget: -1, includeThoughts: true } }
    expect(substituteModel({ model: "m", config }, "gemini-3-x").config).toEqual({
      thinkingConfig: { includeThoughts: true }
    })
  })
})
