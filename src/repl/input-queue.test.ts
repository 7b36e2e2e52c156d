import { expect, test } from "bun:test"
import { FastCheck as fc } from "effect"
import { takeNext } from "./input-queue.ts"

test.each([
  [["a"], "a", []],
  [["a", "b"], "a\n\nb", []],
  [["a", "/help", "b"], "a", ["/help", "b"]],
  [["/help", "a", "b"], "/help", ["a", "b"]],
  [["!ls", "!pwd"], "!ls", ["!pwd"]],
  [["a", "// comment", "!ls"], "a\n\n// comment", ["!ls"]]
])("%j gives %j first", (queue, line, rest) => expect(takeNext(queue)).toEqual({ line, rest }))

test("an empty queue gives nothing", () => expect(takeNext([])).toBeUndefined())

test("everything comes, in order, and once", () => {
  const line = fc.oneof(fc.string({ minLength: 1 }), fc.constantFrom("/help", "!ls", "hello"))
  fc.assert(
    fc.property(fc.array(line), (lines) => {
      const taken: Array<string> = []
      for (let next = takeNext(lines); next !== undefined; next = takeNext(next.rest)) taken.push(next.line)
      expect(taken.join("\n\n")).toBe(lines.join("\n\n"))
    })
  )
})
