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
}

export interface ReadingStack {
  /** Opens a reading. `draw` shows it; asked for whenever it comes (back) on top. */
  readonly open: <A>(draw: Effect.Effect<void>, body: (reading: Reading) => Effect.Effect<A>) => Effect.Effect<A>
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

  const settle = Effect.suspend(() => {
    for (const layer of layers.slice(0, -1)) {
      layer.onTop.unsafeClose()
      layer.covered.unsafeOpen()
    }
    const top = layers.at(-1)
    if (top === undefined) return Effect.void
    top.covered.unsafeClose()
    top.onTop.unsafeOpen()
    return top.draw
  })

  const nextFor = ({ covered, onTop }: Layer): Effect.Effect<TerminalInput> =>
    Effect.zipRight(
      onTop.await,
      Effect.raceFirst(Effect.asSome(keyboard.next), Effect.as(covered.await, Option.none<TerminalInput>()))
    ).pipe(
      Effect.flatMap(
        Option.match({ onNone: () => nextFor({ covered, onTop, draw: Effect.void }), onSome: Effect.succeed })
      )
    )

  return {
    redraw: Effect.suspend(() => layers.at(-1)?.draw ?? Effect.void),
    open: (draw, body) =>
      Effect.acquireUseRelease(
        Effect.gen(function* () {
          const layer: Layer = { onTop: yield* Effect.makeLatch(false), covered: yield* Effect.makeLatch(false), draw }
          layers.push(layer)
          yield* settle
          return layer
        }),
        (layer) => body({ next: nextFor(layer) }),
        (layer) =>
          Effect.suspend(() => {
            layers.splice(layers.indexOf(layer), 1)
            return settle
          })
      )
  }
}
