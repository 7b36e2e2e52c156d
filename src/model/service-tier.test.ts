import { describe, expect, test } from "bun:test"
import { Duration, Effect, Fiber, Ref, TestClock } from "effect"
import { it } from "../../test/kit/it.ts"
import * as Flow from "../kernel/flow.ts"
import { userText } from "../protocol/content.ts"
import { PromptId } from "../protocol/ids.ts"
import type { AuthType } from "../protocol/modes.ts"
import { NO_USAGE, type TierWish, tierNamed } from "../protocol/usage.ts"
import { ModelError } from "../retry/model-error.ts"
import type { ModelChunk, ModelEvent, ModelRequest } from "./model-client.ts"
import { costOf } from "./pricing.ts"
import { withTier } from "./service-tier.ts"

const request: ModelRequest = {
  model: "m",
  contents: [userText("q")],
  config: { temperature: 1 },
  role: "main",
  promptId: PromptId.make("s########1")
}
const refused = new ModelError({ kind: "unavailable", detail: "busy", status: 503, phase: "open", errorType: "E" })
const wrong = new ModelError({ ...refused, kind: "bad-request", status: 400 })
const chunk: ModelChunk = { usageMetadata: { ...NO_USAGE, totalTokenCount: 1 } }

/** A service whose flex tier answers with these, one after the other, the last one for ever; the others always answer. */
const setup = (tier: TierWish, flex: ReadonlyArray<"refuse" | "wrong" | "silent" | "answer">, authType: AuthType) =>
  Effect.gen(function* () {
    const sent = yield* Ref.make<ReadonlyArray<ModelRequest>>([])
    const said = yield* Ref.make<ReadonlyArray<string>>([])
    let asked = 0
    const outcome = (given: ModelRequest) =>
      Effect.zipRight(
        Ref.update(sent, (before) => [...before, given]),
        Effect.suspend((): Effect.Effect<ModelChunk, ModelError> => {
          if (given.config.serviceTier !== "flex") return Effect.succeed(chunk)
          const now = flex[Math.min(asked++, flex.length - 1)]
          if (now === "silent") return Effect.never
          return now === "answer" ? Effect.succeed(chunk) : Effect.fail(now === "wrong" ? wrong : refused)
        })
      )
    const client = withTier(
      {
        stream: (given) =>
          Flow.map(Flow.fromEffect(outcome(given)), (one): ModelEvent => ({ _tag: "Chunk", chunk: one })),
        generate: outcome,
        countTokens: () => Effect.succeed(1),
        embed: () => Effect.succeed([])
      },
      { tier, authType, say: (text) => Ref.update(said, (before) => [...before, text]) }
    )
    const tiers = Effect.map(Ref.get(sent), (all) => all.map(({ config }) => config.serviceTier ?? "standard"))
    return { client, tiers, sent: Ref.get(sent), said: Ref.get(said) }
  })

const asking = (client: Effect.Effect.Success<ReturnType<typeof setup>>["client"], way: "stream" | "generate") =>
  way === "generate"
    ? client.generate(request)
    : Effect.map(Flow.runCollect(client.stream(request)), (events) => {
        const [first] = events
        return first?._tag === "Chunk" ? first.chunk : {}
      })

