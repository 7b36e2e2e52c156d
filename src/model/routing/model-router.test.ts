import { describe, expect, test } from "bun:test"
import { Effect, Fiber, Layer, TestClock } from "effect"
import { it } from "../../../test/kit/it.ts"
import * as Flow from "../../kernel/flow.ts"
import { PromptId } from "../../protocol/ids.ts"
import type { AuthType } from "../../protocol/modes.ts"
import * as Availability from "../../retry/availability/model-availability.ts"
import { chainFor } from "../../retry/availability/policy-chain.ts"
import { ModelError } from "../../retry/model-error.ts"
import { ModelClient, type ModelRequest } from "../model-client.ts"
import { chainModels, modelOfTier, resolveModel, sessionAccess } from "../model-names.ts"
import * as SelectedModel from "../selected-model.ts"
import { builtInNames } from "../session-names.ts"
import * as UtilityModels from "../utility-models.ts"
import * as Router from "./model-router.ts"
import { approvalMode, byDefault, fallback, override, type RoutingContext } from "./model-router.ts"

type Answer = string | ModelError | "hang"

const scripted = (answers: ReadonlyArray<Answer>, requests: Array<ModelRequest>) => {
  const remaining = [...answers]
  return Layer.succeed(ModelClient, {
    stream: () => Flow.fromEffect(Effect.die("not used")),
    generate: (request) => {
      requests.push(request)
      const answer = remaining.shift() ?? "{}"
      if (answer === "hang") return Effect.never
      return answer instanceof ModelError
        ? answer
        : Effect.succeed({ candidates: [{ content: { parts: [{ text: answer }] } }] })
    },
    countTokens: () => Effect.die("not used"),
    embed: () => Effect.die("not used")
  })
}

const options: Router.RouterOptions & { readonly configured: string } = {
  configured: "auto",
  names: builtInNames(sessionAccess("gemini-api-key")),
  routesPlans: true,
  threshold: { value: 90, source: "Default" },
  classifies: true,
  approvalMode: Effect.succeed("default"),
  hasApprovedPlan: Effect.succeed(false)
}

const route = (
  answers: ReadonlyArray<Answer>,
  changed: Partial<typeof options> = {},
  before: Effect.Effect<void, never, Availability.ModelAvailability | SelectedModel.SelectedModel> = Effect.void
) =>
  Effect.gen(function* () {
    const requests: Array<ModelRequest> = []
    const fiber = yield* Effect.gen(function* () {
      yield* before
      const router = yield* Router.ModelRouter
      return yield* router.route({ history: [], request: [{ text: "rename a file" }] })
    }).pipe(
      Effect.provide(
        Layer.effect(Router.ModelRouter, Router.make({ ...options, ...changed })).pipe(
          Layer.provideMerge(SelectedModel.layer(changed.configured ?? options.configured)),
          Layer.provideMerge(
            Layer.mergeAll(
              Availability.layer,
              scripted(answers, requests),
              UtilityModels.layer((alias) => ({ model: alias, config: { maxOutputTokens: 1024 } }), PromptId.make("p"))
            )
          )
        )
      ),
      Effect.fork
    )
    yield* TestClock.adjust("1 minute")
    return { decision: yield* Fiber.join(fiber), requests }
  })

const score = (value: number) => JSON.stringify({ complexity_reasoning: "because", complexity_score: value })

it.effect("a score below the threshold goes to flash, one at it to pro", () =>
  Effect.gen(function* () {
    const simple = yield* route([score(89)])
    expect(simple.decision).toMatchObject({
      model: "gemini-3.5-flash",
      source: "agent-router/numerical_classifier",
      reasoning: "complexity 89, threshold 90 (Default): because"
    })
    const hard = yield* route([score(90)])
    expect(hard.decision.model).toBe("gemini-3.1-pro-preview-customtools")
  })
)

it.effect("the classifier is asked once, with the parameters of its purpose and a form for the answer", () =>
  Effect.gen(function* () {
    const { requests } = yield* route([score(1)])
    expect(requests).toHaveLength(1)
    expect(requests[0]).toMatchObject({
      model: "classifier",
      role: "utility_router",
      config: { maxOutputTokens: 1024, responseMimeType: "application/json" },
      contents: [{ role: "user", parts: [{ text: "rename a file" }] }]
    })
  })
)

it.effect("before Gemini 3, and without a threshold, the choice is a word", () =>
  Effect.gen(function* () {
    const word = JSON.stringify({ reasoning: "simple", model_choice: "flash" })
    const older = yield* route([word], { configured: "auto-gemini-2.5" })
    expect(older.decision).toMatchObject({ model: "gemini-3.5-flash", source: "agent-router/classifier" })
    const noNumbers = yield* route([word], { threshold: undefined })
    expect(noNumbers.decision.source).toBe("agent-router/classifier")
  })
)

