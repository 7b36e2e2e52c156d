/**
 * The keyboard as a service. What is typed is kept from the moment the layer is built, so that nothing typed while the
 * program starts is lost; `discardTyped` is the only thing that throws keys away, before a question is asked.
 */
import { Context, Duration, Effect, Layer, Runtime } from "effect"
import { monotonicMillis, readMonotonicMillis } from "../../kernel/monotonic-time.ts"
import { raceToEnd } from "../race-to-end.ts"
import { closed, key, resized, resumed, type TerminalInput } from "./key.ts"
import { makeKeyDecoder } from "./key-decoder.ts"
import type { TerminalDevice } from "./terminal-device.ts"

export class Keyboard extends Context.Tag("agent/repl/Keyboard")<
  Keyboard,
  {
    /**
     * Keys arrive one by one and nothing is echoed by the terminal itself. Otherwise the terminal edits and echoes
     * whole lines, Ctrl-C is a signal and Ctrl-D ends the input.
     */
    readonly isRaw: boolean
    /** What was typed first and not taken yet; waits for it. An interrupted wait takes nothing. */
    readonly next: Effect.Effect<TerminalInput>
    /** Waits until something is typed, and leaves it for `next`. */
    readonly typed: Effect.Effect<void>
    /** Waits for Ctrl-C, and takes it: for waits in which nobody reads keys. What is typed beside it is kept. */
    readonly cancelled: Effect.Effect<void>
    /** The same, for work at which nothing would be left: it ends the program, as where the terminal makes a signal of it. */
    readonly leaving: <A, E, R>(work: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
    /** Forgets what was typed up to now: an answer must be given by somebody who has seen the question. */
    readonly discardTyped: Effect.Effect<void>
    /** Nothing that is typed meanwhile is shown by the terminal: for secrets where it edits lines itself. */
    readonly withoutEcho: <A, E, R>(reading: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
    /** While `use` runs, what is typed goes to the listener as it is, and nothing of it is a key here. */
    readonly lent: <A, E, R>(listener: TypedBytes, use: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
    /** Runs another program, such as an editor, on the terminal: in its normal state, and with all keys going there. */
    readonly released: <A, E, R>(program: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
  }
>() {}

export interface TypedBytes {
  readonly onBytes: (bytes: Uint8Array) => void
  readonly onResize: () => void
  /** The terminal is gone. */
  readonly onEnd: () => void
  /** What the listener leaves at the end: it counts as typed here. Enter may have become LF on the way. */
  readonly unread: () => Uint8Array
}

const [LF, CR] = [0x0a, 0x0d]
/** After Esc alone, this long nothing must follow: sequences arrive in one piece, or nearly so. */
const LONE_ESC_AFTER = Duration.millis(50)
/** Keys that are on their way from a terminal nearby. */
const IN_FLIGHT = Duration.millis(30)
/** Somebody who typed within this time is still typing, and has not seen the question. */
const STILL_TYPING_WITHIN = Duration.millis(400)
/** A cat on the keyboard must not keep the question from being asked. */
const PATIENCE = Duration.seconds(3)

/** `raw`: keys one by one, with our own line editor; `false` leaves editing to the terminal. */
export const layer = (device: TerminalDevice, options: { readonly raw: boolean }) =>
  Layer.scoped(Keyboard, makeKeyboard(device, options.raw))

const makeKeyboard = Effect.fnUntraced(function* (device: TerminalDevice, isRaw: boolean) {
  const clock = yield* Effect.clock
  const run = Runtime.runFork(yield* Effect.runtime<never>())
  const waiting: Array<TerminalInput> = []
  const hasInput = yield* Effect.makeLatch(false)
  let hasReadOnce = false
  let isClosed = false
  let lastTyped = Number.NEGATIVE_INFINITY
  let escapes = 0

  // Before raw mode was on, the terminal turned Enter into LF: that is what the first read may hold.
  const decoder = makeKeyDecoder(() => (isRaw && hasReadOnce ? key("C-j") : key("enter")))

  const push = (input: TerminalInput): void => {
    waiting.push(input)
    hasInput.unsafeOpen()
  }
  const cancelling = new Set<() => void>()
  const accept = (inputs: ReadonlyArray<TerminalInput>): void => {
    for (const input of inputs) {
      if (isRaw && isKey(input, "C-z")) stop()
      else if (cancelling.size > 0 && isKey(input, "C-c")) for (const cancel of cancelling) cancel()
      else push(input)
    }
  }
  const onBytes = (bytes: Uint8Array): void => {
    lastTyped = readMonotonicMillis(clock)
    accept(decoder.push(bytes))
    hasReadOnce = true
    escapes += 1
    if (!decoder.isWaiting()) return
    const mine = escapes
    run(
      Effect.sleep(LONE_ESC_AFTER).pipe(
        Effect.tap(() => Effect.sync(() => (mine === escapes ? accept(decoder.flush()) : undefined)))
      )
    )
  }
  const onEnd = (): void => {
    if (isClosed) return
    isClosed = true
    push(closed)
  }
  const stop = (): void => {
    device.setRaw(false)
    device.stop()
    goOn()
  }
  const goOn = (): void => {
    device.setRaw(isRaw)
    push(resumed)
  }

  let stopReading = (): void => {}
  const open = (): void => {
    device.setRaw(isRaw)
    stopReading = device.read(onBytes, onEnd)
  }
  const close = (): void => {
    stopReading()
    device.setRaw(false)
  }
  yield* Effect.acquireRelease(Effect.sync(open), () => Effect.sync(close))
  yield* listening(() => device.onResize(() => push(resized)))
  if (isRaw) {
    yield* listening(() => device.onContinue(goOn))
    yield* listening(() => device.onStopRequest(stop))
  }

  const typed = hasInput.await
  const take = (): TerminalInput | undefined => {
    const input = waiting[0]
    if (input?._tag !== "Closed") waiting.shift()
    if (waiting.length === 0) hasInput.unsafeClose()
    return input
  }
  const next: Effect.Effect<TerminalInput> = Effect.flatMap(typed, () => {
    const input = take()
    return input === undefined ? next : Effect.succeed(input)
  })
  const forget = Effect.sync(() => {
    decoder.reset()
    waiting.length = 0
    hasInput.unsafeClose()
    if (isClosed) push(closed)
  })
  // Where the terminal edits lines, an unfinished line is still in its hands; without editing it gives it up.
  const silently = <A, E, R>(use: () => Effect.Effect<A, E, R>) =>
    Effect.acquireUseRelease(
      Effect.sync(() => device.setRaw(true)),
      use,
      () => Effect.sync(() => device.setRaw(false))
    )
  const cancelled = Effect.async<void>((resume) => {
    const cancel = () => {
      cancelling.delete(cancel)
      resume(Effect.void)
    }
    const before = waiting.findIndex((input) => isKey(input, "C-c"))
    if (before === -1) cancelling.add(cancel)
    else {
      waiting.splice(before, 1)
      cancel()
    }
    return Effect.sync(() => void cancelling.delete(cancel))
  })
  const withUnfinishedLine = isRaw ? Effect.sleep(IN_FLIGHT) : silently(() => Effect.sleep(IN_FLIGHT))

  return Keyboard.of({
    isRaw,
    next,
    typed,
    cancelled,
    leaving: (work) =>
      raceToEnd(work, Effect.zipRight(Effect.zipRight(cancelled, Effect.sync(device.interrupt)), Effect.never)),
    discardTyped: Effect.gen(function* () {
      const began = yield* monotonicMillis
      while (true) {
        yield* withUnfinishedLine
        const now = yield* monotonicMillis
        const isTyping = now - lastTyped < Duration.toMillis(STILL_TYPING_WITHIN)
        if (!isTyping || now - began > Duration.toMillis(PATIENCE)) break
      }
      yield* forget
    }),
    withoutEcho: (reading) => (isRaw ? reading : silently(() => reading)),
    lent: (listener, use) =>
      Effect.acquireUseRelease(
        Effect.sync(() => {
          stopReading()
          device.setRaw(true)
          const endReading = device.read(listener.onBytes, () => {
            onEnd()
            listener.onEnd()
          })
          const endResize = device.onResize(listener.onResize)
          return () => {
            endReading()
            endResize()
          }
        }),
        () => use,
        (end) =>
          Effect.sync(() => {
            end()
            open()
            push(resumed)
            const left = listener.unread().map((byte) => (byte === LF ? CR : byte))
            if (left.length > 0) onBytes(left)
          })
      ),
    released: (program) =>
      Effect.acquireUseRelease(
        Effect.sync(close),
        () => program,
        () =>
          Effect.sync(() => {
            open()
            push(resumed)
          })
      )
  })
})

const isKey = (input: TerminalInput, name: string): boolean => input._tag === "Key" && input.name === name

const listening = (listen: () => () => void) => Effect.acquireRelease(Effect.sync(listen), (off) => Effect.sync(off))
