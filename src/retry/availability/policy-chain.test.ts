import { describe, expect, test } from "bun:test"
import { type ChainModels, type ChainQuestion, chainFor, chainNameOf, tierOf } from "./policy-chain.ts"

const models: ChainModels = {
  previewPro: "gemini-3.1-pro-preview-customtools",
  previewFlash: "gemini-3-flash-preview",
  defaultPro: "gemini-2.5-pro",
  defaultFlash: "gemini-3.5-flash",
  flashLite: "gemini-3.1-flash-lite"
}

const chain = (model: string, changed: Partial<ChainQuestion> = {}) =>
  chainFor({ model, isAuto: false, isPlanMode: false, models, ...changed })
const ids = (model: string, changed: Partial<ChainQuestion> = {}) => chain(model, changed).map((policy) => policy.model)

describe("which chain", () => {
  test.each([
    ["gemini-3.1-pro-preview-customtools", false, "preview"],
    ["gemini-3.1-pro-preview", false, "preview"],
    ["gemini-3.5-flash", false, "preview"],
    ["gemini-3.1-pro-preview", true, "auto-preview"],
    ["gemini-2.5-pro", false, "default"],
    ["gemini-2.5-pro", true, "auto-default"],
    ["gemini-3.1-flash-lite", false, "lite"],
    ["gemini-3.1-flash-lite", true, "lite"],
    ["my-custom-model", false, "single"],
    ["my-custom-pro", true, "single"],
    ["gemma-4-31b-it", false, "single"],
    ["gemini-embedding-001", false, "single"]
  ] as const)("%s (auto: %p) is in %s", (model, isAuto, name) => expect(chainNameOf({ model, isAuto })).toBe(name))
})

describe("members, beginning with the model itself", () => {
  test.each<[string, boolean, ReadonlyArray<string>]>([
    ["gemini-3.1-pro-preview-customtools", false, ["gemini-3.1-pro-preview-customtools", "gemini-3-flash-preview"]],
    ["gemini-3-flash-preview", false, ["gemini-3-flash-preview", "gemini-3.1-pro-preview-customtools"]],
    ["gemini-3.1-pro-preview", false, ["gemini-3.1-pro-preview", "gemini-3-flash-preview"]],
    ["gemini-3.5-flash", true, ["gemini-3.5-flash", "gemini-3.1-pro-preview-customtools"]],
    ["gemini-2.5-pro", false, ["gemini-2.5-pro", "gemini-3.5-flash"]],
    ["gemini-2.5-flash", false, ["gemini-2.5-flash"]],
    ["gemini-2.5-flash", true, ["gemini-2.5-flash", "gemini-2.5-pro"]],
    ["gemini-3.1-flash-lite", false, ["gemini-3.1-flash-lite", "gemini-3.5-flash", "gemini-2.5-pro"]],
    ["gemini-2.5-flash-lite", false, ["gemini-2.5-flash-lite", "gemini-3.5-flash", "gemini-2.5-pro"]],
    ["my-custom-model", true, ["my-custom-model"]]
  ])("%s (auto: %p): %j", (model, isAuto, expected) => expect(ids(model, { isAuto })).toEqual([...expected]))
})

const ASK = { terminal: "prompt", transient: "prompt", not_found: "prompt", unknown: "prompt" } as const
const SILENT = { terminal: "silent", transient: "silent", not_found: "silent", unknown: "silent" } as const
const FINAL = { terminal: "terminal", transient: "terminal", not_found: "terminal", unknown: "terminal" } as const

describe("actions, transitions and attempts", () => {
  test("preview and default ask about everything and give up for good", () => {
    for (const model of ["gemini-3.1-pro-preview", "gemini-2.5-pro"]) {
      expect(chain(model)).toMatchObject([
        { actions: ASK, transitions: FINAL, isLastResort: false },
        { actions: ASK, transitions: FINAL, isLastResort: true, maxAttempts: 10 }
      ])
      expect(chain(model)[0]).not.toHaveProperty("maxAttempts")
    }
  })
  test("an automatic choice passes a short limit silently, and comes back to the first model", () => {
    for (const model of ["gemini-3.1-pro-preview", "gemini-2.5-pro"]) {
      expect(chain(model, { isAuto: true })).toMatchObject([
        {
          actions: { ...ASK, transient: "silent" },
          transitions: { ...FINAL, transient: "sticky_retry" },
          maxAttempts: 3,
          isLastResort: false
        },
        { actions: ASK, transitions: FINAL, maxAttempts: 10, isLastResort: true }
      ])
    }
  })
  test("the lite chain asks about nothing", () => {
    const members = chain("gemini-3.1-flash-lite")
    expect(members.map((policy) => policy.actions)).toEqual([SILENT, SILENT, SILENT])
    expect(members.map((policy) => policy.isLastResort)).toEqual([false, false, true])
  })
  test("a model alone is its own last resort", () => {
    expect(chain("my-custom-model")).toEqual([
      { model: "my-custom-model", isLastResort: true, actions: ASK, transitions: FINAL }
    ])
  })
  test("plan mode asks about nothing, and changes nothing else", () => {
    const planning = chain("gemini-3.1-pro-preview", { isPlanMode: true, isAuto: true })
    expect(planning.map((policy) => policy.actions)).toEqual([SILENT, SILENT])
    expect(planning[0]?.transitions.transient).toBe("sticky_retry")
  })
})

test("tiers", () => {
  expect(["gemini-9-pro", "gemini-9-flash", "gemini-9-flash-lite-x", "other"].map(tierOf)).toEqual([
    "pro",
    "flash",
    "lite",
    undefined
  ])
})