const refusal = new ModelError({ kind: "quota", detail: "used up", phase: "open", errorType: "QUOTA_EXCEEDED" })

for (const [what, answer, words] of [
  ["prose", "It is simple.", "another form"],
  ["nothing", "", "empty"],
  ["a score out of range", score(1000), "another form"],
  ["an error", refusal, "used up"],
  ["silence", "hang", "10s"]
] as const) {
  it.effect(`${what} in place of a score: the default decides, and the failure is told`, () =>
    Effect.gen(function* () {
      const { decision, requests } = yield* route([answer])
      expect(decision).toMatchObject({ model: "gemini-3.1-pro-preview", source: "agent-router/default" })
      expect(decision.error).toContain(words)
      expect(requests).toHaveLength(1)
    })
  )
}

it.effect("nobody is asked where the model is named, where asking is off, or where the mode decides", () =>
  Effect.gen(function* () {
    const named = yield* route([], { configured: "gemini-2.5-flash" })
    expect(named.decision).toMatchObject({ model: "gemini-2.5-flash", source: "agent-router/override" })
    const bare = yield* route([], { classifies: false })
    expect(bare.decision).toMatchObject({ model: "gemini-3.1-pro-preview", source: "agent-router/default" })
    const planning = yield* route([], { approvalMode: Effect.succeed("plan") })
    expect(planning.decision.source).toBe("agent-router/approval-mode")
    expect([...named.requests, ...bare.requests, ...planning.requests]).toEqual([])
  })
)

const giveUp = (model: string) =>
  Effect.gen(function* () {
    const availability = yield* Availability.ModelAvailability
    const [policy] = chainFor({
      model,
      isAuto: true,
      isPlanMode: false,
      models: chainModels(sessionAccess("gemini-api-key"))
    })
    if (policy !== undefined) yield* availability.failed(policy, "terminal")
  })

it.effect("a pick that is not available is no pick", () =>
  Effect.gen(function* () {
    const { decision } = yield* route([score(1)], {}, giveUp("gemini-3.5-flash"))
    expect(decision).toMatchObject({ model: "gemini-3.1-pro-preview", source: "agent-router/default" })
  })
)

it.effect("a configured model that was given up is replaced before anything else is considered", () =>
  Effect.gen(function* () {
    const { decision, requests } = yield* route([score(1)], {}, giveUp("gemini-3.1-pro-preview"))
    expect(decision).toMatchObject({ model: "gemini-3-flash-preview", source: "agent-router/fallback" })
    expect(requests).toEqual([])
  })
)

it.effect(
  "a model that is selected during the session counts from the next prompt on, and everything is healthy again",
  () =>
    Effect.gen(function* () {
      const { decision } = yield* route(
        [],
        {},
        Effect.gen(function* () {
          const availability = yield* Availability.ModelAvailability
          const selected = yield* SelectedModel.SelectedModel
          const [policy] = chainFor({
            model: "gemini-2.5-pro",
            isAuto: false,
            isPlanMode: false,
            models: chainModels(sessionAccess("gemini-api-key"))
          })
          if (policy !== undefined) yield* availability.failed(policy, "terminal")
          yield* selected.set("gemini-2.5-pro")
        })
      )
      expect(decision).toMatchObject({ model: "gemini-2.5-pro", source: "agent-router/override" })
    })
)

const context = (changed: Partial<RoutingContext> = {}): RoutingContext => ({
  configured: "auto",
  names: builtInNames(sessionAccess("gemini-api-key")),
  routesPlans: true,
  threshold: { value: 90, source: "Default" },
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
  expect(byDefault(context({ names: builtInNames(sessionAccess("gateway")) })).model).toBe("gemini-2.5-pro")
})

describe("tiers by sign-in", () => {
  test.each<[AuthType, string, string, string]>([
    ["gemini-api-key", "auto", "gemini-3.1-pro-preview-customtools", "gemini-3.5-flash"],
    ["vertex-ai", "auto", "gemini-3.1-pro-preview", "gemini-3.5-flash"],
    ["gateway", "auto", "gemini-2.5-pro", "gemini-3.5-flash"],
    ["oauth-personal", "auto", "gemini-2.5-pro", "gemini-2.5-flash"],
    ["gemini-api-key", "auto-gemini-2.5", "gemini-2.5-pro", "gemini-3.5-flash"]
  ])("%s, %s", (authType, configured, pro, flash) => {
    expect(modelOfTier("pro", configured, sessionAccess(authType))).toBe(pro)
    expect(modelOfTier("flash", configured, sessionAccess(authType))).toBe(flash)
    expect(resolveModel("flash", sessionAccess(authType))).toBe(flash)
  })
})
