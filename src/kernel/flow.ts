/**
 * Values that come one after the other, as the chunks of an answer and the events of a prompt do: a flow hands each of them
 * to its reader and goes on when the reader is done. It is the part of Effect's `Stream` that every prompt needs, at a few
 * steps for each value in place of some hundred, and without the interpreter of channels that a start would have to load.
 *
 * A reader never fails, so what a flow fails with is its own. Whoever reads with something that may fail (`runForEach`)
 * stops the flow and fails by itself.
 */
import { type Cause, Chunk, type Context, Effect, type Mailbox, Pipeable, type Scope } from "effect"
import { dual } from "effect/Function"

/** A reader that answers with it wants no more. Nobody else can. */
const STOP = Symbol("agent/kernel/flow/STOP")

/** What comes of it does not matter, unless it is `STOP`. */
type Reader<A> = (value: A) => Effect.Effect<unknown>

export class Flow<out A, out E = never, out R = never> extends Pipeable.Class() {
  /** Succeeds with `STOP` where the reader did. */
  readonly run: (each: Reader<A>) => Effect.Effect<unknown, E, R>

  constructor(run: (each: Reader<A>) => Effect.Effect<unknown, E, R>) {
    super()
    this.run = run
  }
}

export const empty: Flow<never> = new Flow(() => Effect.void)
export const never: Flow<never> = new Flow(() => Effect.never)
export const succeed = <A>(value: A): Flow<A> => new Flow((each) => each(value))
export const fail = <E>(error: E): Flow<never, E> => new Flow(() => Effect.fail(error))

export const fromArray = <A>(values: ReadonlyArray<A>): Flow<A> => new Flow((each) => eachOf(values, each))

export const fromEffect = <A, E, R>(effect: Effect.Effect<A, E, R>): Flow<A, E, R> =>
  new Flow((each) => Effect.flatMap(effect, each))

/** `open` gives what is asked again and again for more values, until there are no more. */
export const fromPull = <A, E, R>(
  open: Effect.Effect<Effect.Effect<ReadonlyArray<A> | undefined, E>, E, R>
): Flow<A, E, Exclude<R, Scope.Scope>> =>
  unwrapScoped(
    Effect.map(
      open,
      (pull) =>
        new Flow<A, E>((each) =>
          untilStopped((end) =>
            Effect.flatMap(pull, (values) => {
              if (values !== undefined) return eachOf(values, each)
              return end
            })
          )
        )
    )
  )

/** What is put in, until it is closed. */
export const fromMailbox = <A, E>(mailbox: Mailbox.ReadonlyMailbox<A, E>): Flow<A, E> =>
  new Flow((each) =>
    untilStopped((end) =>
      Effect.flatMap(mailbox.takeAll, ([values, isDone]) => {
        const read = eachOf(Chunk.toReadonlyArray(values), each)
        return isDone ? Effect.zipRight(read, end) : read
      })
    )
  )

export const suspend = <A, E, R>(flow: () => Flow<A, E, R>): Flow<A, E, R> =>
  new Flow((each) => Effect.suspend(() => flow().run(each)))

export const unwrap = <A, E, R, E2, R2>(flow: Effect.Effect<Flow<A, E, R>, E2, R2>): Flow<A, E | E2, R | R2> =>
  new Flow((each) => Effect.flatMap(flow, ({ run }) => run(each)))

/** What is acquired for the flow is released at its end. */
export const unwrapScoped = <A, E, R, E2, R2>(
  flow: Effect.Effect<Flow<A, E, R>, E2, R2>
): Flow<A, E | E2, R | Exclude<R2, Scope.Scope>> =>
  new Flow(
    (each) =>
      Effect.scoped(Effect.flatMap(flow, ({ run }) => run(each))) as Effect.Effect<
        unknown,
        E | E2,
        R | Exclude<R2, Scope.Scope>
      >
  )

