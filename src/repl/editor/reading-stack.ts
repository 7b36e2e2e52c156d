/**
 * Which of the open readings gets the keys: the one that was opened last. A question covers the reading below it, and
 * uncovers it when it ends; nothing typed for one ever reaches the other.
 */
import { Effect, Option } from "effect"
import type { TerminalInput } from "../terminal/key.ts"
import type { Keyboard } from "../terminal/keyboard.ts"

export interface Reading {
  /** The next input that is meant for this reading. */
  readonly next: Effect.Effect<TerminalInput>
  /** Shows its line, unless another reading covers it. */
  readonly draw: Effect.Effect<void>
}

export interface Shown {
  /** Shows the line of the reading; asked for whenever it comes (back) on top. */
  readonly draw: Effect.Effect<void>
  /** Shown above it, when the keys are its own already. */
  readonly heading?: Effect.Effect<void> | undefined
}

export interface ReadingStack {
  readonly open: <A>(shown: Shown, body: (reading: Reading) => Effect.Effect<A>) => Effect.Effect<A>
  /** Shows the reading on top anew. */
  readonly redraw: Effect.Effect<void>
}

interface Layer {
  readonly onTop: Effect.Latch
  readonly covered: Effect.Latch
  readonly draw: Effect.Effect<void>
}

export const makeReadingStack = (keyboard: Keyboard["Type"]): ReadingStack => {
  const layers: Array<Layer> = []

  const cover = (below: ReadonlyArray<Layer>): void => {
    for (const layer of below) {
      layer.onTop.unsafeClose()
      layer.covered.unsafeOpen()
    }
  }

  const settle = Effect.suspend(() => {
    cover(layers.slice(0, -1))
    const top = layers.at(-1)
    if (top === undefined) return Effect.void
    top.covered.unsafeClose()
    top.onTop.unsafeOpen()
    return top.draw
  })

  const isOnTop = (layer: Layer): boolean => layers.at(-1) === layer

  /** Looked at again when a key is there: it may have been typed after the reading was covered. */
  const nextFor = (layer: Layer): Effect.Effect<TerminalInput> => {
    const typed = Effect.flatMap(keyboard.typed, () =>
      isOnTop(layer) ? Effect.asSome(keyboard.next) : Effect.succeedNone
    )
    return Effect.zipRight(
      layer.onTop.await,
      Effect.raceFirst(typed, Effect.as(layer.covered.await, Option.none<TerminalInput>()))
    ).pipe(Effect.flatMap(Option.match({ onNone: () => nextFor(layer), onSome: Effect.succeed })))
  }

  return {
    redraw: Effect.suspend(() => layers.at(-1)?.draw ?? Effect.void),
    open: ({ draw, heading = Effect.void }, body) =>
      Effect.acquireUseRelease(
        Effect.gen(function* () {
          const layer: Layer = { onTop: yield* Effect.makeLatch(false), covered: yield* Effect.makeLatch(false), draw }
          layers.push(layer)
          cover(layers.slice(0, -1))
          yield* heading
          yield* settle
          return layer
        }),
        (layer) =>
          body({
            next: nextFor(layer),
            draw: Effect.suspend(() => (isOnTop(layer) ? draw : Effect.void))
          }),
        (layer) =>
          Effect.suspend(() => {
            layers.splice(layers.indexOf(layer), 1)
            return settle
          })
      )
  }
}
