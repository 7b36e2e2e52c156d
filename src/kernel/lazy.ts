/** Code that is loaded when it is needed, not when the program starts. */
import { Effect, Layer } from "effect"

/** A module, at its first use. The loader must be a literal dynamic import, else the bundler cannot split it off. */
export const lazy = <Module>(load: () => Promise<Module>): Effect.Effect<Module> => Effect.promise(load)

/** A layer of such a module. */
export const lazyLayer = <I, E, R>(load: () => Promise<Layer.Layer<I, E, R>>): Layer.Layer<I, E, R> =>
  Layer.unwrapEffect(lazy(load))
