import { describe, expect } from "bun:test"
import { Duration, Effect, Either, Fiber, Layer, TestClock } from "effect"
import { it } from "../../../test/kit/it.ts"
import * as Flow from "../../kernel/flow.ts"
import { PromptId } from "../../protocol/ids.ts"
import * as Availability from "../../retry/availability/model-availability.ts"
import { chainFor } from "../../retry/availability/policy-chain.ts"
import { ModelError, type ModelErrorKind } from "../../retry/model-error.ts"
import { ModelClient, type ModelEvent, type ModelRequest } from "../model-client.ts"
import { chainModels, sessionAccess } from "../model-names.ts"
import type { FallbackOptions } from "./give-up.ts"
import { withFallback } from "./quota-answer.ts"

const failure = (kind: ModelErrorKind, extra: Partial<ConstructorParameters<typeof ModelError>[0]> = {}) =>
  new ModelError({ kind, detail: `${kind} failure`, phase: "open", errorType: "TEST", ...extra })

/** Answers by model: each call takes the next of its list; a list that is used up answers. */
type Script = Readonly<Record<string, ReadonlyArray<ModelError>>>

const scripted = (script: Script, requests: Array<ModelRequest>) => {
  const remaining = new Map(Object.entries(script).map(([model, errors]) => [model, [...errors]]))
  const outcome = (request: ModelRequest) => {
    requests.push(request)
    const error = remaining.get(request.model)?.shift()
    return error === undefined ? Effect.succeed({ modelVersion: request.model }) : Effect.fail(error)
  }
  return Layer.succeed(ModelClient, {
    stream: (request) =>
      Flow.fromEffect(Effect.suspend(() => outcome(request))).pipe(
        Flow.map((chunk) => ({ _tag: "Chunk", chunk }) as const)
      ),
    generate: (request) => Effect.suspend(() => outcome(request)),
    countTokens: () => Effect.die("not used"),
    embed: () => Effect.die("not used")
  })
}

const options = (changed: Partial<FallbackOptions> = {}): FallbackOptions => ({
  onQuota: { action: "fallback" },
  chainOf: (model) =>
    Effect.succeed(
      chainFor({ model, isAuto: true, isPlanMode: false, models: chainModels(sessionAccess("gemini-api-key")) })
    ),
  deadline: undefined,
  ...changed
})

const PRO = "gemini-3.1-pro-preview"
const FLASH = "gemini-3-flash-preview"

const request = (model = PRO): ModelRequest => ({
  model,
  contents: [],
  config: { temperature: 0, tools: [{ googleSearch: {} }], thinkingConfig: { thinkingLevel: "HIGH" } },
  role: "main",
  promptId: PromptId.make("p")
})

/** Sends the same request several times, one after the other, with the clock moved on while it waits. */
const send = (script: Script, changed: Partial<FallbackOptions> = {}, { model = PRO, times = 1 } = {}) =>
  Effect.gen(function* () {
    const requests: Array<ModelRequest> = []
    const fiber = yield* Effect.gen(function* () {
      const client = yield* ModelClient
      const events: Array<ModelEvent> = []
      for (let count = 0; count < times; count++) {
        yield* client.stream(request(model)).pipe(Flow.runForEach((event) => Effect.sync(() => events.push(event))))
      }
      return events
    }).pipe(
      Effect.provide(
        withFallback(scripted(script, requests), options(changed)).pipe(Layer.provide(Availability.layer))
      ),
      Effect.either,
      Effect.fork
    )
    yield* TestClock.adjust("2 days")
    return { result: yield* Fiber.join(fiber), requests, models: requests.map(({ model }) => model) }
  })

