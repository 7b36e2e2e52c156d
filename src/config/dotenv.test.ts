import { describe, expect, test } from "bun:test"
import { FastCheck as fc } from "effect"
import { parseDotenv } from "./dotenv.ts"

describe("values", () => {
  test.each<[string, string, Record<string, string>]>([
    ["bare", "A=1", { A: "1" }],
    ["empty", "A=\nB=2", { A: "", B: "2" }],
    ["spaces around", "  A =  one two  \n", { A: "one two" }],
    ["export", "export A=1\nexport\tB=2", { A: "1", B: "2" }],
    ["colon", "A: 1", { A: "1" }],
    ["dots and dashes in names", "my.app-name=x", { "my.app-name": "x" }],
    ["comment lines", "# A=1\n  # B=2\nC=3", { C: "3" }],
    ["comment behind a bare value", "A=1 # one\nB=a#b", { A: "1", B: "a" }],
    ["comment behind a quoted value", "A=\"1 # x\" # y\nB='#'", { A: "1 # x", B: "#" }],
    ["equals signs in the value", "A=b=c==", { A: "b=c==" }],
    ["single quotes are literal", "A='a\\n$B'", { A: "a\\n$B" }],
    ["double quotes know escapes", 'A="a\\nb\\tc\\\\d\\"e"', { A: 'a\nb\tc\\d"e' }],
    ["unknown escapes stay", 'A="\\d\\$"', { A: "\\d\\$" }],
    ["backticks hold both quotes", "A=`'\"`", { A: "'\"" }],
    ["lines inside double quotes", 'A="-----BEGIN\nabc\n-----END"\nB=2', { A: "-----BEGIN\nabc\n-----END", B: "2" }],
    ["lines inside single quotes", "A='1\n2'\nB=3", { A: "1\n2", B: "3" }],
    ["a quote without an end is a bare value", 'A="open\nB=2', { A: '"open', B: "2" }],
    ["an apostrophe inside", "A=it's\nB=2", { A: "it's", B: "2" }],
    ["CRLF", 'A=1\r\nB="2\r\n3"\r\n', { A: "1", B: "2\n3" }],
    ["byte order mark", "\uFEFFA=1", { A: "1" }],
    ["the last one counts", "A=1\nA=2", { A: "2" }],
    ["lines that are nothing", "just words\n=1\n1A=2\nB=3", { B: "3" }],
    ["text behind a closing quote is dropped", 'A="x"y\nB=2', { A: "x", B: "2" }]
  ])("%s", (_, text, expected) => expect(parseDotenv(text)).toEqual(expected))
})

test("what is written in quotes comes back", () => {
  fc.assert(
    fc.property(fc.string(), (value) => {
      const quoted = value.replace(/[\\"]/g, (unit) => `\\${unit}`)
      fc.pre(!/\r/.test(value))
      expect(parseDotenv(`BEFORE=1\nA="${quoted}"\nAFTER=2`)).toEqual({ BEFORE: "1", A: value, AFTER: "2" })
    })
  )
})

test("any text is read, and a prototype stays what it is", () => {
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom(..."A=\"'`#\\\n\r :exportB") }), (text) => void parseDotenv(text))
  )
  expect(Object.hasOwn(parseDotenv("__proto__=x"), "__proto__")).toBe(true)
  expect(Object.getPrototypeOf(parseDotenv("__proto__=x"))).toBe(Object.prototype)
})

test("a hundred thousand open quotes take no time", () => {
  const text = 'A="\n'.repeat(20_001)
  expect(Object.keys(parseDotenv(text))).toEqual(["A"])
})
