import { describe, expect } from "bun:test"
import { Duration, Effect, Exit, Fiber, Ref, TestClock } from "effect"
import { it } from "../../../test/kit/it.ts"
import * as Flow from "../../kernel/flow.ts"
import type { ModelClient, ModelRequest } from "../../model/model-client.ts"
import { PromptId } from "../../protocol/ids.ts"
import { ModelError } from "../../retry/model-error.ts"
import * as RateGate from "./rate-gate.ts"
import { withRate } from "./with-rate.ts"

const refusal = (fields: Partial<ConstructorParameters<typeof ModelError>[0]> = {}) =>
  new ModelError({ kind: "rate-limited", detail: "slow down", phase: "open", errorType: "QUOTA_EXCEEDED", ...fields })

const gateOf = (options: Partial<RateGate.RateOptions> = {}) =>
  RateGate.make({ concurrency: 8, waitsForQuota: false, ...options })

const request: ModelRequest = { model: "m", contents: [], config: {}, role: "main", promptId: PromptId.make("p") }

/** A client whose answers are made by a function of the number of the call. */
const clientOf = (answer: (call: number) => Effect.Effect<void, ModelError>) =>
  Effect.gen(function* () {
    const calls = yield* Ref.make(0)
    const client: Pick<ModelClient["Type"], "stream"> = {
      stream: () =>
        Flow.unwrap(
          Effect.gen(function* () {
            yield* answer(yield* Ref.getAndUpdate(calls, (count) => count + 1))
            return Flow.succeed({ _tag: "Chunk", chunk: {} } as const)
          })
        )
    }
    const none = Effect.dieMessage("not asked")
    return { calls, client: { ...client, generate: () => none, countTokens: () => none, embed: () => none } }
  })

describe("rate", () => {
  it.effect("lets no more in than the limit, and the next one when one leaves", () =>
    Effect.gen(function* () {
      const gate = yield* gateOf({ concurrency: 2 })
      const work = Effect.scoped(Effect.zipRight(gate.enter, Effect.sleep("1 second")))
      const all = yield* Effect.fork(
        Effect.all(
          Array.from({ length: 5 }, () => work),
          { concurrency: "unbounded" }
        )
      )
      yield* TestClock.adjust("1 millis")
      expect((yield* gate.state).active).toBe(2)
      yield* TestClock.adjust("3 seconds")
      expect(Exit.isSuccess(yield* Fiber.await(all))).toBe(true)
      expect((yield* gate.state).active).toBe(0)
    })
  )

  it.effect("halves once for requests that were refused together, and grows back with answers", () =>
    Effect.gen(function* () {
      const gate = yield* gateOf({ concurrency: 8 })
      yield* gate.refused(refusal({ retryAfter: Duration.seconds(3) }))
      yield* gate.refused(refusal({ retryAfter: Duration.seconds(3) }))
      expect((yield* gate.state).limit).toBe(4)
      yield* TestClock.adjust("3 seconds")
      expect((yield* gate.state).wait).toBeUndefined()
      yield* Effect.replicateEffect(gate.answered, 100)
      expect((yield* gate.state).limit).toBe(8)
    })
  )

  it.effect("holds everybody for the wait that the server asked for", () =>
    Effect.gen(function* () {
      const gate = yield* gateOf()
      yield* gate.refused(refusal({ retryAfter: Duration.seconds(60) }))
      const entered = yield* Effect.fork(Effect.scoped(gate.enter))
      yield* TestClock.adjust("59 seconds")
      expect(entered.unsafePoll()).toBeNull()
      yield* TestClock.adjust("1 second")
      yield* Fiber.join(entered)
    })
  )

  it.effect("gives no place to a request that was interrupted while it waited", () =>
    Effect.gen(function* () {
      const gate = yield* gateOf({ concurrency: 1 })
      const holder = yield* Effect.fork(Effect.scoped(Effect.zipRight(gate.enter, Effect.sleep("1 second"))))
      yield* TestClock.adjust("1 millis")
      const waiting = yield* Effect.fork(Effect.scoped(Effect.zipRight(gate.enter, Effect.never)))
      yield* TestClock.adjust("1 millis")
      yield* Fiber.interrupt(waiting)
      yield* TestClock.adjust("1 second")
      yield* Fiber.join(holder)
      yield* Effect.scoped(gate.enter)
      expect((yield* gate.state).active).toBe(0)
    })
  )

  it.effect("stops everybody at a quota that is used up for the day", () =>
    Effect.gen(function* () {
      const gate = yield* gateOf({ concurrency: 1 })
      const holder = yield* Effect.fork(Effect.scoped(Effect.zipRight(gate.enter, Effect.never)))
      yield* TestClock.adjust("1 millis")
      const waiting = yield* Effect.fork(Effect.scoped(gate.enter))
      yield* TestClock.adjust("1 millis")
      const quota = refusal({ kind: "quota" })
      expect(yield* Effect.flip(gate.refused(quota))).toBe(quota)
      expect(yield* Effect.flip(Fiber.join(waiting))).toBe(quota)
      expect(yield* Effect.flip(Effect.scoped(gate.enter))).toBe(quota)
      yield* Fiber.interrupt(holder)
    })
  )

  it.effect("waits for a quota until it comes back where that is wanted", () =>
    Effect.gen(function* () {
      const gate = yield* gateOf({ waitsForQuota: true })
      yield* gate.refused(refusal({ kind: "quota", resetsAt: "1970-01-01T08:00:00Z" }))
      const entered = yield* Effect.fork(Effect.scoped(gate.enter))
      yield* TestClock.adjust("7 hours")
      expect(entered.unsafePoll()).toBeNull()
      yield* TestClock.adjust("1 hour")
      yield* Fiber.join(entered)
    })
  )

  it.effect("gives up when nothing was answered for an hour", () =>
    Effect.gen(function* () {
      const gate = yield* gateOf()
      yield* TestClock.adjust("61 minutes")
      expect((yield* Effect.flip(gate.refused(refusal()))).detail).toContain("nothing was answered for 1h")
    })
  )
})

