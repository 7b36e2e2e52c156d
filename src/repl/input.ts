/**
 * The person's side of a conversation. One reading of a line is open at almost any time, also while the model works:
 * what is entered then waits in a queue, Ctrl-C or Esc on an empty line cancels the work, and a line that is half typed
 * when the work ends is still there. As long as prompts cannot be sent yet, they are held back while everything else is
 * carried out.
 */
import { Cause, Effect, Exit, Fiber, Option, Ref, type Scope } from "effect"
import { LineEditor, type LineResult, type ReadLineRequest } from "./editor/line-editor.ts"
import { type InputQueue, takeNext, takePrompts } from "./input-queue.ts"
import { raceToEnd } from "./race-to-end.ts"

export interface Input {
  /** What waits in the queue, else what is entered next. */
  readonly next: Effect.Effect<LineResult>
  /** Carries out something that the person may cancel; `None` when that happened. */
  readonly during: <A, E, R>(work: Effect.Effect<A, E, R>) => Effect.Effect<Option.Option<A>, E, R>
  /** Text for the person to go on with, in place of what is in the line. */
  readonly draft: (text: string) => Effect.Effect<void>
  /** What was entered and not taken yet: it belongs to whoever reads next. */
  readonly waiting: Effect.Effect<InputQueue>
  /** Takes the prompts that would be next, for work that goes on and can heed them. */
  readonly takePrompts: Effect.Effect<InputQueue>
  /** Nothing follows what waits: the person wants to leave. */
  readonly hasEnded: Effect.Effect<boolean>
}

export interface InputOptions {
  /** How a line is read; asked for each line. */
  readonly request: Effect.Effect<ReadLineRequest>
  /** Signals that mean the same as Ctrl-C. */
  readonly interrupted: Effect.Effect<void>
  /** What was entered before and still has to be carried out. */
  readonly waiting: InputQueue
  /** Nothing will follow what waits. */
  readonly hasEnded: boolean
  /** What may be done while something else goes on; false leaves the line in the queue. */
  readonly runsBeside: (line: string) => Effect.Effect<boolean>
  readonly gate: PromptGate
  /** Said when work was cancelled, before the line is shown again. */
  readonly cancelled: Effect.Effect<void>
}

/** Prompts may have to wait for something at the start: tools that are not there yet. */
export interface PromptGate {
  readonly isOpen: Effect.Effect<boolean>
  /** Waits until it is. */
  readonly opened: Effect.Effect<void>
  /** Whether this line has to wait now; if so, the person has been told. */
  readonly holds: (line: string) => Effect.Effect<boolean>
  /** Whether what was held may go now. */
  readonly releases: Effect.Effect<boolean>
}

