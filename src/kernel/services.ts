/**
 * Services of a run, made one after another into one context.
 *
 * `Layer` would do the same, and a run still has one layer value. But its bookkeeping (a memo, a scope and a fold for
 * each layer) takes ten times as long as making the services does, and a one-shot run would feel it: with twenty layers
 * it is the largest part of the start. So rooms offer `make` beside `layer`, and the composition root adds them up.
 */
import { Context, Effect, Layer } from "effect"

/** Adds the service that `make` gives; it may use everything that was added before. */
export const withService =
  <I, S, E, R>(tag: Context.Tag<I, S> | Context.Reference<I, S>, make: Effect.Effect<S, E, R>) =>
  <Known, E0, R0>(
    known: Effect.Effect<Context.Context<Known>, E0, R0>
  ): Effect.Effect<Context.Context<Known | I>, E | E0, R0 | Exclude<R, Known>> =>
    Effect.flatMap(known, (context) =>
      Effect.map(Effect.provide(make, context), (service) => Context.add(context, tag, service))
    )

/** The service that a layer gives, for the parts of a run that are rare or large enough to be layers. */
export const serviceOf = <I, S, E, R>(tag: Context.Tag<I, S>, layer: Layer.Layer<I, E, R>) =>
  Effect.map(Layer.build(layer), Context.get(tag))
