import { expect, test } from "bun:test"
import { FastCheck as fc } from "effect"
import { initialState, inserted } from "./edit-state.ts"
import { isLongPaste, unfolded, withLongPaste } from "./long-paste.ts"

const lines = (count: number) => Array.from({ length: count }, (_, line) => `line ${line}`).join("\n")

test.each<[string, boolean]>([
  ["a few words", false],
  [lines(5), false],
  [lines(6), true],
  ["x".repeat(501), true]
])("%#: what is long", (text, isLong) => expect(isLongPaste(text)).toBe(isLong))

test("stands in the line as a mark, and in what is sent as itself", () => {
  const before = inserted(initialState({}), "look at ")
  const once = withLongPaste(before, lines(3000))
  expect(once.text).toBe("look at [pasted 3,000 lines]")
  const twice = withLongPaste(withLongPaste(once, lines(3000).toUpperCase()), "x".repeat(1200))
  expect(twice.text).toBe("look at [pasted 3,000 lines][pasted 3,000 lines, 2][pasted 1,200 characters]")
  expect(unfolded(twice)).toBe(`look at ${lines(3000)}${lines(3000).toUpperCase()}${"x".repeat(1200)}`)
})

test("whatever is pasted arrives, also marks and replacement patterns", () => {
  const piece = fc.oneof(fc.string(), fc.constantFrom("$&", "[pasted 6 lines]", lines(6), "x".repeat(600)))
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 6 }), (pieces) => {
      const long = pieces.filter(isLongPaste)
      const state = long.reduce(withLongPaste, initialState({}))
      expect(unfolded(state)).toBe(long.join(""))
    })
  )
})
