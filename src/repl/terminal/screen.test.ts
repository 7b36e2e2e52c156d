import { describe, expect } from "bun:test"
import { Effect } from "effect"
import { it } from "../../../test/kit/it.ts"
import { layer, Screen } from "./screen.ts"
import { plainStyle, type TerminalStyle } from "./terminal-features.ts"

const animated: TerminalStyle = { colors: true, unicode: true, animates: true, links: true }

/** What the terminal gets for these steps, one string for each write. */
const written = (
  steps: (screen: Screen["Type"]) => Effect.Effect<unknown>,
  { columns = 20, isInTmux = false, style = animated } = {}
) =>
  Effect.gen(function* () {
    const writes: Array<string> = []
    yield* Effect.flatMap(Screen, steps).pipe(
      Effect.provide(
        layer({
          write: (text) => Effect.sync(() => void writes.push(text)),
          columns: () => columns,
          style,
          notificationMethod: "osc9",
          isInTmux
        })
      )
    )
    return writes
  })

describe("the temporary line", () => {
  it.effect("is added to as an echo would, and completed by the line that stays", () =>
    Effect.gen(function* () {
      const writes = yield* written((screen) =>
        Effect.gen(function* () {
          yield* screen.edit({ text: "> h" })
          yield* screen.edit({ text: "> hi" })
          yield* screen.edit(undefined)
          yield* screen.edit({ text: "> hi" })
          yield* screen.print("> hi")
        })
      )
      expect(writes).toEqual(["> h", "i", "\r\u001b[K", "> hi", "\n> hi"])
    })
  )

  it.effect("moves below what is printed, in one write", () =>
    Effect.gen(function* () {
      const writes = yield* written((screen) =>
        Effect.gen(function* () {
          yield* screen.show({ text: "working" })
          yield* screen.print("done\nso far")
          yield* screen.show(undefined)
          yield* screen.print("end\n")
        })
      )
      expect(writes).toEqual(["working", "\r\u001b[Kdone\nso far\nworking", "\r\u001b[K", "end\n"])
    })
  )

  it.effect("that has become final is completed, and another one stands below it", () =>
    Effect.gen(function* () {
      const writes = yield* written((screen) =>
        Effect.gen(function* () {
          yield* screen.show({ text: "half" })
          yield* screen.printOver("half a line\n", { text: "next" })
          yield* screen.printOver("next\n", undefined)
        })
      )
      expect(writes).toEqual(["half", " a line\nnext", "\n"])
    })
  )

  it.effect("waits while a line that stays goes on, which nothing interrupts but what must be said", () =>
    Effect.gen(function* () {
      const writes = yield* written((screen) =>
        Effect.gen(function* () {
          yield* screen.printOver("one ", { text: "status" })
          yield* screen.show({ text: "status" })
          yield* screen.printOver("two\n", { text: "status" })
          yield* screen.printOver("three", undefined)
          yield* screen.print("news")
        })
      )
      expect(writes.join("|")).toBe("one |two\nstatus|\r\u001b[Kthree|\nnews\n")
    })
  )

  it.effect("that is edited stands below it: then it goes on in rows, and in peace again afterwards", () =>
    Effect.gen(function* () {
      const writes = yield* written((screen) =>
        Effect.gen(function* () {
          yield* screen.printOver("one ", undefined)
          yield* screen.edit({ text: "> x" })
          yield* screen.printOver("two ", undefined)
          yield* screen.printOver("three four five six ", undefined)
          yield* screen.finishEdit("> x")
          yield* screen.printOver("seven\n", undefined)
        })
      )
      expect(writes.filter((text) => text !== "").join("|")).toBe(
        "one |\n> x|\r\u001b[Ktwo three four five\n> x|\nsix |seven\n"
      )
    })
  )

  it.effect("is cut to the width, in cells and with colours closed", () =>
    Effect.gen(function* () {
      const writes = yield* written((screen) => screen.show({ text: "\u001b[31m漢字漢字漢字\u001b[39m" }), {
        columns: 8
      })
      expect(writes).toEqual(["\u001b[31m漢字漢\u001b[39m"])
    })
  )

  it.effect("shows the cursor where it stands, and only moves it when nothing else changed", () =>
    Effect.gen(function* () {
      const writes = yield* written((screen) =>
        Effect.gen(function* () {
          yield* screen.edit({ text: "> ab", cursor: 3 })
          yield* screen.edit({ text: "> ab", cursor: 2 })
          yield* screen.edit({ text: "> xab", cursor: 3 })
          yield* screen.edit({ text: "> xab" })
        })
      )
      expect(writes).toEqual(["> ab\r\u001b[3C", "\r\u001b[2C", "\r> xab\u001b[K\r\u001b[3C", "\r\u001b[5C"])
    })
  )

  it.effect("of the editor hides the status, which comes back", () =>
    Effect.gen(function* () {
      const writes = yield* written((screen) =>
        Effect.gen(function* () {
          yield* screen.show({ text: "working" })
          yield* screen.edit({ text: "> " })
          yield* screen.show({ text: "still working" })
          yield* screen.edit(undefined)
        })
      )
      expect(writes).toEqual(["working", "\r> \u001b[K", "\rstill working\u001b[K"])
    })
  )
})

describe("a plain terminal", () => {
  it.effect("gets lines and questions, and not one control character", () =>
    Effect.gen(function* () {
      const writes = yield* written(
        (screen) =>
          Effect.gen(function* () {
            yield* screen.show({ text: "spinner" })
            yield* screen.edit({ text: "> " })
            yield* screen.edit({ text: "> " })
            yield* screen.print("in between")
            yield* screen.lineEnded
            yield* screen.print("answer")
            yield* screen.bell
            yield* screen.title("gemini")
            yield* screen.notify("done")
            expect(yield* screen.setClipboard("x")).toBe(false)
          }),
        { style: plainStyle }
      )
      expect(writes.join("")).toBe("> \nin between\n> answer\n")
    })
  )
})

describe("sequences", () => {
  it.effect("carry no control characters of their texts", () =>
    Effect.gen(function* () {
      const writes = yield* written((screen) =>
        Effect.gen(function* () {
          yield* screen.title("a\u0007\u001b[2Jb")
          yield* screen.notify("done\n\u001b]52;c;x\u0007")
          expect(yield* screen.setClipboard("é")).toBe(true)
          expect(yield* screen.setClipboard("x".repeat(100_001))).toBe(false)
        })
      )
      expect(writes).toEqual(["\u001b]2;ab\u0007", "\u001b]9;done\u0007", "\u001b]52;c;w6k=\u0007"])
    })
  )

  it.effect("are wrapped for the terminal around tmux", () =>
    Effect.gen(function* () {
      const writes = yield* written((screen) => screen.setClipboard("x"), { isInTmux: true })
      expect(writes).toEqual(["\u001bPtmux;\u001b\u001b]52;c;eA==\u0007\u001b\\"])
    })
  )
})
