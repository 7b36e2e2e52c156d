import { expect, test } from "bun:test"
import { FastCheck as fc } from "effect"
import { nameGlob, pathGlob } from "./glob-pattern.ts"

test.each([
  ["**/*.ts", "*.[tT][sS]"],
  ["README.md", "[rR][eE][aA][dD][mM][eE].[mM][dD]"],
  ["src/a_?-1.{c,h}", "[aA]_?-1.{[cC],[hH]}"],
  ["*", undefined],
  ["src/**", undefined],
  ["src/**.ts", undefined],
  ["src/", undefined],
  ["[a-z].ts", undefined],
  ["{a/b,c}.ts", undefined],
  ["{a/b.ts,c}", undefined],
  ["{,x}.ts", undefined],
  ["!a.ts", undefined],
  ["a\\*.ts", undefined],
  ["größe.ts", undefined],
  ["a b.ts", undefined]
])("the names that %s asks for are %p", (pattern, expected) => {
  expect(nameGlob(pattern)).toBe(expected)
})

test("no path that matches has another name", () => {
  const piece = fc.constantFrom("a", "B", ".", "*", "?", "**", "/", "{a,b}", "{a/b,B}", "-", "_1")
  const text = fc.array(piece, { minLength: 1, maxLength: 5 }).map((pieces) => pieces.join(""))
  const path = fc.stringMatching(/^[abAB1_./-]{1,8}$/)
  fc.assert(
    fc.property(text, path, (pattern, candidate) => {
      const names = nameGlob(pattern)
      if (names === undefined || !pathGlob(pattern, { base: "/nowhere", isCaseSensitive: false })(candidate)) return
      expect(new Bun.Glob(names).match(candidate.slice(candidate.lastIndexOf("/") + 1))).toBe(true)
    }),
    { numRuns: 3000 }
  )
})