describe("fallback", () => {
  for (const kind of ["quota", "rate-limited", "capacity", "unavailable"] as const) {
    it.effect(`${kind}: the next model of the chain answers, and it is told`, () =>
      Effect.gen(function* () {
        const error = failure(kind)
        const { models, result } = yield* send({ [PRO]: [error] })
        expect(models).toEqual([PRO, FLASH])
        expect(result).toMatchObject({
          right: [
            { _tag: "ModelReplaced", from: PRO, to: FLASH, error: { kind } },
            { _tag: "Chunk", chunk: { modelVersion: FLASH } }
          ]
        })
      })
    )
  }
  for (const kind of ["auth", "bad-request", "not-found", "network", "bad-response"] as const) {
    it.effect(`${kind}: another model would not help`, () =>
      Effect.gen(function* () {
        const { models, result } = yield* send({ [PRO]: [failure(kind)] })
        expect(models).toEqual([PRO])
        expect(result).toMatchObject({ left: { kind } })
      })
    )
  }

  it.effect("parameters of the purpose stay, thinking in the words of the other model", () =>
    Effect.gen(function* () {
      const { requests } = yield* send(
        { [PRO]: [failure("quota")] },
        { onQuota: { action: "fallback", model: "gemini-2.5-flash" } }
      )
      expect(requests[1]).toMatchObject({
        model: "gemini-2.5-flash",
        config: { temperature: 0, tools: [{ googleSearch: {} }], thinkingConfig: { thinkingBudget: 8192 } }
      })
    })
  )

  it.effect("a named model stands in for any other, also for one that has no chain", () =>
    Effect.gen(function* () {
      const named = { onQuota: { action: "fallback", model: "spare" } } as const
      expect((yield* send({ mine: [failure("quota")] }, named, { model: "mine" })).models).toEqual(["mine", "spare"])
      expect((yield* send({ spare: [failure("quota")] }, named, { model: "spare" })).result._tag).toBe("Left")
    })
  )

  it.effect("a fallback that fails too ends the request, with both named", () =>
    Effect.gen(function* () {
      const { models, result } = yield* send({ [PRO]: [failure("quota")], [FLASH]: [failure("quota")] })
      expect(models).toEqual([PRO, FLASH])
      expect(result).toMatchObject({ left: { detail: `quota failure (after ${PRO} had failed too)` } })
    })
  )

  it.effect("a model without a chain has no fallback", () =>
    Effect.gen(function* () {
      const { models, result } = yield* send({ mine: [failure("quota")] }, {}, { model: "mine" })
      expect(models).toEqual(["mine"])
      expect(result._tag).toBe("Left")
    })
  )

  it.effect("a model whose quota is used up is not asked again, and the run says so once", () =>
    Effect.gen(function* () {
      const { models, result } = yield* send({ [PRO]: [failure("quota")] }, {}, { times: 3 })
      expect(models).toEqual([PRO, FLASH, FLASH, FLASH])
      expect(result).toMatchObject({
        right: [{ error: { kind: "quota" } }, {}, { _tag: "ModelReplaced", to: FLASH }, {}, { error: undefined }, {}]
      })
    })
  )

  it.effect("the first model of an automatic chain gets three attempts, its fallback ten", () =>
    Effect.gen(function* () {
      const { requests } = yield* send({ [PRO]: [failure("rate-limited")] })
      expect(requests.map(({ maxAttempts }) => maxAttempts)).toEqual([3, 10])
    })
  )

  it.effect("an answer that broke off is not answered by another model", () =>
    Effect.gen(function* () {
      const broken = Layer.succeed(ModelClient, {
        stream: () =>
          Flow.concat(
            Flow.succeed({ _tag: "Chunk", chunk: {} } as const),
            Flow.fail(failure("quota", { phase: "body" }))
          ),
        generate: () => Effect.die("not used"),
        countTokens: () => Effect.die("not used"),
        embed: () => Effect.die("not used")
      })
      const result = yield* Effect.flatMap(ModelClient, (client) => Flow.runCollect(client.stream(request()))).pipe(
        Effect.provide(withFallback(broken, options()).pipe(Layer.provide(Availability.layer))),
        Effect.either
      )
      expect(result).toMatchObject({ left: { kind: "quota" } })
    })
  )
})

describe("wait", () => {
  const wait = { onQuota: { action: "wait" } } as const

  it.effect("as long as the server asks, or until the quota comes back", () =>
    Effect.gen(function* () {
      const errors = [
        failure("quota", { retryAfter: Duration.hours(1) }),
        failure("quota", { resetsAt: "1970-01-01T03:00:00.000Z" }),
        failure("rate-limited"),
        failure("capacity")
      ]
      const { models, result } = yield* send({ [PRO]: errors }, wait)
      expect(models).toEqual([PRO, PRO, PRO, PRO, PRO])
      expect(result).toMatchObject({
        right: [
          { _tag: "RetryScheduled", delayMs: 3_600_000, attempt: 1 },
          { _tag: "RetryScheduled", delayMs: 7_200_000, attempt: 2 },
          { _tag: "RetryScheduled", delayMs: 60_000, attempt: 3 },
          { _tag: "RetryScheduled", delayMs: 60_000, attempt: 4 },
          { _tag: "Chunk" }
        ]
      })
    })
  )

  for (const [what, error] of [
    ["a quota without an end in sight", failure("quota")],
    ["a refused key", failure("auth")],
    ["a server that is down", failure("unavailable")]
  ] as const) {
    it.effect(`${what} is not waited for`, () =>
      Effect.gen(function* () {
        expect((yield* send({ [PRO]: [error] }, wait)).result).toMatchObject({ left: { kind: error.kind } })
      })
    )
  }

  it.effect("a wait that does not fit into the run's time is not begun, and the error says so", () =>
    Effect.gen(function* () {
      const error = failure("quota", { retryAfter: Duration.minutes(10) })
      const { models, result } = yield* send({ [PRO]: [error] }, { ...wait, deadline: 90_000 })
      expect(models).toEqual([PRO])
      expect(result).toMatchObject({
        left: { detail: "quota failure; waiting for it takes 10m, but only 1m 30s of the run's time is left" }
      })
    })
  )
})

it.effect("where a person decides, the failure is told before they are asked", () =>
  Effect.gen(function* () {
    const asking = { ask: () => Effect.succeed("switch" as const), select: () => Effect.void, isQuiet: true }
    const { result } = yield* send({ [PRO]: [failure("quota")] }, { onQuota: { action: "ask", asking } })
    const tags = Either.map(result, (events) => events.map(({ _tag }) => _tag))
    expect(tags).toEqual(Either.right(["GivenUp", "ModelReplaced", "Chunk"]))
  })
)
