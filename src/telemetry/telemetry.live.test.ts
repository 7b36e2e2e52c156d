import { expect } from "bun:test"
import { Effect, Ref, TestClock } from "effect"
import { it } from "../../test/kit/it.ts"
import { makeBatcher } from "./telemetry.live.ts"

const collecting = (fails: (batch: number) => boolean = () => false) =>
  Effect.gen(function* () {
    const batches = yield* Ref.make<ReadonlyArray<ReadonlyArray<number>>>([])
    const failures = yield* Ref.make<ReadonlyArray<string>>([])
    const batcher = yield* makeBatcher<number>({
      send: (batch) =>
        Effect.flatMap(
          Ref.modify(batches, (before) => [before.length, [...before, batch]]),
          (index) => (fails(index) ? Effect.fail("refused") : Effect.void)
        ),
      onFailure: (reason) => Ref.update(failures, (before) => [...before, reason]),
      sendWithin: "5 seconds"
    })
    return { batcher, batches: Ref.get(batches), failures: Ref.get(failures) }
  })

it.effect("sends everything, in order", () =>
  Effect.gen(function* () {
    const { batcher, batches } = yield* collecting()
    const all = Array.from({ length: 20_000 }, (_, index) => index)
    yield* Effect.forEach(all, batcher.offer, { discard: true })
    yield* batcher.drained
    expect((yield* batches).flat()).toEqual(all)
  })
)

it.effect("tells of the first failure only, and goes on without waiting", () =>
  Effect.gen(function* () {
    const { batcher, failures } = yield* collecting(() => true)
    yield* batcher.offer(0)
    yield* batcher.drained
    yield* Effect.forEach(Array.from({ length: 50_000 }), () => batcher.offer(1), { discard: true })
    yield* batcher.drained
    expect(yield* failures).toEqual(["refused"])
  })
)

it.effect("gives up on an exporter that never answers", () =>
  Effect.gen(function* () {
    const failures = yield* Ref.make<ReadonlyArray<string>>([])
    const batcher = yield* makeBatcher<number>({
      send: () => Effect.never,
      onFailure: (reason) => Ref.update(failures, (before) => [...before, reason]),
      sendWithin: "5 seconds"
    })
    yield* batcher.offer(1)
    const draining = yield* Effect.fork(batcher.drained)
    yield* TestClock.adjust("6 seconds")
    yield* draining.await
    expect(yield* Ref.get(failures)).toEqual(["no answer in time"])
  })
)
