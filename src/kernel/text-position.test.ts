import { expect, test } from "bun:test"
import { positionAt } from "./text-position.ts"

test.each<[string, number, number, number]>([
  ["", 0, 1, 1],
  ["abc", 2, 1, 3],
  ["a\nb", 2, 2, 1],
  ["a\r\nbc", 4, 2, 2],
  ["a\rb", 2, 2, 1],
  ["a\n\nb", 3, 3, 1],
  ["ab", 99, 1, 3]
])("%j at %d is line %d, column %d", (text, offset, line, column) =>
  expect(positionAt(text, offset)).toEqual({ line, column })
)
