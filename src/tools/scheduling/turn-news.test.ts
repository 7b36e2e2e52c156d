import { expect } from "bun:test"
import { Effect, Ref } from "effect"
import { it } from "../../../test/kit/it.ts"
import { make } from "./turn-news.ts"

it.effect("everybody gets all of it once; whoever begins later, what the main agent was not told yet", () =>
  Effect.gen(function* () {
    const news = yield* make
    const waiting = yield* Ref.make<ReadonlyArray<string>>(["one"])
    yield* news.connect(Ref.getAndSet(waiting, []))
    expect(yield* news.drain).toEqual(["one"])
    yield* Ref.set(waiting, ["two"])
    const early = yield* news.beside
    expect(yield* early.drain).toEqual(["two"])
    const late = yield* news.beside
    yield* Ref.set(waiting, ["three"])
    expect(yield* late.drain).toEqual(["two", "three"])
    expect(yield* early.drain).toEqual(["three"])
    expect(yield* news.drain).toEqual(["two", "three"])
    expect(yield* Effect.all([news.drain, early.drain, late.drain])).toEqual([[], [], []])
  })
)

it.effect("several sources are asked in the order in which they were connected", () =>
  Effect.gen(function* () {
    const news = yield* make
    expect(yield* news.drain).toEqual([])
    yield* news.connect(Effect.succeed(["a"]))
    yield* news.connect(Effect.succeed(["b"]))
    expect(yield* news.drain).toEqual(["a", "b"])
  })
)