describe.each(["stream", "generate"] as const)("%s", (way) => {
  it.effect("names the tier in the body, and in the usage of an answer that names none", () =>
    Effect.gen(function* () {
      for (const tier of ["standard", "flex", "priority"] as const) {
        const { client, tiers } = yield* setup(tier, ["answer"], "gemini-api-key")
        expect(yield* asking(client, way)).toEqual({
          usageMetadata: { ...NO_USAGE, totalTokenCount: 1, serviceTier: tier }
        })
        expect(yield* tiers).toEqual([tier])
      }
    })
  )

  it.effect("names it in headers for Vertex AI, and there beats the settings", () =>
    Effect.gen(function* () {
      for (const [tier, routing] of [
        ["standard", {}],
        ["flex", { requestType: "shared", sharedRequestType: "flex" }],
        ["priority", { requestType: "shared", sharedRequestType: "priority" }]
      ] as const) {
        const { client, sent } = yield* setup(tier, ["answer"], "vertex-ai")
        yield* asking(client, way)
        expect((yield* sent)[0]).toEqual({ ...request, routing })
      }
    })
  )

  it.effect("auto goes on at the standard tier after three refusals in a row, says so once, and stays there", () =>
    Effect.gen(function* () {
      const { client, said, tiers } = yield* setup("auto", ["refuse", "refuse", "answer", "refuse"], "gemini-api-key")
      const attempt = Effect.either(asking(client, way))
      const outcomes = yield* Effect.all(Array.from({ length: 7 }, () => attempt))
      expect(outcomes.map(({ _tag }) => _tag)).toEqual(["Left", "Left", "Right", "Left", "Left", "Right", "Right"])
      expect(yield* tiers).toEqual([...Array.from({ length: 6 }, () => "flex"), "standard", "standard"])
      expect(yield* said).toEqual([expect.stringContaining("flex refused (busy (HTTP 503))")])
    })
  )

  it.effect("auto goes on at the standard tier when flex does not begin within ten minutes", () =>
    Effect.gen(function* () {
      const { client, said, tiers } = yield* setup("auto", ["silent"], "gemini-api-key")
      const fiber = yield* Effect.fork(asking(client, way))
      yield* TestClock.adjust(Duration.minutes(9))
      expect(yield* tiers).toEqual(["flex"])
      yield* TestClock.adjust(Duration.minutes(2))
      yield* Fiber.join(fiber)
      expect(yield* tiers).toEqual(["flex", "standard"])
      expect((yield* said).at(-1)).toContain("did not begin to answer within 10m")
    })
  )

  it.effect("what no tier can help is no refusal", () =>
    Effect.gen(function* () {
      const { client, tiers } = yield* setup("auto", ["wrong"], "gemini-api-key")
      for (let n = 0; n < 5; n++) expect((yield* Effect.either(asking(client, way)))._tag).toBe("Left")
      expect(new Set(yield* tiers)).toEqual(new Set(["flex"]))
    })
  )
})

it.effect("a wait for flex is told with its length, until the answer begins", () =>
  Effect.gen(function* () {
    const { client, said } = yield* setup("flex", ["silent"], "gemini-api-key")
    const fiber = yield* Effect.fork(asking(client, "stream"))
    yield* TestClock.adjust(Duration.minutes(6))
    expect((yield* said).map((text) => / (\d+) min/.exec(text)?.[1])).toEqual(["1", "2", "5"])
    yield* Fiber.interrupt(fiber)
    yield* TestClock.adjust(Duration.minutes(60))
    expect((yield* said).length).toBe(3)
  })
)

test("the price follows the tier that answered, in the words of either service", () => {
  const cost = (said: { readonly serviceTier?: string; readonly trafficType?: string }) =>
    costOf({ input: 1, output: 1 }, { ...NO_USAGE, promptTokenCount: 1_000_000, ...said })
  expect(cost({})).toBe(1)
  for (const [said, factor] of [
    [{ serviceTier: "flex" }, 0.5],
    [{ serviceTier: "SERVICE_TIER_FLEX" }, 0.5],
    [{ serviceTier: "standard" }, 1],
    [{ serviceTier: "unspecified" }, 1],
    [{ serviceTier: "something new" }, 1],
    [{ serviceTier: "priority" }, 1.8],
    [{ trafficType: "ON_DEMAND" }, 1],
    [{ trafficType: "ON_DEMAND_FLEX" }, 0.5],
    [{ trafficType: "ON_DEMAND_PRIORITY" }, 1.8],
    [{ trafficType: "PROVISIONED_THROUGHPUT" }, 1]
  ] as const) {
    expect([said, cost(said)]).toEqual([said, factor])
  }
  expect(tierNamed({ serviceTier: "unspecified" })).toBeUndefined()
})