export const makeInput = Effect.fnUntraced(function* (
  options: InputOptions
): Effect.fn.Return<Input, never, LineEditor | Scope.Scope> {
  const { gate } = options
  const editor = yield* LineEditor
  const scope = yield* Effect.scope
  const open = yield* Ref.make<Fiber.RuntimeFiber<LineResult> | undefined>(undefined)
  const queue = yield* Ref.make(options.waiting)
  const held = yield* Ref.make<InputQueue>([])
  const hasEnded = yield* Ref.make(options.hasEnded)

  const begin = Effect.fnUntraced(function* (initial: string | undefined) {
    const request = yield* options.request
    const reading = yield* Effect.forkIn(Effect.interruptible(editor.readLine({ ...request, initial })), scope)
    yield* Ref.set(open, reading)
    return reading
  })

  /** Waits for the open reading, or opens one. An interrupted wait leaves it open, and loses nothing that was entered. */
  const read = <A, E, R>(use: (result: LineResult) => Effect.Effect<A, E, R>) =>
    Effect.uninterruptibleMask((restore) =>
      Effect.gen(function* () {
        const reading = (yield* Ref.get(open)) ?? (yield* begin(undefined))
        const signalled = Effect.as(options.interrupted, INTERRUPTED)
        const result = yield* restore(Effect.raceFirst(Fiber.join(reading), signalled))
        // Only now: a wait that is interrupted finds the finished reading again.
        if (result !== INTERRUPTED) yield* Ref.set(open, undefined)
        return yield* use(result)
      })
    )

  /** Ends when the person cancels. */
  const watch: Effect.Effect<void> = Effect.gen(function* () {
    while (true) {
      const isCancelled = yield* read((result) => heed(result))
      if (isCancelled) return
    }
  })

  const heed = Effect.fnUntraced(function* (result: LineResult) {
    switch (result._tag) {
      case "Line":
        if (!(yield* options.runsBeside(result.text))) yield* Ref.update(queue, (before) => [...before, result.text])
        return false
      case "EndOfInput":
        yield* Ref.set(hasEnded, true)
        return yield* Effect.interruptible(Effect.never)
      case "Escaped":
      case "Interrupted":
        return true
    }
  })

  const replaceDraft = Effect.fnUntraced(function* (text: string) {
    const reading = yield* Ref.get(open)
    if (reading !== undefined) yield* Fiber.interrupt(reading)
    yield* begin(text)
  })

  /** Nobody wants it sent by itself now; the person may. */
  const takeBack = Effect.gen(function* () {
    const waiting = [...(yield* Ref.getAndSet(held, [])), ...(yield* Ref.getAndSet(queue, []))]
    if (waiting.length > 0) yield* replaceDraft(waiting.join("\n\n"))
  })

  /** Entered at the very end: the reading is over, and nobody has looked at it. */
  const unread = Effect.gen(function* () {
    const reading = yield* Ref.get(open)
    const exit = reading === undefined ? Option.none() : yield* Fiber.poll(reading)
    return Option.isSome(exit) && Exit.isSuccess(exit.value) ? exit.value.value : undefined
  })

  const waiting = Effect.gen(function* () {
    const last = yield* unread
    return [...(yield* Ref.get(held)), ...(yield* Ref.get(queue)), ...(last?._tag === "Line" ? [last.text] : [])]
  })

  /** Of what was entered before; `undefined` when nothing is to be done now. */
  const takeWaiting = Effect.gen(function* () {
    const taken = takeNext(yield* Ref.get(queue))
    if (taken !== undefined) {
      yield* Ref.set(queue, taken.rest)
      return taken.line
    }
    if (!(yield* gate.releases)) return undefined
    const lines = yield* Ref.getAndSet(held, [])
    return lines.length === 0 ? undefined : lines.join("\n\n")
  })

  /** What was entered where something is held back: Ctrl-C takes that back, the end of the input waits for it. */
  const beside = Effect.fnUntraced(function* (result: LineResult) {
    if (result._tag === "Line" || (yield* Ref.get(held)).length === 0) return result
    if (result._tag === "EndOfInput") yield* Ref.set(hasEnded, true)
    else yield* takeBack
    return undefined
  })

  const nextResult: Effect.Effect<LineResult> = Effect.gen(function* () {
    const line = yield* takeWaiting
    if (line !== undefined) return { _tag: "Line", text: line }
    const isOpen = yield* gate.isOpen
    if (yield* Ref.get(hasEnded)) {
      if (isOpen || (yield* Ref.get(held)).length === 0) return { _tag: "EndOfInput" }
      return yield* Effect.zipRight(gate.opened, nextResult)
    }
    const opens = isOpen ? Effect.never : Effect.as(gate.opened, undefined)
    return (yield* Effect.raceFirst(read(beside), opens)) ?? (yield* nextResult)
  })

  const next: Effect.Effect<LineResult> = Effect.gen(function* () {
    const result = yield* nextResult
    if (result._tag !== "Line" || !(yield* gate.holds(result.text))) return result
    yield* Ref.update(held, (before) => [...before, result.text])
    return yield* next
  })

  return {
    next,
    during: (work) =>
      Effect.gen(function* () {
        yield* editor.setBusy(true)
        const done = yield* raceToEnd(orCancelled(work), Effect.as(watch, Option.none()))
        if (Option.isNone(done)) {
          yield* options.cancelled
          yield* takeBack
        }
        return done
      }).pipe(Effect.ensuring(editor.setBusy(false))),
    draft: replaceDraft,
    waiting,
    takePrompts: Ref.modify(queue, takePrompts),
    hasEnded: Effect.zipWith(Ref.get(hasEnded), unread, (before, last) => before || last?._tag === "EndOfInput")
  }
})

/** Work may cancel itself: somebody turned away from a question that it asked. */
const orCancelled = <A, E, R>(work: Effect.Effect<A, E, R>): Effect.Effect<Option.Option<A>, E, R> =>
  Effect.flatMap(Effect.exit(work), (exit) =>
    Exit.isFailure(exit) && Cause.isInterruptedOnly(exit.cause) ? Effect.succeedNone : Effect.asSome(exit)
  )

/** By a signal: the reading stays open. */
const INTERRUPTED: LineResult = { _tag: "Interrupted" }
