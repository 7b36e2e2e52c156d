import { describe, expect } from "bun:test"
import { Effect, Fiber } from "effect"
import { atDesk, prompt, settle } from "../../../test/kit/editor-desk.ts"
import { it } from "../../../test/kit/it.ts"
import * as Screen from "../terminal/screen.ts"
import { plainStyle } from "../terminal/terminal-features.ts"

describe("where the terminal edits lines", () => {
  const plain = { style: plainStyle }

  it.effect("nothing but the prompt is written", () =>
    atDesk(
      (desk, editor) =>
        Effect.gen(function* () {
          const reading = yield* Effect.fork(editor.readLine({ prompt }))
          yield* desk.type("one\\\n")
          yield* desk.type("two\n")
          expect(yield* Fiber.join(reading)).toEqual({ _tag: "Line", text: "one\ntwo" })
          expect(desk.written).toEqual(["> ", ". "])
        }),
      plain
    )
  )

  it.effect("the end of input ends it, and a question is asked again after a print", () =>
    atDesk(
      (desk, editor) =>
        Effect.gen(function* () {
          const screen = yield* Screen.Screen
          yield* Effect.fork(editor.readLine({ prompt: () => "Allow? ", multiLine: false }))
          yield* settle
          yield* screen.print("news")
          expect(desk.written.join("")).toBe("Allow? \nnews\nAllow? ")
        }),
      plain
    )
  )

  it.effect("no prompt stands between the lines of an answer", () =>
    atDesk(
      (desk, editor) =>
        Effect.gen(function* () {
          const screen = yield* Screen.Screen
          yield* editor.setBusy(true)
          yield* Effect.fork(editor.readLine({ prompt }))
          yield* settle
          yield* screen.print("answer")
          yield* editor.setBusy(false)
          expect(desk.written.join("")).toBe("answer\n> ")
        }),
      plain
    )
  )

  it.effect("a text to go on with is shown, sent by Enter alone, and followed by what is typed", () =>
    atDesk(
      (desk, editor) =>
        Effect.gen(function* () {
          const read = (keys: string) =>
            Effect.gen(function* () {
              const reading = yield* Effect.fork(editor.readLine({ prompt, initial: "one\ntwo" }))
              yield* settle
              yield* desk.type(keys)
              return yield* Fiber.join(reading)
            })
          expect(yield* read("\n")).toEqual({ _tag: "Line", text: "one\ntwo" })
          expect(desk.written.join("")).toBe("> one\n. two\n. ")
          expect(yield* read("three\n")).toEqual({ _tag: "Line", text: "one\ntwo\nthree" })
        }),
      plain
    )
  )
})
