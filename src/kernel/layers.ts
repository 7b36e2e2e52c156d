/**
 * Layers that are cheap to put together.
 *
 * They are layers like all others. But they remember the effect that they are made of, and where one of them stands on
 * another, the two effects become one. `Layer.provideMerge` keeps a memo, a scope and a deferred for every layer
 * instead, which takes a start with a dozen of them longer than making all the services.
 */
import { Context, Effect, FiberRef, identity, Layer, Predicate, type Scope } from "effect"

const Services = Symbol.for("agent/kernel/Services")

type Made<A, E, R> = Effect.Effect<Context.Context<A>, E, R>

/**
 * What makes the services also leaves them in the context of its fiber, where those that come next find them: providing
 * them to each in turn takes five times as many steps. Whoever is no layer takes them by `kept`.
 */
const remembered = <A, E, R>(services: Made<A, E, R>): Layer.Layer<A, E, Exclude<R, Scope.Scope>> =>
  Object.assign(Layer.scopedContext(kept(services)), { [Services]: services })

const left = <A, E, R>(make: Made<A, E, R>): Made<A, E, R> =>
  Effect.flatMap(make, (made) =>
    Effect.as(
      FiberRef.update(FiberRef.currentContext, (before) => Context.merge(before, made)),
      made
    )
  )

/** Afterwards the context is what it was. */
const kept = <A, E, R>(services: Made<A, E, R>): Made<A, E, R> =>
  Effect.locallyWith(services, FiberRef.currentContext, identity)

/** One service. */
export const service = <I, S, E, R>(tag: Context.Tag<I, S> | Context.Reference<I, S>, make: Effect.Effect<S, E, R>) =>
  remembered(left(Effect.map(make, (made) => Context.unsafeMake<I>(new Map([[tag.key, made]])))))

/** Something that is done when the services below it are there. */
export const effectLayer = <A, E, R>(effect: Effect.Effect<A, E, R>) => remembered(Effect.as(effect, Context.empty()))

/** Several services that exist already. */
export const services = <A>(context: Context.Context<A>): Layer.Layer<A> => remembered(left(Effect.succeed(context)))

/** What a layer builds, and leaves where the next one finds it. */
const built = <A, E, R>(layer: Layer.Layer<A, E, R>): Made<A, E, R | Scope.Scope> =>
  isRemembered(layer) ? layer[Services] : left(Layer.build(layer))

interface Remembered<A, E, R> extends Layer.Layer<A, E, R> {
  readonly [Services]: Made<A, E, R | Scope.Scope>
}

const isRemembered = <A, E, R>(layer: Layer.Layer<A, E, R>): layer is Remembered<A, E, R> =>
  Predicate.hasProperty(layer, Services)

/** The service that a layer gives, for parts that are rare or large. */
export const serviceOf = <I, S, E, R>(tag: Context.Tag<I, S>, layer: Layer.Layer<I, E, R>) =>
  Effect.map(isRemembered(layer) ? kept(layer[Services]) : Layer.build(layer), Context.get(tag))

/** The same layer, with something done around its building. */
export const aroundLayer = <A, E, R, E2, R2>(
  layer: Layer.Layer<A, E, R>,
  around: (build: Made<A, E, R | Scope.Scope>) => Made<A, E2, R2>
) => remembered(left(around(kept(built(layer)))))

/** Adds a layer that may stand on everything before it. */
export const withLayer =
  <A, E, R>(next: Layer.Layer<A, E, R>) =>
  <Known, E0, R0>(below: Layer.Layer<Known, E0, R0>): Layer.Layer<Known | A, E | E0, R0 | Exclude<R, Known>> =>
    remembered(
      Effect.flatMap(built(below), (known) =>
        // What is known stands in the context by then.
        Effect.map(built(next) as Made<A, E, Exclude<R, Known> | Scope.Scope>, (made) => Context.merge(known, made))
      )
    ) as Layer.Layer<Known | A, E | E0, R0 | Exclude<R, Known>>
