import { describe, expect } from "bun:test"
import { Effect, Fiber, TestClock } from "effect"
import { atDesk, prompt, settle } from "../../../test/kit/editor-desk.ts"
import { it } from "../../../test/kit/it.ts"

describe("a line", () => {
  it.effect("is echoed key by key and stays when it is sent", () =>
    atDesk((desk, editor) =>
      Effect.gen(function* () {
        const reading = yield* Effect.fork(editor.readLine({ prompt }))
        yield* settle
        for (const character of "hello") yield* desk.type(character)
        expect(desk.written).toEqual(["> ", "h", "e", "l", "l", "o"])
        yield* desk.type("\r")
        expect(yield* Fiber.join(reading)).toEqual({ _tag: "Line", text: "hello" })
        expect(desk.lines()).toEqual(["> hello", ""])
        expect(desk.written.join("")).toBe("> hello\n")
      })
    )
  )

  it.effect("that is too long scrolls in its row and is printed whole", () =>
    atDesk(
      (desk, editor) =>
        Effect.gen(function* () {
          const reading = yield* Effect.fork(editor.readLine({ prompt }))
          const text = "abcdefghijklmnopqrstuvwxyz"
          for (const character of text) yield* desk.type(character)
          expect(desk.lines().at(-1)).toMatch(/^> <[a-z]+z$/)
          yield* desk.type("\u0001")
          expect([desk.lines().at(-1), desk.cursor()]).toEqual(["> abcdefghijklmnop>", 2])
          yield* desk.type("\r")
          expect(yield* Fiber.join(reading)).toEqual({ _tag: "Line", text })
          expect(desk.lines()).toEqual(["> abcdefghijklmnopqr", "stuvwxyz", ""])
        }),
      { columns: 20 }
    )
  )

  it.effect("with wide characters has its cursor in the right cell", () =>
    atDesk((desk, editor) =>
      Effect.gen(function* () {
        yield* Effect.fork(editor.readLine({ prompt }))
        yield* desk.type("漢字👨‍👩‍👧x\u001b[D\u001b[D")
        expect([desk.lines().at(-1), desk.cursor()]).toEqual(["> 漢字👨‍👩‍👧x", 6])
      })
    )
  )

  it.effect("ends by Ctrl-C, Ctrl-D, Esc and a terminal that is gone", () =>
    atDesk((desk, editor) =>
      Effect.gen(function* () {
        const read = Effect.fork(editor.readLine({ prompt }))
        const interrupted = yield* read
        yield* desk.type("abc\u0003")
        expect(yield* Fiber.join(interrupted)).toEqual({ _tag: "Interrupted", clearedText: true })
        const ended = yield* read
        yield* desk.type("\u0004")
        expect(yield* Fiber.join(ended)).toEqual({ _tag: "EndOfInput" })
        const escaped = yield* read
        yield* desk.type("\u001b")
        yield* TestClock.adjust("50 millis")
        expect(yield* Fiber.join(escaped)).toEqual({ _tag: "Escaped" })
        expect(desk.lines()).toEqual(["> abc^C", ">", ""])
      })
    )
  )

  it.effect("of a secret is neither shown nor kept for yanking", () =>
    atDesk((desk, editor) =>
      Effect.gen(function* () {
        const secret = yield* Effect.fork(editor.readLine({ prompt: () => "key: ", isSecret: true, multiLine: false }))
        yield* desk.type("AIza-secret\u0015AIza-other\r")
        expect(yield* Fiber.join(secret)).toEqual({ _tag: "Line", text: "AIza-other" })
        yield* Effect.fork(editor.readLine({ prompt }))
        yield* desk.type("\u0019")
        expect(desk.lines()).toEqual(["key:", ">"])
      })
    )
  )
})

describe("several lines", () => {
  it.effect("finished ones stay above, the last one is edited", () =>
    atDesk((desk, editor) =>
      Effect.gen(function* () {
        const reading = yield* Effect.fork(editor.readLine({ prompt }))
        yield* desk.type("one\\\rtwo\nth")
        expect(desk.lines()).toEqual(["> one", ". two", ". th"])
        yield* desk.type("ree\r")
        expect(yield* Fiber.join(reading)).toEqual({ _tag: "Line", text: "one\ntwo\nthree" })
        expect(desk.lines()).toEqual(["> one", ". two", ". three", ""])
      })
    )
  )

  it.effect("a paste is shown whole and waits for Enter", () =>
    atDesk((desk, editor) =>
      Effect.gen(function* () {
        const reading = yield* Effect.fork(editor.readLine({ prompt }))
        yield* desk.type("see \u001b[200~a\r\nb\r\nc\u001b[201~")
        expect(desk.lines()).toEqual(["> see a", ". b", ". c"])
        yield* desk.type("\r")
        expect(yield* Fiber.join(reading)).toEqual({ _tag: "Line", text: "see a\nb\nc" })
      })
    )
  )

  it.effect("a finished line that is changed after all is shown in the row, and all of it printed again", () =>
    atDesk((desk, editor) =>
      Effect.gen(function* () {
        const reading = yield* Effect.fork(editor.readLine({ prompt }))
        yield* desk.type("one\ntwo\u001b[A!")
        expect(desk.lines()).toEqual(["> one", "> one!↵two"])
        yield* desk.type("\r")
        expect(yield* Fiber.join(reading)).toEqual({ _tag: "Line", text: "one!\ntwo" })
        expect(desk.lines()).toEqual(["> one", "> one!", ". two", ""])
      })
    )
  )

  it.effect("one from the history is edited in one row", () =>
    atDesk((desk, editor) =>
      Effect.gen(function* () {
        const history = { entries: Effect.succeed(["a\nb"]), add: () => Effect.void }
        yield* Effect.fork(editor.readLine({ prompt, history }))
        yield* desk.type("\u001b[A")
        expect(desk.lines()).toEqual(["> a↵b"])
      })
    )
  )
})
