/**
 * All paths of the workspace, for completion. Listing them takes long in a large tree, so nobody waits for it twice: what
 * is known serves at once, and is brought up to date behind it.
 */
import { Clock, Duration, Effect, Fiber, Ref } from "effect"

export interface PathIndex {
  /** What is known, perhaps from some time ago; waits only where nothing is known yet. */
  readonly known: Effect.Effect<ReadonlyArray<string>>
  /** As it is now. Waits. */
  readonly current: Effect.Effect<ReadonlyArray<string>>
  /** Begins to learn, where that is needed; does not wait. */
  readonly prepare: Effect.Effect<void>
}

interface Learned {
  readonly paths: ReadonlyArray<string>
  readonly at: number
}

/** Older knowledge is renewed when it is asked for. */
const FRESH_FOR_MS = Duration.toMillis("20 seconds")

export const makePathIndex = Effect.fnUntraced(function* (list: Effect.Effect<ReadonlyArray<string>>) {
  const learned = yield* Ref.make<Learned | undefined>(undefined)
  const learning = yield* Ref.make<Fiber.RuntimeFiber<ReadonlyArray<string>> | undefined>(undefined)

  const learn = Effect.gen(function* () {
    const at = yield* Clock.currentTimeMillis
    const paths = yield* list
    yield* Ref.set(learned, { paths, at })
    return paths
  })

  const begin = Effect.uninterruptible(
    Effect.gen(function* () {
      const present = yield* Ref.get(learning)
      if (present !== undefined && present.unsafePoll() === null) return present
      // Whoever asked may type on and not wait; the listing has its own time limit, and serves the next Tab.
      const fiber = yield* Effect.forkDaemon(Effect.interruptible(learn))
      yield* Ref.set(learning, fiber)
      return fiber
    })
  )

  const isFresh = ({ at }: Learned) => Effect.map(Clock.currentTimeMillis, (now) => now - at < FRESH_FOR_MS)
  const current = Effect.gen(function* () {
    const known = yield* Ref.get(learned)
    if (known !== undefined && (yield* isFresh(known))) return known.paths
    return yield* Effect.flatMap(begin, Fiber.join)
  })
  const prepare = Effect.gen(function* () {
    const known = yield* Ref.get(learned)
    if (known === undefined || !(yield* isFresh(known))) yield* begin
  })

  return {
    known: Effect.gen(function* () {
      yield* prepare
      return (yield* Ref.get(learned))?.paths ?? (yield* current)
    }),
    current,
    prepare
  } satisfies PathIndex as PathIndex
})
