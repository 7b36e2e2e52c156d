/**
 * What another program writes, on its way to the terminal: in order, bounded where the terminal is slower, and with an
 * account of what it switched on.
 */
import { Effect, Fiber, Queue } from "effect"

/** `now` hands text on in order, without being waited for. */
export interface LentWriter {
  (text: string): Effect.Effect<void>
  readonly now: (text: string) => void
}

/** Characters that wait for the terminal; the rest is dropped, and that is said. */
const MAX_WAITING = 8 * 1024 * 1024

/** Modes of the terminal that programs switch on: keys, mouse, pastes, the other screen, the cursor (off). */
const MODES =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are the subject here.
  /\u001b\[\?(1|7|25|9|1000|1002|1003|1004|1005|1006|1015|47|1047|1049|2004|2026)([hl])/g

/** On when nobody has touched them. */
const USUALLY_ON = new Set(["7", "25"])

export const lentWriter = Effect.fnUntraced(function* (write: (text: string) => Effect.Effect<void>) {
  const news = yield* Queue.sliding<void>(1)
  const changed = new Map<string, string>()
  let waiting: Array<string> = []
  let size = 0
  let missed = 0
  let last = "\n"

  const take = (text: string): void => {
    if (text === "") return
    if (size + text.length > MAX_WAITING) missed += text.length
    else {
      waiting.push(text)
      size += text.length
      for (const [, mode = "", state = ""] of text.matchAll(MODES)) changed.set(mode, state)
    }
    news.unsafeOffer(undefined)
  }
  const flush = Effect.suspend(() => {
    const text = waiting.join("") + (missed === 0 ? "" : `\r\n[${missed} characters not shown]\r\n`)
    waiting = []
    size = 0
    missed = 0
    if (text === "") return Effect.void
    last = text.slice(-64)
    return write(text)
  })
  // Made where nothing may be interrupted, which a fork inherits.
  const writing = yield* Queue.take(news).pipe(
    Effect.interruptible,
    Effect.zipRight(flush),
    Effect.forever,
    Effect.forkDaemon
  )

  const end = Effect.sync(() => {
    const left = [...changed].filter(([mode, state]) => (state === "h") !== USUALLY_ON.has(mode))
    const restored = left.map(([mode, state]) => `\u001b[?${mode}${state === "h" ? "l" : "h"}`).join("")
    return `\u001b[m${restored}${endsLine(last) ? "" : "\r\n"}`
  })
  const writer: LentWriter = Object.assign((text: string) => Effect.sync(() => take(text)), { now: take })
  return {
    write: writer,
    /** Writes what is left, and answers with what gives the terminal back as it was. */
    finish: Fiber.interrupt(writing).pipe(Effect.zipRight(flush), Effect.zipRight(end))
  }
})

/** Sequences behind the last line break show nothing. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are the subject here.
const endsLine = (text: string): boolean => /\n(?:\u001b\[[0-?]*[@-~]|\r)*$/.test(text)
