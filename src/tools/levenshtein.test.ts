import { expect, test } from "bun:test"
import { FastCheck as fc } from "effect"
import { closestNames, unknownToolMessage } from "./closest-name.ts"
import { levenshtein } from "./levenshtein.ts"

/** The textbook recursion, as a second opinion. */
const slow = (left: string, right: string): number => {
  if (left === "" || right === "") return left.length + right.length
  const rest = slow(left.slice(1), right.slice(1))
  if (left[0] === right[0]) return rest
  return 1 + Math.min(rest, slow(left.slice(1), right), slow(left, right.slice(1)))
}

const word = fc.array(fc.constantFrom("a", "b", "c"), { maxLength: 6 }).map((letters) => letters.join(""))

test("agrees with the definition, with and without a bound", () => {
  fc.assert(
    fc.property(word, word, fc.nat({ max: 7 }), (left, right, limit) => {
      const distance = slow(left, right)
      expect(levenshtein(left, right)).toBe(distance)
      expect(levenshtein(left, right, limit)).toBe(Math.min(distance, limit + 1))
    })
  )
})

test("the closest names come nearest first, and no more than three", () => {
  const names = ["write_file", "read_file", "glob", "read_many_files", "replace"]
  expect(closestNames("read_fil", names)).toEqual(["read_file", "write_file", "replace"])
})

test("an unknown tool is answered with names that exist", () => {
  expect(unknownToolMessage("golb", ["glob", "replace"])).toBe(
    'Tool "golb" not found. The closest available names are: "glob", "replace".'
  )
  expect(unknownToolMessage("x", [])).toBe('Tool "x" not found. No tools are available.')
})
