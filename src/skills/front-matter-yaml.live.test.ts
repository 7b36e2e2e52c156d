import { expect, test } from "bun:test"
import { Either, FastCheck as fc, Option } from "effect"
import { plainHead } from "./front-matter.ts"
import { yamlHead } from "./front-matter-yaml.live.ts"

test("what is read without a parser is what the parser reads", () => {
  const key = fc.constantFrom("name", "description", "licence", "x-y")
  const word = fc.oneof(
    fc.string({ maxLength: 12 }),
    fc.constantFrom(
      "a: b",
      "true",
      "~",
      "a #b",
      "- x",
      "{a}",
      "'q'",
      "x:",
      "null",
      "1e3",
      "a\tb",
      "|",
      "&a",
      "*a",
      "? x"
    )
  )
  const line = fc.oneof(
    fc.tuple(key, word).map(([name, value]) => `${name}: ${value}`),
    word
  )
  fc.assert(
    fc.property(fc.array(line, { maxLength: 4 }), (lines) => {
      const plain = plainHead(lines)
      if (Option.isNone(plain) || plain.value.size === 0) return
      const parsed = Either.getOrThrow(yamlHead(lines))
      expect(Object.fromEntries(parsed)).toEqual(Object.fromEntries(plain.value))
    }),
    { numRuns: 500 }
  )
})