export const map: {
  <A, B>(change: (value: A) => B): <E, R>(flow: Flow<A, E, R>) => Flow<B, E, R>
  <A, B, E, R>(flow: Flow<A, E, R>, change: (value: A) => B): Flow<B, E, R>
} = dual(
  2,
  <A, B, E, R>(flow: Flow<A, E, R>, change: (value: A) => B): Flow<B, E, R> =>
    new Flow((each) => flow.run((value) => each(change(value))))
)

/** Several values, or none, in place of one. */
export const mapConcat: {
  <A, B>(change: (value: A) => ReadonlyArray<B>): <E, R>(flow: Flow<A, E, R>) => Flow<B, E, R>
  <A, B, E, R>(flow: Flow<A, E, R>, change: (value: A) => ReadonlyArray<B>): Flow<B, E, R>
} = dual(
  2,
  <A, B, E, R>(flow: Flow<A, E, R>, change: (value: A) => ReadonlyArray<B>): Flow<B, E, R> =>
    new Flow((each) => flow.run((value) => eachOf(change(value), each)))
)

/** The same, where it takes an effect that may fail; then the flow fails. */
export const mapConcatEffect: {
  <A, B, E2>(
    change: (value: A) => Effect.Effect<ReadonlyArray<B>, E2>
  ): <E, R>(flow: Flow<A, E, R>) => Flow<B, E | E2, R>
  <A, B, E, R, E2>(flow: Flow<A, E, R>, change: (value: A) => Effect.Effect<ReadonlyArray<B>, E2>): Flow<B, E | E2, R>
} = dual(
  2,
  <A, B, E, R, E2>(
    flow: Flow<A, E, R>,
    change: (value: A) => Effect.Effect<ReadonlyArray<B>, E2>
  ): Flow<B, E | E2, R> =>
    new Flow((each) => failing(flow, (value) => Effect.flatMap(change(value), (values) => eachOf(values, each))))
)

/** Something that is done with each value before it goes on. */
export const tap: {
  <A>(effect: (value: A) => Effect.Effect<unknown>): <E, R>(flow: Flow<A, E, R>) => Flow<A, E, R>
  <A, E, R>(flow: Flow<A, E, R>, effect: (value: A) => Effect.Effect<unknown>): Flow<A, E, R>
} = dual(
  2,
  <A, E, R>(flow: Flow<A, E, R>, effect: (value: A) => Effect.Effect<unknown>): Flow<A, E, R> =>
    new Flow((each) => flow.run((value) => Effect.zipRight(effect(value), each(value))))
)

export const concat = <A, E, R, B, E2, R2>(
  first: Flow<A, E, R>,
  second: Flow<B, E2, R2>
): Flow<A | B, E | E2, R | R2> =>
  new Flow((each) =>
    Effect.flatMap(
      first.run(each),
      (end): Effect.Effect<unknown, E2, R2> => (end === STOP ? Effect.succeed(end) : second.run(each))
    )
  )

export const mapError = <A, E, R, E2>(flow: Flow<A, E, R>, change: (error: E) => E2): Flow<A, E2, R> =>
  new Flow((each) => Effect.mapError(flow.run(each), change))

export const catchAll: {
  <E, B, E2, R2>(instead: (error: E) => Flow<B, E2, R2>): <A, R>(flow: Flow<A, E, R>) => Flow<A | B, E2, R | R2>
  <A, E, R, B, E2, R2>(flow: Flow<A, E, R>, instead: (error: E) => Flow<B, E2, R2>): Flow<A | B, E2, R | R2>
} = dual(
  2,
  <A, E, R, B, E2, R2>(flow: Flow<A, E, R>, instead: (error: E) => Flow<B, E2, R2>): Flow<A | B, E2, R | R2> =>
    new Flow((each) => Effect.catchAll(flow.run(each), (error) => instead(error).run(each)))
)

/** Something that is done around the whole of it, as it would be around an effect. */
export const around = <A, E, R, E2, R2>(
  flow: Flow<A, E, R>,
  change: (whole: Effect.Effect<unknown, E, R>) => Effect.Effect<unknown, E2, R2>
): Flow<A, E2, R2> => new Flow((each) => change(flow.run(each)))

