import { describe, expect, test } from "bun:test"
import { Chunk, Context, Deferred, Effect, Exit, Fiber, FastCheck as fc, Mailbox, Ref, Stream } from "effect"
import { it } from "../../test/kit/it.ts"
import * as Flow from "./flow.ts"

const CHANGES = ["map", "mapConcat", "tap", "judged", "caught", "mapError", "ended"] as const

/** How a flow is made, as data: so it can be made as a stream of Effect as well, and both must say the same. */
type Program =
  | { readonly kind: "values"; readonly values: ReadonlyArray<number> }
  | { readonly kind: "fail"; readonly error: string }
  | { readonly kind: (typeof CHANGES)[number]; readonly of: Program }
  | { readonly kind: "concat"; readonly first: Program; readonly second: Program }

const programs = fc.letrec<{ program: Program }>((tie) => ({
  program: fc.oneof(
    { maxDepth: 5, withCrossShrink: true },
    fc.record({ kind: fc.constant("values" as const), values: fc.array(fc.nat({ max: 9 }), { maxLength: 4 }) }),
    fc.record({ kind: fc.constant("fail" as const), error: fc.constantFrom("a", "b") }),
    fc.record({
      kind: fc.constantFrom(...CHANGES),
      of: tie("program")
    }),
    fc.record({ kind: fc.constant("concat" as const), first: tie("program"), second: tie("program") })
  )
})).program

const several = (value: number): ReadonlyArray<number> => Array.from({ length: value % 3 }, () => value + 1)
const judged = (value: number) => (value === 7 ? Effect.fail(`no ${value}`) : Effect.succeed(several(value)))

type Note = (what: string) => Effect.Effect<void>

const asFlow = (program: Program, note: Note): Flow.Flow<number, string> => {
  switch (program.kind) {
    case "values":
      return Flow.fromArray(program.values)
    case "fail":
      return Flow.fail(program.error)
    case "concat":
      return Flow.concat(asFlow(program.first, note), asFlow(program.second, note))
    case "map":
      return Flow.map(asFlow(program.of, note), (value) => value * 2)
    case "mapConcat":
      return Flow.mapConcat(asFlow(program.of, note), several)
    case "tap":
      return Flow.tap(asFlow(program.of, note), (value) => note(`tap ${value}`))
    case "judged":
      return Flow.mapConcatEffect(asFlow(program.of, note), judged)
    case "caught":
      return Flow.catchAll(asFlow(program.of, note), (error) => Flow.succeed(error.length))
    case "mapError":
      return Flow.mapError(asFlow(program.of, note), (error) => `${error}!`)
    case "ended":
      return Flow.onEnd(asFlow(program.of, note), note("end"))
  }
}

const asStream = (program: Program, note: Note): Stream.Stream<number, string> => {
  switch (program.kind) {
    case "values":
      return Stream.rechunk(Stream.fromIterable(program.values), 1)
    case "fail":
      return Stream.fail(program.error)
    case "concat":
      return Stream.concat(asStream(program.first, note), asStream(program.second, note))
    case "map":
      return Stream.map(asStream(program.of, note), (value) => value * 2)
    case "mapConcat":
      return Stream.rechunk(Stream.mapConcat(asStream(program.of, note), several), 1)
    case "tap":
      return Stream.tap(asStream(program.of, note), (value) => note(`tap ${value}`))
    case "judged":
      return Stream.rechunk(Stream.mapConcatEffect(asStream(program.of, note), judged), 1)
    case "caught":
      return Stream.catchAll(asStream(program.of, note), (error) => Stream.succeed(error.length))
    case "mapError":
      return Stream.mapError(asStream(program.of, note), (error) => `${error}!`)
    case "ended":
      return Stream.onEnd(asStream(program.of, note), note("end"))
  }
}

/** Everything that can be seen of a reading: what was told on the way, what was read, and how it ended. */
const seen = (
  reading: (note: Note, read: (value: number) => Effect.Effect<void, string>) => Effect.Effect<void, string>
) => {
  const told: Array<string> = []
  const note: Note = (what) => Effect.sync(() => void told.push(what))
  const read = (value: number) =>
    Effect.zipRight(note(`read ${value}`), value === 4 ? Effect.fail("the reader") : Effect.void)
  return { end: Effect.runSyncExit(Effect.either(reading(note, read))), told }
}

