import { describe, expect, test } from "bun:test"
import { FastCheck as fc } from "effect"
import { climbLadder } from "./ladder.ts"
import { applyEdits } from "./text-edit.ts"

const climb = (content: string, search: string, replacement: string) => {
  const match = climbLadder(content, search, replacement)
  return match === null
    ? null
    : { rung: match.rung, count: match.edits.length, result: applyEdits(content, match.edits) }
}

interface Row {
  readonly name: string
  readonly content: string
  readonly search: string
  readonly replacement: string
  readonly expected: ReturnType<typeof climb>
}

const rows: ReadonlyArray<Row> = [
  {
    name: "exact: one match",
    content: "a b c",
    search: "b",
    replacement: "x",
    expected: { rung: "exact", count: 1, result: "a x c" }
  },
  {
    name: "exact: dollar signs are text",
    content: "a b c",
    search: "b",
    replacement: "$& $1 $$ $`",
    expected: { rung: "exact", count: 1, result: "a $& $1 $$ $` c" }
  },
  {
    name: "exact: every match, without overlaps",
    content: "aaaa",
    search: "aa",
    replacement: "b",
    expected: { rung: "exact", count: 2, result: "bb" }
  },
  {
    name: "exact: a final line break can be taken away",
    content: "one\ntwo\n",
    search: "two\n",
    replacement: "two",
    expected: { rung: "exact", count: 1, result: "one\ntwo" }
  },
  {
    name: "flexible: takes over the indentation that it finds",
    content: "fn {\n    if (x) {\n      y()\n    }\n}\n",
    search: "if (x) {\n  y()\n}",
    replacement: "if (x) {\n  z()\n\n  y()\n}",
    expected: { rung: "flexible", count: 1, result: "fn {\n    if (x) {\n      z()\n\n      y()\n    }\n}\n" }
  },
  {
    name: "flexible: an empty replacement takes the lines away",
    content: "a\n  b  \nc\n",
    search: "b\nc",
    replacement: "",
    expected: { rung: "flexible", count: 1, result: "a\n" }
  },
  {
    name: "flexible: a line break at the end of the search needs no blank line",
    content: "  a\n  b\n",
    search: "a\nb\n",
    replacement: "a\nc\n",
    expected: { rung: "flexible", count: 1, result: "  a\n  c\n" }
  },
  {
    name: "flexible: all windows",
    content: "  a\n  b\nx\n\ta\n\tb\n",
    search: "a\nb",
    replacement: "c",
    expected: { rung: "flexible", count: 2, result: "  c\nx\n\tc\n" }
  },
  {
    name: "token: other blanks and line breaks between the same tokens",
    content: "  call( first,\n    second )\nrest\n",
    search: "call(first, second)",
    replacement: "call()",
    expected: { rung: "token", count: 1, result: "  call()\nrest\n" }
  },
  {
    name: "token: does not swallow lines that the search does not have",
    content: "open (\n\n\n\n) close\n",
    search: "open ( ) close",
    replacement: "x",
    expected: null
  },
  {
    name: "token: a word is found as a whole word only",
    content: "x=bar\n",
    search: "x = b",
    replacement: "y",
    expected: null
  },
  {
    name: "token: two words do not match one",
    content: "ab;\n",
    search: "a  b;",
    replacement: "y",
    expected: null
  },
  {
    name: "fuzzy: a small slip in a long text",
    content: "start\n  const greeting = makeGreeting(person)\nend\n",
    search: "const greeting = makeGreetin(person)",
    replacement: "const greeting = 'hi'",
    expected: { rung: "fuzzy", count: 1, result: "start\n  const greeting = 'hi'\nend\n" }
  },
  {
    name: "fuzzy: too different",
    content: "start\n  const greeting = makeGreeting(person)\nend\n",
    search: "const farewell = makeFarewell(person)",
    replacement: "x",
    expected: null
  },
  {
    name: "fuzzy: a short search must be exact",
    content: "const abcd\n",
    search: "const abc",
    replacement: "x",
    expected: { rung: "exact", count: 1, result: "xd\n" }
  },
  { name: "nothing for a short slip", content: "abc def\n", search: "abx def", replacement: "x", expected: null },
  { name: "blank lines alone match nothing", content: "a\n\n\nb\n", search: "  \n ", replacement: "x", expected: null },
  { name: "an empty file", content: "", search: "a", replacement: "b", expected: null }
]

describe("the matching ladder", () => {
  for (const row of rows) {
    test(row.name, () => expect(climb(row.content, row.search, row.replacement)).toEqual(row.expected))
  }

  test("chooses the best of overlapping near matches", () => {
    const content = "value = compute(alpha, beta)\nvalue = compute(alpha, bet)\n"
    expect(climb(content, "value = compute(alphq, beta)", "x")).toMatchObject({ rung: "fuzzy", count: 2 })
  })

  test("leaves a search that is too long for the file to the other rungs", () => {
    const content = `${"line of some text\n".repeat(4_000)}the real one\n`
    expect(climb(content, `the reel one${"x".repeat(400)}`, "y")).toBeNull()
  })

  test("a long search in a file of equal lines comes to an end", () => {
    const line = "const value = compute(alpha, beta, gamma);\n"
    expect(climb(line.repeat(40_000), `${line.repeat(20_000)}end`, "x")).toBeNull()
    expect(climb("( \n".repeat(200_000), `${"( ".repeat(2_000)})`, "x")).toBeNull()
  })

  const source = fc.array(
    fc.constantFrom("a", "b", "foo", "(", ")", "{", "}", "=", " ", "  ", "\t", "\n", "\r", "$&", "é", "\u2028", "😀"),
    { maxLength: 60 }
  )

  test("never throws, and its edits are ordered and apart", () => {
    fc.assert(
      fc.property(source, source, source, (content, search, replacement) => {
        const match = climbLadder(content.join(""), search.join(""), replacement.join(""))
        let position = 0
        for (const edit of match?.edits ?? []) {
          expect(edit.start).toBeGreaterThanOrEqual(position)
          expect(edit.end).toBeGreaterThanOrEqual(edit.start)
          position = edit.end
        }
        expect(position).toBeLessThanOrEqual(content.join("").length)
      }),
      { numRuns: 1_000 }
    )
  })

  test("finds any part of a text exactly", () => {
    fc.assert(
      fc.property(source, source, fc.nat(), fc.nat(), (content, replacement, from, length) => {
        const text = content.join("")
        const start = text.length === 0 ? 0 : from % text.length
        const search = text.slice(start, start + 1 + (length % 12))
        fc.pre(search !== "")
        expect(climb(text, search, replacement.join(""))).toEqual({
          rung: "exact",
          count: text.split(search).length - 1,
          result: text.split(search).join(replacement.join(""))
        })
      })
    )
  })
})
