import { describe, expect, test } from "bun:test"
import { Either } from "effect"
import type { SettingsView } from "../config/settings.ts"
import type { AuthType } from "../protocol/modes.ts"
import { sessionAccess } from "./model-names.ts"
import { idIn, namedIn, namesFrom, readTables } from "./model-tables.ts"
import { builtInNames } from "./session-names.ts"

const namesOf = (given: object, authType: AuthType = "gemini-api-key") =>
  namesFrom(Either.getOrThrow(readTables(given)), sessionAccess(authType), builtInNames(sessionAccess(authType)))

describe("names", () => {
  const tables = {
    modelIdResolutions: {
      pro: {
        default: "old-pro",
        contexts: [
          { condition: { hasAccessToPreview: true, useCustomTools: true }, target: "new-pro-tools" },
          { condition: { hasAccessToPreview: true }, target: "new-pro" }
        ]
      }
    }
  }
  test.each<[AuthType, string, string]>([
    ["gemini-api-key", "pro", "new-pro-tools"],
    ["vertex-ai", "pro", "new-pro"],
    ["gateway", "pro", "old-pro"],
    ["gateway", "models/pro", "old-pro"],
    ["gemini-api-key", "flash", "gemini-3.5-flash"],
    ["gemini-api-key", "mine", "mine"],
    ["gemini-api-key", "toString", "toString"]
  ])("with %s, %s is %s", (authType, name, id) => expect(namesOf(tables, authType).resolve(name)).toBe(id))
})

describe("tiers", () => {
  const { ofTier } = namesOf({
    modelIdResolutions: { fast: { default: "my-flash" } },
    classifierIdResolutions: {
      flash: {
        default: "fast",
        contexts: [{ condition: { requestedModels: ["auto-gemini-2.5"] }, target: "gemini-2.5-flash" }]
      }
    }
  })
  test("come from the table, and through the table of names", () => expect(ofTier("flash", "auto")).toBe("my-flash"))
  test("depend on what was asked for", () => expect(ofTier("flash", "auto-gemini-2.5")).toBe("gemini-2.5-flash"))
  test("that the table leaves out are the built-in ones", () => {
    expect(ofTier("pro", "auto")).toBe("gemini-3.1-pro-preview-customtools")
  })
})

describe("chains", () => {
  const { chainOf } = namesOf({
    modelIdResolutions: { last: { default: "spare" } },
    modelChains: {
      mine: [
        {
          model: "first",
          maxAttempts: 2,
          actions: { transient: "silent" },
          stateTransitions: { transient: "sticky_retry" }
        },
        { model: "last", isLastResort: true }
      ]
    }
  })
  const request = (model: string, isAuto = false, isPlanMode = false) => ({ model, isAuto, isPlanMode })

  test("are those of the table, beginning with the model", () => {
    expect(chainOf(request("first"))).toEqual([
      {
        model: "first",
        isLastResort: false,
        maxAttempts: 2,
        actions: { terminal: "prompt", transient: "silent", not_found: "prompt", unknown: "prompt" },
        transitions: { terminal: "terminal", transient: "sticky_retry", not_found: "terminal", unknown: "terminal" }
      },
      expect.objectContaining({ model: "spare", isLastResort: true })
    ])
  })
  test("go round only where the choice was left to the program", () => {
    expect(chainOf(request("spare")).map(({ model }) => model)).toEqual(["spare"])
    expect(chainOf(request("spare", true)).map(({ model }) => model)).toEqual(["spare", "first"])
  })
  test("ask nothing while planning", () => {
    expect(chainOf(request("first", false, true)).every(({ actions }) => actions.terminal === "silent")).toBe(true)
  })
  test("of models in no row are the built-in ones", () => {
    expect(chainOf(request("gemini-2.5-pro")).map(({ model }) => model)).toEqual(["gemini-2.5-pro", "gemini-3.5-flash"])
  })
})

test("what a model takes is what its definition says", () => {
  const { takesMediaInResponses } = namesOf({
    modelDefinitions: { mine: { features: { multimodalToolUse: true } }, "gemini-3-pro-preview": { tier: "pro" } }
  })
  expect(["mine", "gemini-3-pro-preview", "other"].map(takesMediaInResponses)).toEqual([true, true, false])
})

test("faults are named with their place", () => {
  const faults = Either.flip(
    readTables({ modelIdResolutions: { pro: {} }, modelChains: { mine: [], other: [{ model: "a", maxAttempts: 99 }] } })
  )
  expect(Either.getOrThrow(faults).join("\n")).toMatch(
    /modelConfigs\.modelIdResolutions\.pro\.default: .*\nmodelConfigs\.modelChains\.mine.*\nmodelConfigs\.modelChains\.other\.0\.maxAttempts: /
  )
})

describe("what only looks at the settings", () => {
  const viewOf = (values: Readonly<Record<string, unknown>>): Pick<SettingsView, "get"> => ({
    get: (key) => (values[key] ?? (key.startsWith("experimental.") ? false : {})) as never
  })
  const on = viewOf({
    "experimental.dynamicModelConfiguration": true,
    "modelConfigs.modelDefinitions": {
      "house-pro": { displayName: "House Pro", tier: "pro", features: { thinking: true } },
      "house-hidden": { isVisible: false }
    },
    "modelConfigs.modelIdResolutions": { best: { default: "house-pro" } },
    "modelConfigs.customAliases": { precise: { extends: "chat-base", modelConfig: { model: "house-pro" } } },
    "modelConfigs.overrides": [],
    "modelConfigs.customOverrides": []
  })
  test("lists models, names and presets, but nothing that is not to be seen", () => {
    expect(namedIn(on)).toEqual([
      { value: "house-pro", hint: "House Pro" },
      { value: "best", hint: "house-pro" },
      { value: "precise", hint: "own preset" }
    ])
  })
  test("names the id that a run would send", () => {
    const idOf = (name: string) => idIn(on, name, "gemini-api-key")
    expect(["best", "precise", "flash", "mine"].map(idOf)).toEqual([
      "house-pro",
      "house-pro",
      "gemini-3.5-flash",
      "mine"
    ])
  })
  test("tables that are off, or cannot be read, say nothing", () => {
    const off = viewOf({ "modelConfigs.modelIdResolutions": { best: { default: "house-pro" } } })
    const broken = viewOf({
      "experimental.dynamicModelConfiguration": true,
      "modelConfigs.modelIdResolutions": { best: {} }
    })
    for (const settings of [off, broken]) {
      const get: SettingsView["get"] = (key) => (key.endsWith("verrides") ? [] : settings.get(key)) as never
      expect(namedIn({ get })).toEqual([])
      expect(idIn({ get }, "best", "gemini-api-key")).toBe("best")
    }
  })
})
