import { describe, expect } from "bun:test"
import { Effect, Fiber, Option, TestClock } from "effect"
import { it } from "../../../test/kit/it.ts"
import { testTerminal } from "../../../test/kit/terminal-device.ts"
import { key, resized, resumed, textInput } from "./key.ts"
import { Keyboard, layer } from "./keyboard.ts"

const withKeyboard = <A, E>(
  raw: boolean,
  body: (terminal: ReturnType<typeof testTerminal>) => Effect.Effect<A, E, Keyboard>
) =>
  Effect.suspend(() => {
    const terminal = testTerminal()
    return body(terminal).pipe(Effect.provide(layer(terminal.device, { raw })), Effect.as(terminal.log))
  })

const take = (count: number) => Effect.flatMap(Keyboard, ({ next }) => Effect.replicateEffect(next, count))
const nothingTyped = Effect.gen(function* () {
  const { typed } = yield* Keyboard
  const waiting = yield* Effect.fork(typed)
  yield* Effect.yieldNow()
  const seen = yield* Fiber.poll(waiting)
  yield* Fiber.interrupt(waiting)
  return Option.isNone(seen)
})

describe("keyboard", () => {
  it.effect("what was typed before anybody reads is kept; Enter of that time still ends a line", () =>
    withKeyboard(true, ({ type }) =>
      Effect.gen(function* () {
        type("/help\nmore")
        type("\n")
        expect(yield* take(4)).toEqual([textInput("/help"), key("enter"), textInput("more"), key("C-j")])
      })
    )
  )

  it.effect("Esc alone is a key once nothing followed", () =>
    withKeyboard(true, ({ type }) =>
      Effect.gen(function* () {
        type("\u001b")
        expect(yield* nothingTyped).toBe(true)
        yield* TestClock.adjust("50 millis")
        expect(yield* take(1)).toEqual([key("esc")])
      })
    )
  )

  it.effect("a sequence that arrives in two pieces is one key", () =>
    withKeyboard(true, ({ type }) =>
      Effect.gen(function* () {
        type("\u001b")
        yield* TestClock.adjust("40 millis")
        type("[A")
        yield* TestClock.adjust("50 millis")
        type("x")
        expect(yield* take(2)).toEqual([key("up"), textInput("x")])
      })
    )
  )

  it.effect("Ctrl-C is taken by whoever waits for it, also one of before; what is typed beside it is kept", () =>
    withKeyboard(true, ({ type }) =>
      Effect.gen(function* () {
        const { cancelled } = yield* Keyboard
        type("a\u0003b")
        yield* cancelled
        const waiting = yield* Effect.fork(cancelled)
        yield* Effect.yieldNow()
        type("c\u0003d")
        yield* Fiber.join(waiting)
        expect(yield* take(3)).toEqual([textInput("a"), textInput("b"), textInput("c")])
        type("\u0003")
        expect(yield* take(2)).toEqual([textInput("d"), key("C-c")])
      })
    )
  )

  it.effect("Ctrl-C ends the program during work at which nothing would be left", () =>
    Effect.map(
      withKeyboard(true, ({ type }) =>
        Effect.gen(function* () {
          const { leaving } = yield* Keyboard
          expect(yield* leaving(Effect.succeed(1))).toBe(1)
          const work = yield* Effect.fork(leaving(Effect.never))
          yield* Effect.yieldNow()
          type("\u0003")
          yield* Effect.yieldNow()
          yield* Fiber.interrupt(work)
        })
      ),
      (log) => expect(log.filter((entry) => entry === "interrupt")).toHaveLength(1)
    )
  )

  it.effect("what somebody else got and did not read is typed here, before what follows", () =>
    withKeyboard(true, ({ type }) =>
      Effect.gen(function* () {
        const keyboard = yield* Keyboard
        const got: Array<string> = []
        const listener = {
          onBytes: (bytes: Uint8Array) => void got.push(new TextDecoder().decode(bytes)),
          onResize: () => {},
          onEnd: () => {},
          unread: () => new TextEncoder().encode("ls\nhalf")
        }
        yield* keyboard.lent(
          listener,
          Effect.sync(() => type("read\rls\rhalf"))
        )
        type(" more")
        expect(got).toEqual(["read\rls\rhalf"])
        expect(yield* take(5)).toEqual([resumed, textInput("ls"), key("enter"), textInput("half"), textInput(" more")])
      })
    )
  )

  it.effect("discarding waits until nobody types, and forgets all of it", () =>
    withKeyboard(true, ({ type }) =>
      Effect.gen(function* () {
        const keyboard = yield* Keyboard
        type("y")
        const discarding = yield* Effect.fork(keyboard.discardTyped)
        yield* TestClock.adjust("200 millis")
        type("\r")
        yield* TestClock.adjust("300 millis")
        expect(Option.isNone(yield* Fiber.poll(discarding))).toBe(true)
        yield* TestClock.adjust("200 millis")
        yield* Fiber.join(discarding)
        expect(yield* nothingTyped).toBe(true)
        type("n")
        expect(yield* take(1)).toEqual([textInput("n")])
      })
    )
  )

  it.effect("the end of input is told again and again, also after discarding", () =>
    withKeyboard(true, ({ hangUp }) =>
      Effect.gen(function* () {
        const keyboard = yield* Keyboard
        hangUp()
        expect((yield* take(2)).map(({ _tag }) => _tag)).toEqual(["Closed", "Closed"])
        const discarding = yield* Effect.fork(keyboard.discardTyped)
        yield* TestClock.adjust("1 second")
        yield* Fiber.join(discarding)
        expect((yield* take(1)).map(({ _tag }) => _tag)).toEqual(["Closed"])
      })
    )
  )

  it.effect("another program gets the terminal in its normal state and gives it back", () =>
    Effect.gen(function* () {
      const log = yield* withKeyboard(true, (terminal) =>
        Effect.gen(function* () {
          const keyboard = yield* Keyboard
          yield* keyboard.released(Effect.sync(() => terminal.log.push("program")))
          expect(yield* take(1)).toEqual([resumed])
        })
      )
      expect(log).toEqual(["raw", "read", "pause", "cooked", "program", "raw", "read", "pause", "cooked"])
    })
  )

  it.effect("Ctrl-Z stops the program with the terminal restored, and is no key", () =>
    Effect.gen(function* () {
      const log = yield* withKeyboard(true, ({ type }) =>
        Effect.gen(function* () {
          type("a\u001ab")
          expect(yield* take(3)).toEqual([textInput("a"), resumed, textInput("b")])
        })
      )
      expect(log).toEqual(["raw", "read", "cooked", "stop", "raw", "pause", "cooked"])
    })
  )

  it.effect("a resize is an input", () =>
    withKeyboard(true, ({ resize }) =>
      Effect.gen(function* () {
        resize()
        expect(yield* take(1)).toEqual([resized])
      })
    )
  )

  it.effect("where the terminal edits lines, every line feed is Enter", () =>
    withKeyboard(false, ({ type }) =>
      Effect.gen(function* () {
        type("one\n")
        type("two\n")
        expect(yield* take(4)).toEqual([textInput("one"), key("enter"), textInput("two"), key("enter")])
      })
    )
  )
})
