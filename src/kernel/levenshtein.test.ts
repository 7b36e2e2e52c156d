import { expect, test } from "bun:test"
import { FastCheck as fc } from "effect"
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