describe("requests behind the rate", () => {
  it.effect(
    "one that is refused again and again is sent until it is served, also where one place is all there is",
    () =>
      Effect.gen(function* () {
        const gate = yield* gateOf({ concurrency: 1 })
        const { calls, client } = yield* clientOf((call) => (call < 20 ? refusal() : Effect.void))
        const asked = yield* Effect.fork(Flow.runDrain(withRate(client, gate, { retries: 0 }).stream(request)))
        yield* TestClock.adjust("30 minutes")
        yield* Fiber.join(asked)
        expect(yield* Ref.get(calls)).toBe(21)
      })
  )

  it.effect("an outage fails nobody: the attempts of an item count only while others are answered", () =>
    Effect.gen(function* () {
      const gate = yield* gateOf({ concurrency: 4 })
      const { client } = yield* clientOf((call) => (call < 30 ? refusal({ kind: "unavailable" }) : Effect.void))
      const model = withRate(client, gate, { retries: 1 })
      const asked = yield* Effect.fork(
        Effect.all(
          Array.from({ length: 4 }, () => Flow.runDrain(model.stream(request))),
          { concurrency: "unbounded" }
        )
      )
      yield* TestClock.adjust("50 minutes")
      yield* TestClock.adjust("50 minutes")
      expect(Exit.isSuccess(yield* Fiber.await(asked))).toBe(true)
    })
  )

  it.effect("a request that fails while others are answered is given up after its attempts", () =>
    Effect.gen(function* () {
      const gate = yield* gateOf()
      const { calls, client } = yield* clientOf(() => Effect.zipRight(gate.answered, refusal({ kind: "unavailable" })))
      const asked = yield* Effect.fork(
        Effect.flip(Flow.runDrain(withRate(client, gate, { retries: 2 }).stream(request)))
      )
      yield* TestClock.adjust("10 minutes")
      expect((yield* Fiber.join(asked)).kind).toBe("unavailable")
      expect(yield* Ref.get(calls)).toBe(3)
    })
  )

  it.effect("what no repetition mends fails at once", () =>
    Effect.gen(function* () {
      const gate = yield* gateOf()
      const { calls, client } = yield* clientOf(() => refusal({ kind: "bad-request" }))
      yield* Effect.flip(Flow.runDrain(withRate(client, gate, { retries: 5 }).stream(request)))
      expect(yield* Ref.get(calls)).toBe(1)
    })
  )
})
