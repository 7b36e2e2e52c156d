import { describe, expect } from "bun:test"
import { Duration, Effect, Fiber, Logger, LogLevel, Random, Ref, TestClock } from "effect"
import { it } from "../../test/kit/it.ts"
import * as Flow from "../kernel/flow.ts"
import { userText } from "../protocol/content.ts"
import { PromptId } from "../protocol/ids.ts"
import { ModelError } from "../retry/model-error.ts"
import type { ModelClient, ModelEvent, ModelRequest } from "./model-client.ts"
// Loaded before the clock is looked at: the clock of the tests does not wait for files.
import "./retried-request.ts"
import { withRetry } from "./with-retry.ts"

const request: ModelRequest = {
  model: "m",
  contents: [userText("q")],
  config: {},
  role: "main",
  promptId: PromptId.make("s########1")
}
const down = new ModelError({
  kind: "unavailable",
  detail: "down",
  status: 503,
  phase: "open",
  errorType: "SERVER_ERROR"
})
const asks = new ModelError({ ...down, kind: "rate-limited", retryAfter: Duration.seconds(12) })
const broken = new ModelError({ ...down, kind: "network", phase: "body" })
const refused = new ModelError({ ...down, kind: "bad-request", status: 400 })
const hello: ModelEvent = { _tag: "Chunk", chunk: { candidates: [{ finishReason: "STOP" }] } }

const steady = Effect.withRandom(Random.fixed([0.5]))
const quiet = Logger.withMinimumLogLevel(LogLevel.None)

/** A model whose attempts have these outcomes, one after the other; the last one stays. */
const setup = (...outcomes: ReadonlyArray<Flow.Flow<ModelEvent, ModelError>>) =>
  Effect.gen(function* () {
    const attempts = yield* Ref.make(0)
    const stream = Flow.unwrap(
      Effect.map(
        Ref.getAndUpdate(attempts, (n) => n + 1),
        (n) => outcomes[Math.min(n, outcomes.length - 1)] ?? Flow.empty
      )
    )
    const call = <A>(value: A) => Effect.as(Flow.runDrain(stream), value)
    const client = withRetry(
      {
        stream: () => stream,
        generate: () => call({}),
        countTokens: () => call(7),
        embed: () => call([[1]])
      },
      {}
    )
    return { client, attempts: Ref.get(attempts) }
  })

describe("a streamed answer", () => {
  it.effect("tells of each wait before it begins, then goes on", () =>
    Effect.gen(function* () {
      const { client } = yield* setup(Flow.fail(down), Flow.fail(asks), Flow.succeed(hello))
      const seen: Array<ModelEvent> = []
      const run = Flow.runForEach(client.stream(request), (event) => Effect.sync(() => seen.push(event)))
      const fiber = yield* Effect.fork(steady(run))
      const first = { _tag: "RetryScheduled", error: down, attempt: 1, maxAttempts: 10, delayMs: 5000 } as const
      const second = { _tag: "RetryScheduled", error: asks, attempt: 2, maxAttempts: 10, delayMs: 13_200 } as const
      yield* TestClock.adjust("4999 millis")
      expect(seen).toEqual([first])
      yield* TestClock.adjust("1 millis")
      expect(seen).toEqual([first, second])
      yield* TestClock.adjust("13199 millis")
      expect(seen).toEqual([first, second])
      yield* TestClock.adjust("1 millis")
      yield* Fiber.join(fiber)
      expect(seen).toEqual([first, second, hello])
    })
  )

  it.effect("that broke off is left to its reader", () =>
    Effect.gen(function* () {
      const { attempts, client } = yield* setup(Flow.concat(Flow.succeed(hello), Flow.fail(broken)))
      expect(yield* Effect.flip(Flow.runDrain(client.stream(request)))).toBe(broken)
      expect(yield* attempts).toBe(1)
    })
  )

  it.effect("that is refused for good is asked for once", () =>
    Effect.gen(function* () {
      const { attempts, client } = yield* setup(Flow.fail(refused))
      expect(yield* Effect.flip(Flow.runDrain(client.stream(request)))).toBe(refused)
      expect(yield* attempts).toBe(1)
    })
  )

  it.effect("is given up after ten attempts", () =>
    Effect.gen(function* () {
      const { attempts, client } = yield* setup(Flow.fail(down))
      const fiber = yield* Effect.fork(Effect.flip(Flow.runDrain(client.stream(request))))
      yield* TestClock.adjust("1 hour")
      expect(yield* Fiber.join(fiber)).toBe(down)
      expect(yield* attempts).toBe(10)
    })
  )

  it.effect("can be cancelled in the middle of a wait", () =>
    Effect.gen(function* () {
      const { attempts, client } = yield* setup(Flow.fail(down))
      const fiber = yield* Effect.fork(Flow.runDrain(client.stream(request)))
      yield* TestClock.adjust("1 seconds")
      yield* Fiber.interrupt(fiber)
      yield* TestClock.adjust("1 hour")
      expect(yield* attempts).toBe(1)
    })
  )

  it.effect("counts its attempts for itself: each request begins anew", () =>
    Effect.gen(function* () {
      const { client } = yield* setup(Flow.fail(down), Flow.succeed(hello), Flow.fail(down), Flow.succeed(hello))
      const stream = client.stream(request)
      for (const _ of [1, 2]) {
        const fiber = yield* Effect.fork(steady(Flow.runCollect(stream)))
        yield* TestClock.adjust("5 seconds")
        expect(
          [...(yield* Fiber.join(fiber))].map((event) => (event._tag === "RetryScheduled" ? event.attempt : "chunk"))
        ).toEqual([1, "chunk"])
      }
    })
  )
})

describe("other calls", () => {
  const calls = {
    generate: (client: ModelClient["Type"]) => client.generate(request),
    countTokens: (client: ModelClient["Type"]) => client.countTokens(request),
    embed: (client: ModelClient["Type"]) => client.embed({ model: "e", texts: ["x"] })
  }
  for (const [name, call] of Object.entries<(client: ModelClient["Type"]) => Effect.Effect<unknown, ModelError>>(
    calls
  )) {
    it.effect(`${name} is tried again`, () =>
      Effect.gen(function* () {
        const { attempts, client } = yield* setup(Flow.fail(down), Flow.fail(down), Flow.empty)
        const fiber = yield* Effect.fork(quiet(steady(call(client))))
        yield* TestClock.adjust("5 seconds")
        expect(yield* attempts).toBe(2)
        yield* TestClock.adjust("10 seconds")
        yield* Fiber.join(fiber)
        expect(yield* attempts).toBe(3)
      })
    )
  }
})
