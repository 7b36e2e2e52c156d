import { expect, test } from "bun:test"
import { FastCheck as fc } from "effect"
import { parseDotenv } from "../config/dotenv.ts"
import { setVariable, valueFault } from "./dotenv-edit.ts"

test.each([
  ["", "A", "1", "A=1\n"],
  ["# mine\nB=2\n", "A", "with space", '# mine\nB=2\nA="with space"\n'],
  ["A=1\nB=2\n", "A", "3", "A=3\nB=2\n"],
  ["export A=1\nB=2", "A", "3", "A=3\nB=2\n"],
  ["A=1\nB=2\nA=4\n", "A", "3", "A=3\nB=2\n"],
  ["AB=1\n", "A", "2", "AB=1\nA=2\n"],
  ["A=1\nB=2\n", "A", undefined, "B=2\n"],
  ["A=1\n", "A", undefined, ""]
])("%j with %s=%s becomes %j", (text, name, value, expected) => {
  expect(setVariable(text, name, value)).toBe(expected)
})

test("every value that is allowed comes back as it was, and others stay", () => {
  const value = fc
    .string({ unit: "binary" })
    .filter((text) => valueFault(text) === undefined && !/[\u2028\u2029\ud800-\udfff]/.test(text))
  fc.assert(
    fc.property(value, (text) => {
      const read = parseDotenv(setVariable("OTHER=x\n", "NAME", text))
      expect(read).toEqual({ OTHER: "x", NAME: text })
    })
  )
})
