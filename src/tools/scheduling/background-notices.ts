/**
 * News for the model about background commands that ended. The source of them is loaded with the first tool and
 * connects itself then; before that there is nothing to tell.
 */
import { Context, Effect, Ref } from "effect"

type Drain = Effect.Effect<ReadonlyArray<string>>

export class BackgroundNotices extends Context.Tag("agent/tools/BackgroundNotices")<
  BackgroundNotices,
  {
    /** What came up since the last call. */
    readonly drain: Drain
    readonly connect: (source: Drain) => Effect.Effect<void>
  }
>() {}

export const make = Effect.map(Ref.make<Drain>(Effect.succeed([])), (source) =>
  BackgroundNotices.of({
    drain: Effect.flatten(Ref.get(source)),
    connect: (connected) => Ref.set(source, connected)
  })
)
