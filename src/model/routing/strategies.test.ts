import { describe, expect, test } from "bun:test"
import type { AuthType } from "../../protocol/modes.ts"
import { modelOfTier, resolveModel } from "../model-names.ts"
import { builtInNames } from "../session-names.ts"
import type { RoutingContext } from "./routing.ts"
import { approvalMode, byDefault, fallback, override } from "./strategies.ts"

const context = (changed: Partial<RoutingContext> = {}): RoutingContext => ({
  configured: "auto",
  names: builtInNames("gemini-api-key"),
  routesPlans: true,
  threshold: 90,
  history: [],
  request: [{ text: "hi" }],
  approvalMode: "default",
  hasApprovedPlan: false,
  isAvailable: () => true,
  ...changed
})
const without =
  (...models: ReadonlyArray<string>) =>
  (model: string) =>
    !models.includes(model)

describe("fallback", () => {
  test("has nothing to say about a model that can be asked", () => expect(fallback(context())).toBeUndefined())
  test("takes the first available member of the chain", () => {
    expect(fallback(context({ isAvailable: without("gemini-3.1-pro-preview") }))?.model).toBe("gemini-3-flash-preview")
    expect(fallback(context({ configured: "flash", isAvailable: without("gemini-3.5-flash") }))?.model).toBe(
      "gemini-3.1-pro-preview-customtools"
    )
  })
  test("has nothing to say where nobody can stand in", () => {
    expect(fallback(context({ isAvailable: () => false }))).toBeUndefined()
    expect(fallback(context({ configured: "mine", isAvailable: without("mine") }))).toBeUndefined()
  })
})

describe("override", () => {
  test.each(["auto", "auto-gemini-3", "auto-gemini-2.5"])("%s is left to others", (configured) =>
    expect(override(context({ configured }))).toBeUndefined()
  )
  test.each([
    ["pro", "gemini-3.1-pro-preview"],
    ["flash", "gemini-3.5-flash"],
    ["flash-lite", "gemini-3.1-flash-lite"],
    ["gemini-3-flash-preview", "gemini-3-flash-preview"],
    ["gemini-2.5-flash", "gemini-2.5-flash"],
    ["my-custom-model", "my-custom-model"],
    ["models/gemini-2.5-pro", "gemini-2.5-pro"]
  ])("%s is sent as %s", (configured, model) => expect(override(context({ configured }))?.model).toBe(model))
})

describe("approval-mode", () => {
  const PRO = "gemini-3.1-pro-preview-customtools"
  test.each<[Partial<RoutingContext>, string | undefined]>([
    [{ approvalMode: "plan" }, PRO],
    [{ approvalMode: "plan", hasApprovedPlan: true }, PRO],
    [{ hasApprovedPlan: true }, "gemini-3.5-flash"],
    [{}, undefined],
    [{ approvalMode: "plan", routesPlans: false }, undefined],
    [{ approvalMode: "plan", configured: "flash" }, undefined],
    [{ approvalMode: "plan", configured: "auto-gemini-2.5" }, "gemini-2.5-pro"]
  ])("%j: %s", (changed, model) => expect(approvalMode(context(changed))?.model).toBe(model))
})

test("the default is what the configured name stands for", () => {
  expect(byDefault(context()).model).toBe("gemini-3.1-pro-preview")
  expect(byDefault(context({ names: builtInNames("gateway") })).model).toBe("gemini-2.5-pro")
})

describe("tiers by sign-in", () => {
  test.each<[AuthType, string, string, string]>([
    ["gemini-api-key", "auto", "gemini-3.1-pro-preview-customtools", "gemini-3.5-flash"],
    ["vertex-ai", "auto", "gemini-3.1-pro-preview", "gemini-3.5-flash"],
    ["gateway", "auto", "gemini-2.5-pro", "gemini-3.5-flash"],
    ["oauth-personal", "auto", "gemini-2.5-pro", "gemini-2.5-flash"],
    ["gemini-api-key", "auto-gemini-2.5", "gemini-2.5-pro", "gemini-3.5-flash"]
  ])("%s, %s", (authType, configured, pro, flash) => {
    expect(modelOfTier("pro", configured, authType)).toBe(pro)
    expect(modelOfTier("flash", configured, authType)).toBe(flash)
    expect(resolveModel("flash", authType)).toBe(flash)
  })
})
