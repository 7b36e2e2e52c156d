/**
 * What came up while the model was at work, and is told to it between two turns: background commands that ended, words
 * of the person. Everybody who works gets all of it once: the main agent, and agents that work for it meanwhile.
 */
import { Context, Effect, Ref } from "effect"

type Drain = Effect.Effect<ReadonlyArray<string>>

interface NewsReader {
  /** What came up since the last call. */
  readonly drain: Drain
  /** Sources are loaded later than this, or never. */
  readonly connect: (source: Drain) => Effect.Effect<void>
  /** The same for somebody who begins to work beside: from what the main agent was not told yet. */
  readonly beside: Effect.Effect<NewsReader>
}

export class TurnNews extends Context.Tag("agent/tools/TurnNews")<TurnNews, NewsReader>() {}

export const make = Effect.gen(function* () {
  const sources = yield* Ref.make<ReadonlyArray<Drain>>([])
  const all = yield* Ref.make<ReadonlyArray<string>>([])
  const mainRead = yield* Ref.make(0)

  const pull = Effect.gen(function* () {
    const came = yield* Effect.forEach(yield* Ref.get(sources), (source) => source)
    return yield* Ref.updateAndGet(all, (before) => [...before, ...came.flat()])
  })
  const drainFrom = (read: Ref.Ref<number>): Drain =>
    Effect.flatMap(pull, (now) => Effect.map(Ref.getAndSet(read, now.length), (from) => now.slice(from)))

  const connect = (source: Drain) => Ref.update(sources, (before) => [...before, source])
  const beside: Effect.Effect<NewsReader> = Effect.gen(function* () {
    const read = yield* Ref.make(yield* Ref.get(mainRead))
    return { drain: drainFrom(read), connect, beside }
  })
  return TurnNews.of({ drain: drainFrom(mainRead), connect, beside })
})
