import { expect, test } from "bun:test"
import { oneLine } from "./one-line.ts"

test.each<[string, string]>([
  ["plain", "plain"],
  ["  a\n\t b\u001b[31m ", "a b [31m"],
  ["two  blanks", "two  blanks"],
  ["0123456789", "0123456789"],
  ["0123456789x", "0123456..."],
  ["\n", ""]
])("%j", (text, line) => expect(oneLine(text, 10 + (text.startsWith("two") ? 10 : 0))).toBe(line))
