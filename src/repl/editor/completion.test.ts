import { describe, expect, test } from "bun:test"
import { candidateList, completed } from "./completion.ts"
import { initialState } from "./edit-state.ts"

const complete = (
  marked: string,
  values: ReadonlyArray<string>,
  range: { readonly from: number; readonly to?: number },
  isSecondTab = false
) => {
  const cursor = marked.indexOf("|")
  const state = { ...initialState({ text: marked.replace("|", "") }), cursor }
  const after = completed(state, { ...range, candidates: values.map((value) => ({ value })) }, isSecondTab)
  const { text } = after.state
  return [`${text.slice(0, after.state.cursor)}|${text.slice(after.state.cursor)}`, after.listed.length]
}

describe("Tab", () => {
  test("inserts the only candidate, and a blank", () =>
    expect(complete("/he|", ["help"], { from: 1 })).toEqual(["/help |", 0]))
  test("leaves a folder open", () => expect(complete("@sr|", ["@src/"], { from: 0 })).toEqual(["@src/|", 0]))
  test("adds no second blank", () => expect(complete("/he| x", ["help"], { from: 1 })).toEqual(["/help| x", 0]))
  test("completes the word around the cursor", () =>
    expect(complete("/h|el x", ["help"], { from: 1, to: 4 })).toEqual(["/help| x", 0]))
  test("inserts what all have in common", () =>
    expect(complete("/m|", ["memory", "memo"], { from: 1 })).toEqual(["/memo|", 0]))
  test("lists them at the second press only", () => {
    expect(complete("/m|", ["mcp", "model"], { from: 1 })).toEqual(["/m|", 0])
    expect(complete("/m|", ["mcp", "model"], { from: 1 }, true)).toEqual(["/m|", 2])
  })
  test("corrects the case, and does not replace what a fuzzy search did not extend", () => {
    expect(complete("@REA|", ["@readme.md", "@readme.txt"], { from: 0 })).toEqual(["@readme.|", 0])
    expect(complete("@rdm|", ["@readme.md", "@readme.txt"], { from: 0 })).toEqual(["@rdm|", 0])
  })
  test("finds nothing", () => expect(complete("x|", [], { from: 0 }, true)).toEqual(["x|", 0]))
})

describe("the list", () => {
  test("has the hints in a column", () => {
    const list = candidateList(
      [{ value: "help", hint: "shows help" }, { value: "mcp", hint: "servers" }, { value: "x" }],
      30
    )
    expect(list).toBe("  help  shows help\n  mcp   servers\n  x")
  })
  test("is cut to the width, and counts what is left out", () => {
    const many = Array.from({ length: 25 }, (_, index) => ({ value: `candidate-${index}`, hint: "y".repeat(99) }))
    const lines = candidateList(many, 40).split("\n")
    expect([lines.length, lines.at(-1)]).toEqual([21, "  … 5 more"])
    expect(lines.every((line) => Bun.stringWidth(line) < 40)).toBe(true)
  })
})
