import { describe, expect, test } from "bun:test"
import { FastCheck as fc } from "effect"
import { visibleLine, visibleText } from "./visible-text.ts"

describe("for a decision", () => {
  test.each([
    ["ls -la", "ls -la"],
    ["a\tb\nc", "a\tb\nc"],
    ["\u001b[2Jrm", "^[[2Jrm"],
    ["safe\rrm -rf /", "safe^Mrm -rf /"],
    ["\u0007\u007f\u0000", "^G^?^@"],
    ["\u009b2J", "<U+009B>2J"],
    ["a\u202eb", "a<U+202E>b"],
    ["pay\u200bpal", "pay<U+200B>pal"],
    ["x\u2028y", "x<U+2028>y"],
    ["a\u00a0b\u3000c", "a<U+00A0>b<U+3000>c"],
    ["tag\u{e0041}", "tag<U+E0041>"],
    ["\u3164", "<U+3164>"],
    ["rm\ufe0f x", "rm<U+FE0F> x"],
    ["a\u2800b", "a<U+2800>b"],
    ["a\ue000b\uffff", "a<U+E000>b<U+FFFF>"],
    ["\ud800", "<U+D800>"],
    ["می\u200cخواهم", "می<U+200C>خواهم"],
    ["👩\u200d💻 1\ufe0f\u20e3", "👩\u200d💻 1\ufe0f\u20e3"],
    ["👩\u200d\u200d💻", "👩<U+200D><U+200D>💻"],
    ["äöü 漢字 👍🏽 ❤\ufe0f", "äöü 漢字 👍🏽 ❤\ufe0f"]
  ])("%j is shown as %j", (text, shown) => expect(visibleText(text)).toBe(shown))

  test("a line has no breaks", () => expect(visibleLine("a\nb\tc")).toBe("a^Jb^Ic"))

  test("nothing in the result acts on a terminal", () => {
    fc.assert(
      fc.property(fc.fullUnicodeString(), (text) => {
        expect(visibleText(text)).not.toMatch(/(?![\n\t\u200d])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u)
      })
    )
  })

  test("what can be seen is kept to the letter", () => {
    fc.assert(fc.property(fc.string(), (text) => expect(visibleText(text)).toBe(text)))
  })
})
