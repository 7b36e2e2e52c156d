import { describe, expect } from "bun:test"
import { Effect, Fiber } from "effect"
import { atDesk, prompt, settle } from "../../../test/kit/editor-desk.ts"
import { it } from "../../../test/kit/it.ts"
import * as Screen from "../terminal/screen.ts"

describe("a reading that nobody waits for any more", () => {
  it.effect("leaves no line behind", () =>
    atDesk((desk, editor) =>
      Effect.gen(function* () {
        const screen = yield* Screen.Screen
        const reading = yield* Effect.fork(editor.readLine({ prompt: () => "> " }))
        yield* desk.type("half a line")
        yield* Fiber.interrupt(reading)
        yield* screen.print("Goodbye.")
        expect(desk.lines().filter((line) => line !== "")).toEqual(["Goodbye."])
      })
    )
  )

  it.effect("leaves what was typed to the next one, but not to a question", () =>
    atDesk((desk, editor) =>
      Effect.gen(function* () {
        const first = yield* Effect.fork(editor.readLine({ prompt }))
        yield* desk.type("half a line")
        yield* Fiber.interrupt(first)
        const question = yield* Effect.fork(editor.readLine({ prompt: () => "Allow? ", multiLine: false }))
        yield* desk.type("y\r")
        expect(yield* Fiber.join(question)).toEqual({ _tag: "Line", text: "y" })
        const second = yield* Effect.fork(editor.readLine({ prompt, initial: "a draft" }))
        yield* desk.type(" and more\r")
        expect(yield* Fiber.join(second)).toEqual({ _tag: "Line", text: "a draft\n\nhalf a line and more" })
      })
    )
  )
})

describe("while something runs", () => {
  it.effect("an empty line leaves its place to the status, a typed one does not, and both survive prints", () =>
    atDesk((desk, editor) =>
      Effect.gen(function* () {
        const screen = yield* Screen.Screen
        yield* editor.setBusy(true)
        yield* screen.show({ text: "working" })
        yield* Effect.fork(editor.readLine({ prompt }))
        yield* settle
        expect(desk.lines()).toEqual(["working"])
        yield* desk.type("nex")
        expect(desk.lines()).toEqual(["> nex"])
        yield* screen.print("an answer")
        yield* desk.type("t")
        expect(desk.lines()).toEqual(["an answer", "> next"])
        yield* screen.show(undefined)
        yield* editor.setBusy(false)
        expect(desk.lines()).toEqual(["an answer", "> next"])
      })
    )
  )

  it.effect("a question covers the line and gives it back", () =>
    atDesk((desk, editor) =>
      Effect.gen(function* () {
        yield* editor.setBusy(true)
        const line = yield* Effect.fork(editor.readLine({ prompt }))
        yield* desk.type("half")
        const question = yield* Effect.fork(editor.readLine({ prompt: () => "Allow? ", multiLine: false }))
        yield* settle
        yield* desk.type("y")
        expect(desk.lines()).toEqual(["Allow? y"])
        yield* desk.type("\r")
        expect(yield* Fiber.join(question)).toEqual({ _tag: "Line", text: "y" })
        yield* desk.type(" done\r")
        expect(yield* Fiber.join(line)).toEqual({ _tag: "Line", text: "half done" })
        expect(desk.lines()).toEqual(["Allow? y", "> half done", ""])
      })
    )
  )

  it.effect("an answer that is typed as soon as the question can be read reaches the question", () =>
    atDesk((desk, editor) =>
      Effect.gen(function* () {
        const screen = yield* Screen.Screen
        const line = yield* Effect.fork(editor.readLine({ prompt }))
        yield* desk.type("half")
        const heading = Effect.zipRight(screen.print("Really?"), desk.type("y\r"))
        const question = { prompt: () => "y/n: ", multiLine: false, heading }
        expect(yield* editor.readLine(question)).toEqual({ _tag: "Line", text: "y" })
        yield* desk.type("\r")
        expect(yield* Fiber.join(line)).toEqual({ _tag: "Line", text: "half" })
        expect(desk.lines()).toEqual(["Really?", "y/n: y", "> half", ""])
      })
    )
  )
})
