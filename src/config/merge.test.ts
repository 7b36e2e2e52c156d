import { describe, expect, test } from "bun:test"
import { FastCheck as fc } from "effect"
import { mergeValues } from "./merge.ts"
import type { Merge } from "./setting.ts"

test.each<[Merge, unknown, unknown, unknown]>([
  ["replace", [1], [2], [2]],
  ["concat", ["a"], ["a", "b"], ["a", "a", "b"]],
  ["union", ["a"], ["b", "a"], ["a", "b"]],
  ["intersection", ["Docs ", "git"], ["docs"], ["Docs "]],
  ["intersection", undefined, ["docs"], ["docs"]],
  ["shallow", { a: { x: 1 } }, { a: { y: 2 }, b: {} }, { a: { y: 2 }, b: {} }],
  ["deep", { a: { x: 1, l: [1] } }, { a: { y: 2, l: [2] } }, { a: { x: 1, y: 2, l: [2] } }],
  ["deep", { a: { x: 1 } }, { a: 5 }, { a: 5 }],
  ["concat", undefined, ["a"], ["a"]]
])("%s %j %j", (strategy, low, high, expected) => expect(mergeValues(strategy, low, high)).toEqual(expected))

const list = fc.array(fc.constantFrom("a", "b", "c", "d"))
const object = fc.dictionary(
  fc.oneof(fc.string(), fc.constantFrom("__proto__", "constructor", "prototype", "x")),
  fc.oneof(fc.integer(), fc.dictionary(fc.constantFrom("x", "__proto__", "y"), fc.integer()))
)

describe("the order of joining does not matter", () => {
  const associates = <A>(strategy: Merge, values: fc.Arbitrary<A>) =>
    test(strategy, () => {
      fc.assert(
        fc.property(values, values, values, (one, two, three) => {
          const left = mergeValues(strategy, mergeValues(strategy, one, two), three)
          expect(left).toEqual(mergeValues(strategy, one, mergeValues(strategy, two, three)))
        })
      )
    })
  associates("replace", list)
  associates("concat", list)
  associates("union", list)
  associates("intersection", list)
  associates("shallow", object)
})

test("deep: the stronger side wins at every place that is not an object on both sides", () => {
  fc.assert(
    fc.property(object, object, (low, high) => {
      const merged: unknown = mergeValues("deep", low, high)
      for (const [name, value] of Object.entries(high)) {
        if (["__proto__", "constructor", "prototype"].includes(name) || typeof value === "object") continue
        expect(merged).toHaveProperty([name], value)
      }
    })
  )
})

test("nothing reaches a prototype, and the inputs are not changed", () => {
  fc.assert(
    fc.property(object, object, fc.constantFrom<Merge>("deep", "shallow"), (low, high, strategy) => {
      const before = JSON.stringify([low, high])
      const merged = mergeValues(strategy, low, high)
      expect(Object.getPrototypeOf(merged)).toBe(Object.prototype)
      expect(Object.hasOwn(Object(merged), "__proto__")).toBe(false)
      expect(JSON.stringify([low, high])).toBe(before)
      expect(Object.keys(Object.prototype)).toEqual([])
    })
  )
  const hostile: unknown = JSON.parse('{"__proto__": {"polluted": true}, "a": {"__proto__": {"polluted": true}}}')
  mergeValues("deep", { a: {} }, hostile)
  expect(Object.hasOwn(Object.prototype, "polluted")).toBe(false)
})
