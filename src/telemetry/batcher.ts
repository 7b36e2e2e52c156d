/**
 * Hands records to an exporter in batches, one batch at a time. While the exporter keeps up nothing is lost: whoever
 * records faster than it can send waits. Once it has failed, records that do not fit are dropped instead, since a
 * collector that is down must not slow the run.
 */
import { Chunk, Deferred, type Duration, Effect, Queue, Ref, type Scope } from "effect"

export interface BatcherOptions<A> {
  /** Fails with a reason for people. */
  readonly send: (batch: ReadonlyArray<A>) => Effect.Effect<void, string>
  /** The first failure; later ones are the same news. */
  readonly onFailure: (reason: string) => Effect.Effect<void>
  readonly sendWithin: Duration.DurationInput
}

export interface Batcher<A> {
  readonly offer: (record: A) => Effect.Effect<void>
  /** Ends when everything offered before has been sent or given up. */
  readonly drained: Effect.Effect<void>
}

const CAPACITY = 4096
const BATCH = 512

/** A record, or somebody who waits until everything before has been dealt with. */
type Item<A> = { readonly record: A } | { readonly reached: Deferred.Deferred<void> }

export const makeBatcher = <A>(options: BatcherOptions<A>): Effect.Effect<Batcher<A>, never, Scope.Scope> =>
  Effect.gen(function* () {
    const waiting = yield* Queue.bounded<Item<A>>(CAPACITY)
    const isDown = yield* Ref.make(false)

    const send = (batch: ReadonlyArray<A>) =>
      options.send(batch).pipe(
        Effect.timeoutFail({ duration: options.sendWithin, onTimeout: () => "no answer in time" }),
        Effect.zipRight(Ref.set(isDown, false)),
        Effect.catchAll((reason) =>
          Effect.flatMap(Ref.getAndSet(isDown, true), (wasDown) => (wasDown ? Effect.void : options.onFailure(reason)))
        )
      )

    const sendNext = Effect.gen(function* () {
      const items = Chunk.toReadonlyArray(yield* Queue.takeBetween(waiting, 1, BATCH))
      const records = items.flatMap((item) => ("record" in item ? [item.record] : []))
      if (records.length > 0) yield* send(records)
      for (const item of items) if ("reached" in item) yield* Deferred.succeed(item.reached, undefined)
    })
    yield* Effect.forkScoped(Effect.forever(sendNext))

    return {
      offer: (record) =>
        Effect.flatMap(Ref.get(isDown), (down) =>
          down ? Effect.sync(() => void waiting.unsafeOffer({ record })) : Effect.asVoid(waiting.offer({ record }))
        ),
      drained: Effect.gen(function* () {
        const reached = yield* Deferred.make<void>()
        yield* waiting.offer({ reached })
        yield* Deferred.await(reached)
      })
    }
  })
