import { describe, expect, test } from "bun:test"
import { FastCheck } from "effect"
import { escapedPath, readingsOf, splitReferences } from "./references.ts"

const referencesIn = (prompt: string): ReadonlyArray<string> =>
  splitReferences(prompt).flatMap((piece) => (piece._tag === "Reference" ? [piece.written] : []))

describe("what counts as a reference", () => {
  test.each<[string, ReadonlyArray<string>]>([
    ["explain @src/a.ts", ["src/a.ts"]],
    ["see @a.ts.", ["a.ts"]],
    ["see @a.ts. And @b.ts", ["a.ts", "b.ts"]],
    ["(@x.md), @y.md; @z.md! @v?", ["x.md", "y.md", "z.md", "v"]],
    ["a@b.com", ["b.com"]],
    ["@my\\ file.txt rest", ["my\\ file.txt"]],
    ['@"my file.txt" rest', ['"my file.txt"']],
    ['@dir/"a b".ts', ['dir/"a b".ts']],
    ["\\@nothing", []],
    ["@", []],
    ["@ a", []],
    ["@src/*.ts", ["src/*.ts"]],
    ["@a[1]", ["a"]],
    ["@a\u202fb.png", ["a\u202fb.png"]],
    ["@a.ts\n@b.ts", ["a.ts", "b.ts"]],
    ["no reference", []]
  ])("%p", (prompt, expected) => {
    expect(referencesIn(prompt)).toEqual(expected)
  })

  test("text between references is kept, and an escaped @ loses its backslash", () => {
    expect(splitReferences("mail \\@bob about @a.ts, now")).toEqual([
      { _tag: "Text", text: "mail @bob about " },
      { _tag: "Reference", written: "a.ts", isMidWord: false },
      { _tag: "Text", text: ", now" }
    ])
  })

  test("nothing is lost: the pieces make up the prompt", () => {
    FastCheck.assert(
      FastCheck.property(
        FastCheck.string({ unit: FastCheck.constantFrom("@", "a", ".", " ", '"', "(", "\n") }),
        (prompt) => {
          const joined = splitReferences(prompt)
            .map((piece) => (piece._tag === "Text" ? piece.text : `@${piece.written}`))
            .join("")
          expect(joined).toBe(prompt)
        }
      )
    )
  })

  test("an escaped path is read back as itself", () => {
    FastCheck.assert(
      FastCheck.property(FastCheck.stringMatching(/^[ a-z/,;()[\]{}!?-]{1,20}[a-z]$/), (path) => {
        expect(referencesIn(`see @${escapedPath(path)} now`)).toEqual([escapedPath(path)])
        expect(readingsOf(escapedPath(path))[0]?.path).toBe(path)
      })
    )
  })
})

describe("ways to read a reference, the most literal first", () => {
  test.each<[string, ReturnType<typeof readingsOf>]>([
    ["a.ts", [{ path: "a.ts", range: undefined, rest: "" }]],
    [
      "a.ts:10-20",
      [
        { path: "a.ts:10-20", range: undefined, rest: "" },
        { path: "a.ts", range: { start: 10, end: 20 }, rest: "" }
      ]
    ],
    [
      "a.ts:7",
      [
        { path: "a.ts:7", range: undefined, rest: "" },
        { path: "a.ts", range: { start: 7, end: 7 }, rest: "" }
      ]
    ],
    ["a.ts:9-3", [{ path: "a.ts:9-3", range: undefined, rest: "" }]],
    [
      "a.ts:",
      [
        { path: "a.ts:", range: undefined, rest: "" },
        { path: "a.ts", range: undefined, rest: ":" }
      ]
    ],
    ['"a b".ts', [{ path: "a b.ts", range: undefined, rest: "" }]],
    ["src\\main.ts", [{ path: "src\\main.ts", range: undefined, rest: "" }]]
  ])("%p", (written, expected) => {
    expect(readingsOf(written)).toEqual(expected)
  })
})