/** Where all of it was read. */
export const onEnd = <A, E, R>(flow: Flow<A, E, R>, effect: Effect.Effect<unknown>): Flow<A, E, R> =>
  new Flow((each) =>
    Effect.flatMap(flow.run(each), (end) => (end === STOP ? Effect.succeed(end) : Effect.asVoid(effect)))
  )

/** In another context, which is not that of the reader. */
export const mapInputContext = <A, E, R, R2>(
  flow: Flow<A, E, R>,
  change: (context: Context.Context<R2>) => Context.Context<R>
): Flow<A, E, R2> =>
  new Flow((each) =>
    Effect.contextWithEffect((own: Context.Context<R2>) =>
      Effect.mapInputContext(
        flow.run((value) => Effect.mapInputContext(each(value), (_: Context.Context<never>) => own)),
        (_: Context.Context<R2>) => change(own)
      )
    )
  )

export const runForEach: {
  <A, E2>(read: (value: A) => Effect.Effect<unknown, E2>): <E, R>(flow: Flow<A, E, R>) => Effect.Effect<void, E | E2, R>
  <A, E, R, E2>(flow: Flow<A, E, R>, read: (value: A) => Effect.Effect<unknown, E2>): Effect.Effect<void, E | E2, R>
} = dual(
  2,
  <A, E, R, E2>(flow: Flow<A, E, R>, read: (value: A) => Effect.Effect<unknown, E2>): Effect.Effect<void, E | E2, R> =>
    Effect.asVoid(failing(flow, read))
)

/** `true`: one of the values was enough, and nothing more was read. */
export const runUntil = <A, E, R>(
  flow: Flow<A, E, R>,
  isEnough: (value: A) => Effect.Effect<boolean>
): Effect.Effect<boolean, E, R> =>
  Effect.map(
    flow.run((value) => Effect.map(isEnough(value), (enough) => (enough ? STOP : undefined))),
    (end) => end === STOP
  )

export const runCollect = <A, E, R>(flow: Flow<A, E, R>): Effect.Effect<ReadonlyArray<A>, E, R> =>
  Effect.suspend(() => {
    const values: Array<A> = []
    const keep = (value: A) => Effect.sync(() => void values.push(value))
    return Effect.as(flow.run(keep), values)
  })

export const runDrain = <A, E, R>(flow: Flow<A, E, R>): Effect.Effect<void, E, R> =>
  Effect.asVoid(flow.run(() => Effect.void))

/** A reader that may fail: the flow is stopped, then it fails with that. */
const failing = <A, E, R, E2>(
  flow: Flow<A, E, R>,
  read: (value: A) => Effect.Effect<unknown, E2>
): Effect.Effect<unknown, E | E2, R> =>
  Effect.suspend(() => {
    let fault: Cause.Cause<E2> | undefined
    const each = (value: A) =>
      Effect.catchAllCause(read(value), (cause) => {
        fault = cause
        return Effect.succeed(STOP)
      })
    return Effect.flatMap(flow.run(each), (end) =>
      fault === undefined ? Effect.succeed(end) : Effect.failCause(fault)
    )
  })

const eachOf = <A>(values: ReadonlyArray<A>, each: Reader<A>): Effect.Effect<unknown> => {
  const [only] = values
  if (values.length === 0) return Effect.void
  // The one that there is may be `undefined`.
  if (values.length === 1) return each(only as A)
  return Effect.suspend(() => {
    let index = 0
    return untilStopped((end) => {
      const at = index++
      return at < values.length ? each(values[at] as A) : end
    })
  })
}

/** Again and again, until a reader wants no more or the end is reached. */
const untilStopped = <E>(step: (end: Effect.Effect<unknown>) => Effect.Effect<unknown, E>): Effect.Effect<unknown, E> =>
  Effect.suspend(() => {
    let isOver = false
    let last: unknown
    const end = Effect.sync(() => {
      isOver = true
    })
    const loop = Effect.whileLoop({
      while: () => !isOver && last !== STOP,
      body: () => step(end),
      step: (result) => {
        last = result
      }
    })
    return Effect.map(loop, () => last)
  })