describe("a flow", () => {
  test("tells, reads and fails as a stream does whose values come one by one", () => {
    fc.assert(
      fc.property(programs, (program) => {
        const flow = seen((note, read) => Flow.runForEach(asFlow(program, note), read))
        const stream = seen((note, read) => Stream.runForEach(asStream(program, note), read))
        expect(flow).toEqual(stream)
      }),
      { numRuns: 500 }
    )
  })

  it.effect("goes no further than its reader wants", () =>
    Effect.gen(function* () {
      const begun: Array<number> = []
      const numbers = Flow.tap(Flow.fromArray([1, 2, 3, 4]), (value) => Effect.sync(() => begun.push(value)))
      const all = Flow.concat(Flow.onEnd(numbers, Effect.die("it did not end")), Flow.fromEffect(Effect.die("too far")))
      expect(yield* Flow.runUntil(all, (value) => Effect.succeed(value === 2))).toBe(true)
      expect(begun).toEqual([1, 2])
      expect(yield* Flow.runUntil(numbers, () => Effect.succeed(false))).toBe(false)
    })
  )

  it.effect("releases what it holds before something stands in for it, and when its reader is interrupted", () =>
    Effect.gen(function* () {
      const told = yield* Ref.make<ReadonlyArray<string>>([])
      const note = (what: string) => Ref.update(told, (before) => [...before, what])
      const held = <A>(flow: Flow.Flow<A, string>) =>
        Flow.unwrapScoped(
          Effect.as(
            Effect.acquireRelease(note("acquire"), (_, exit) => note(Exit.isInterrupted(exit) ? "cancel" : "release")),
            flow
          )
        )
      const instead = Flow.fromEffect(note("instead"))
      yield* Flow.runDrain(Flow.catchAll(held(Flow.fail("broken")), () => instead))
      expect(yield* Ref.getAndSet(told, [])).toEqual(["acquire", "release", "instead"])
      const started = yield* Deferred.make<void>()
      const reading = Flow.runForEach(held(Flow.succeed(1)), () =>
        Effect.zipRight(Deferred.succeed(started, undefined), Effect.never)
      )
      const fiber = yield* Effect.fork(reading)
      yield* Deferred.await(started)
      yield* Fiber.interrupt(fiber)
      expect(yield* Ref.get(told)).toEqual(["acquire", "cancel"])
    })
  )

  it.effect("gives what is put into a mailbox, then its failure", () =>
    Effect.gen(function* () {
      const mailbox = yield* Mailbox.make<number, string>()
      yield* mailbox.offerAll(Chunk.range(1, 3))
      yield* mailbox.fail("broken")
      const read: Array<number> = []
      const end = yield* Effect.flip(Flow.runForEach(Flow.fromMailbox(mailbox), (n) => Effect.sync(() => read.push(n))))
      expect([read, end]).toEqual([[1, 2, 3], "broken"])
    })
  )

  it.effect("asks for more until there is no more", () =>
    Effect.gen(function* () {
      const pieces: Array<ReadonlyArray<number> | undefined> = [[1, 2], [], [3], undefined]
      const flow = Flow.fromPull(Effect.succeed(Effect.sync(() => pieces.shift())))
      expect(yield* Flow.runCollect(flow)).toEqual([1, 2, 3])
    })
  )

  class Place extends Context.Tag("test/Place")<Place, string>() {}

  it.effect("has a context of its own, which its reader does not see", () =>
    Effect.gen(function* () {
      const inner = Flow.mapInputContext(
        Flow.fromEffect(Effect.orDie(Effect.serviceOptional(Place))),
        (context: Context.Context<never>) => Context.add(context, Place, "inside")
      )
      const seenBy: Array<unknown> = []
      yield* Flow.runForEach(inner, (value) =>
        Effect.map(Effect.serviceOption(Place), (own) => seenBy.push([value, own._tag]))
      )
      expect(seenBy).toEqual([["inside", "None"]])
    })
  )
})
