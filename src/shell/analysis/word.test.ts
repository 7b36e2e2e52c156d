import { describe, expect, test } from "bun:test"
import { FastCheck } from "effect"
import { joinWords, literalWord, quote, resolveWord } from "./word.ts"

describe("resolveWord", () => {
  const values: ReadonlyArray<readonly [string, string]> = [
    ["rm", "rm"],
    ["r\\m", "rm"],
    ["'rm'", "rm"],
    ['"r"m', "rm"],
    ["r''m", "rm"],
    ["a\\ b", "a b"],
    ['"a \\" b"', 'a " b'],
    ['"a \\n b"', "a \\n b"],
    ["$'\\x72m'", "rm"],
    ["$'\\162\\155'", "rm"],
    ["$'\\u0072m'", "rm"],
    ["$'a\\tb\\n'", "a\tb\n"],
    ["a$", "a$"],
    ["{}", "{}"]
  ]
  test.each(values)("%p is %p", (raw, value) => {
    const word = resolveWord(raw)
    expect(word.value).toBe(value)
    expect(word.dynamic).toEqual([])
    expect(word.isMalformed).toBe(false)
  })

  const dynamics: ReadonlyArray<readonly [string, ReadonlyArray<string>]> = [
    ["$HOME/x", ["HOME"]],
    ['"$a$b"', ["a", "b"]],
    ["rm$IFS-rf", ["IFS"]],
    ["$(ls)", ["$(…)"]],
    ["x`ls`", ["$(…)"]],
    [["$", "{x:-$(ls)}"].join(""), ["x"]],
    ["{a,b}", ["{…}"]],
    ["{1..3}", ["{…}"]],
    ["<(ls)", ["<(…)"]],
    ["@(a|b)", ["{…}"]],
    ["'{a,b}'", []],
    ["'$x'", []]
  ]
  test.each(dynamics)("%p depends on %p", (raw, dynamic) => expect(resolveWord(raw).dynamic).toEqual([...dynamic]))

  test("marks globs, tildes and escapes", () => {
    expect([resolveWord("*.ts").hasGlob, resolveWord("'*'").hasGlob]).toEqual([true, false])
    expect([resolveWord("~/x").hasTilde, resolveWord("'~'").hasTilde]).toEqual([true, false])
    expect(resolveWord("$'a'").hasAnsiC).toBe(true)
  })

  test.each(["a;b", "a b", "a&b", "'open", '"open'])("%p is no single word", (raw) =>
    expect(resolveWord(raw).isMalformed).toBe(true)
  )

  test("quoting and resolving are inverse", () =>
    FastCheck.assert(
      FastCheck.property(FastCheck.string(), (value) => {
        const word = resolveWord(quote(value))
        expect({ value: word.value, dynamic: word.dynamic, isMalformed: word.isMalformed }).toEqual({
          value,
          dynamic: [],
          isMalformed: false
        })
      })
    ))

  test("never throws", () =>
    FastCheck.assert(FastCheck.property(FastCheck.string({ unit: "binary" }), (raw) => void resolveWord(raw))))

  test("joined words keep their borders", () =>
    expect(joinWords([literalWord("git status"), literalWord("x")])).toBe("'git status' x"))
})
