import { expect, test } from "bun:test"
import { FastCheck as fc } from "effect"
import { closestName, closestNames, editDistance } from "./closest-name.ts"

test.each<[string, string, number]>([
  ["", "", 0],
  ["abc", "abc", 0],
  ["", "abc", 3],
  ["modle", "model", 1],
  ["kitten", "sitting", 3]
])("%p to %p takes %d edits", (left, right, edits) => expect(editDistance(left, right)).toBe(edits))

test("the distance is the same both ways, and zero only for equal names", () => {
  const word = fc.string({ maxLength: 12 })
  fc.assert(
    fc.property(word, word, (left, right) => {
      expect(editDistance(left, right)).toBe(editDistance(right, left))
      expect(editDistance(left, right) === 0).toBe(left === right)
    })
  )
})

test("nearest first, strangers left out", () => {
  const known = ["model.name", "model.names", "tools.core"]
  expect(closestNames("model.nam", known)).toEqual(["model.name", "model.names"])
  expect(closestNames("MODEL.NAME", known, 1)).toEqual(["model.name"])
  expect(closestNames("something else", known)).toEqual([])
  expect(closestNames("x".repeat(1_000_000), known)).toEqual([])
})

test.each<[string, ReadonlyArray<string>, string | undefined]>([
  ["lst", ["get", "list"], "list"],
  ["conf", ["completion", "config"], "config"],
  ["co", ["completion", "config"], undefined],
  ["MODLE", ["model"], "model"],
  ["xyz", ["get", "set"], undefined],
  ["x".repeat(1_000_000), ["list"], undefined],
  ["list", [], undefined]
])("%p among %p most likely means %p", (typed, names, meant) => expect(closestName(typed, names)).toBe(meant))
