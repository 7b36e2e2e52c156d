import { describe, expect, test } from "bun:test"
import { Either, FastCheck as fc } from "effect"
import { newOmissionPlaceholders, omissionPlaceholders } from "./omission.ts"
import { type ReplacementRequest, replaceIn } from "./propose-edit.ts"

const request = (search: string, replacement: string, more: Partial<ReplacementRequest> = {}): ReplacementRequest => ({
  path: "/w/a.txt",
  search,
  replacement,
  allowMultiple: false,
  ...more
})

const contentAfter = (content: string, asked: ReplacementRequest) =>
  Either.match(replaceIn(content, asked), {
    onLeft: (failure) => failure.type as string,
    onRight: (done) => done.newContent
  })

describe("replacing in a text", () => {
  test.each([
    ["one match", "a b", request("b", "c"), "a c"],
    ["no match", "a b", request("zzz", "c"), "edit_no_occurrence_found"],
    ["too many matches", "b b", request("b", "c"), "edit_expected_occurrence_mismatch"],
    ["every match when allowed", "b b", request("b", "c", { allowMultiple: true }), "c c"],
    ["the expected number", "b b", request("b", "c", { expected: 2 }), "c c"],
    ["another number than expected", "b b b", request("b", "c", { expected: 2 }), "edit_expected_occurrence_mismatch"],
    ["identical texts", "a b", request("b", "b"), "edit_no_change"],
    ["identical but for line endings", "a\r\nb", request("a\r\nb", "a\nb"), "edit_no_change"],
    ["re-indented to what was there", "  b\n  c\n", request("b\n c", "b\nc"), "edit_no_change"]
  ])("%s", (_, content, asked, expected) => expect(contentAfter(content, asked)).toBe(expected))

  test("tells the rung and the lines", () => {
    const done = Either.getOrThrow(replaceIn("x\n  a\n  b\ny\n", request("a\nb", "c")))
    expect(done).toEqual({ newContent: "x\n  c\ny\n", occurrences: 1, rung: "flexible", lineRanges: [[2, 3]] })
  })

  test.each([
    ["CRLF file", "a\r\nb\r\nc\r\n", "b", "x\ny", "a\r\nx\r\ny\r\nc\r\n"],
    ["mixed: the place of the edit decides", "a\r\nb\nc\r\nd\n", "b", "x\ny", "a\r\nx\ny\nc\r\nd\n"],
    ["mixed: in the other part", "a\r\nb\nc\r\nd\n", "c", "x\ny", "a\r\nb\nx\r\ny\r\nd\n"],
    ["search over a CRLF", "a\r\nb\r\nc", "a\nb", "z", "z\r\nc"],
    ["search with CRLF in an LF file", "a\nb\nc", "a\r\nb", "z\r\ny", "z\ny\nc"],
    ["last line without an ending", "a\r\nb", "b", "x\ny", "a\r\nx\r\ny"]
  ])("line endings: %s", (_, content, search, replacement, expected) =>
    expect(contentAfter(content, request(search, replacement))).toBe(expected)
  )

  const PIECES = ["a", "b", "cc", " ", "\n", "\r\n", "é", "$1", "😀"]
  const textOf = (pieces: ReadonlyArray<string>) =>
    fc.array(fc.constantFrom(...pieces), { maxLength: 40 }).map((parts) => parts.join(""))
  const text = textOf([...PIECES, "\r"])

  test("nothing outside an exact match changes, whatever the line endings", () => {
    fc.assert(
      fc.property(text, textOf(PIECES), text, (before, replacement, after) => {
        const content = `${before}<<needle>>${after}`
        const result = contentAfter(content, request("<<needle>>", `[${replacement}]`))
        expect(result.startsWith(`${before}[`)).toBe(true)
        expect(result.endsWith(`]${after}`)).toBe(true)
        const inserted = result.slice(before.length + 1, result.length - after.length - 1)
        expect(inserted.replaceAll("\r\n", "\n")).toBe(replacement.replaceAll("\r\n", "\n"))
      })
    )
  })
})

describe("omission placeholders", () => {
  test.each([
    ["// rest of code ...", ["rest of code ..."]],
    ["  (Rest   of methods ...)", ["rest of methods ..."]],
    ["// (unchanged code .....)", ["unchanged code ..."]],
    ["rest of ...", ["rest of ..."]],
    ["the rest of code ...", []],
    ["rest of code ... and more", []],
    ["rest of code", []],
    ["# rest of code ...", []],
    ["spread(...args)", []]
  ])("%p", (line, expected) => expect(omissionPlaceholders(`before\n${line}\nafter`)).toEqual(expected))

  test("one that stands in the old text is the file's own", () => {
    expect(newOmissionPlaceholders("// rest of code ...", "x\n//  Rest of code ...")).toEqual([])
    expect(newOmissionPlaceholders("// rest of code ...", "x")).toEqual(["rest of code ..."])
  })
})
