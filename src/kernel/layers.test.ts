import { expect } from "bun:test"
import { Context, Effect, Layer } from "effect"
import { it } from "../../test/kit/it.ts"
import { aroundLayer, effectLayer, service, serviceOf, services, withLayer } from "./layers.ts"

class Base extends Context.Tag("test/Base")<Base, { readonly value: number }>() {}
class Sum extends Context.Tag("test/Sum")<Sum, { readonly value: number }>() {}

const base = (value: number) => service(Base, Effect.succeed({ value }))
const sum = service(
  Sum,
  Effect.map(Base, ({ value }) => ({ value: value + 1 }))
)
const both = Effect.zipWith(Base, Sum, (one, other) => [one.value, other.value])

it.effect("a layer stands on those before it, also on one of Effect's own", () =>
  Effect.gen(function* () {
    const expected = [1, 2]
    expect(yield* Effect.provide(both, base(1).pipe(withLayer(sum)))).toEqual(expected)
    expect(yield* Effect.provide(both, Layer.succeed(Base, { value: 1 }).pipe(withLayer(sum)))).toEqual(expected)
    expect(yield* Effect.provide(both, Layer.provideMerge(sum, base(1)))).toEqual(expected)
    expect(yield* Effect.provide(both, services(Context.make(Base, { value: 1 })).pipe(withLayer(sum)))).toEqual(
      expected
    )
  })
)

it.effect("a service that is given again takes the place of the one before", () =>
  Effect.gen(function* () {
    const doubled = service(
      Base,
      Effect.map(Base, ({ value }) => ({ value: value * 2 }))
    )
    expect(yield* Effect.provide(both, base(4).pipe(withLayer(doubled), withLayer(sum)))).toEqual([8, 9])
  })
)

it.effect("what was made last ends first, after the program that used it", () =>
  Effect.gen(function* () {
    const told: Array<string> = []
    const say = (text: string) => Effect.sync(() => void told.push(text))
    const ending = (name: string) => Effect.addFinalizer(() => say(`${name} ends`))
    const layer = service(Base, Effect.as(ending("base"), { value: 1 })).pipe(
      withLayer(aroundLayer(sum, (build) => Effect.zipLeft(build, ending("sum")))),
      withLayer(effectLayer(Effect.flatMap(Sum, ({ value }) => say(`there is ${value}`))))
    )
    yield* Effect.provide(say("the program"), layer)
    expect(told).toEqual(["there is 2", "the program", "sum ends", "base ends"])
  })
)

it.effect("one service of a layer can be had alone", () =>
  Effect.gen(function* () {
    const made = yield* Effect.scoped(serviceOf(Sum, base(1).pipe(withLayer(sum))))
    expect(made).toEqual({ value: 2 })
  })
)
