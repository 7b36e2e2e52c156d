import { describe, expect, test } from "bun:test"
import { changedRegions, fileDiff } from "./file-diff.live.ts"

const numbered = (count: number) => Array.from({ length: count }, (_, index) => `line ${index + 1}`)

describe("the diff of a file", () => {
  test("has labels, three lines of context and counts", () => {
    const before = numbered(9).join("\n")
    const diff = fileDiff({
      path: "/w/a.txt",
      before,
      after: before.replace("line 5", "fünf\nfive"),
      labels: ["Current", "Proposed"]
    })
    expect(diff.fileDiff.split("\n").slice(2)).toEqual([
      "--- a.txt\tCurrent",
      "+++ a.txt\tProposed",
      "@@ -2,7 +2,8 @@",
      " line 2",
      " line 3",
      " line 4",
      "-line 5",
      "+fünf",
      "+five",
      " line 6",
      " line 7",
      " line 8",
      ""
    ])
    expect(diff.diffStat).toMatchObject({
      model_added_lines: 2,
      model_removed_lines: 1,
      model_added_chars: 8,
      model_removed_chars: 6,
      user_added_lines: 0
    })
    expect(diff.isNewFile).toBe(false)
  })

  test("counts what a person changed after the model", () => {
    const diff = fileDiff({
      path: "a",
      before: null,
      proposed: "a\nb\n",
      after: "a\nc\nd\n",
      labels: ["Original", "Written"]
    })
    expect(diff.isNewFile).toBe(true)
    expect(diff.diffStat).toMatchObject({
      model_added_lines: 2,
      model_removed_lines: 0,
      user_added_lines: 2,
      user_removed_lines: 1
    })
  })

  test("does not look at line endings", () => {
    expect(fileDiff({ path: "a", before: "a\r\nb\r\n", after: "a\nb\n", labels: ["A", "B"] }).diffStat).toMatchObject({
      model_added_lines: 0
    })
  })

  test("two large texts with nothing in common are shown as one replacement", () => {
    const before = ["same", ...Array.from({ length: 9_000 }, (_, index) => `old ${index}`), "end"].join("\n")
    const after = ["same", ...Array.from({ length: 9_000 }, (_, index) => `new ${index}`), "end"].join("\n")
    const { diffStat, fileDiff: text } = fileDiff({ path: "a", before, after, labels: ["A", "B"] })
    expect(diffStat).toMatchObject({ model_added_lines: 9_000, model_removed_lines: 9_000 })
    expect(text).toContain("@@ -2,9000 +2,9000 @@")
  })
})

describe("the regions that the model gets back", () => {
  test("five lines around each change, with marks for what is left out", () => {
    const before = numbered(40)
    const after = before.with(9, "ten").with(29, "thirty")
    expect(changedRegions(before.join("\n"), after.join("\n")).split("\n")).toEqual([
      "...",
      ...after.slice(4, 15),
      "...",
      ...after.slice(24, 35),
      "..."
    ])
  })

  test("regions that meet are one", () => {
    const before = numbered(30)
    const after = before.with(9, "ten").with(19, "twenty")
    expect(changedRegions(before.join("\n"), after.join("\n")).split("\n")).toEqual([
      "...",
      ...after.slice(4, 25),
      "..."
    ])
  })

  test("the whole text of a file that was empty", () => {
    expect(changedRegions("", "a\nb\n")).toBe("a\nb")
  })

  test("is cut, and says so", () => {
    const after = Array.from({ length: 1_000 }, (_, index) => `x${index}`).join("\n")
    const lines = changedRegions("", after).split("\n")
    expect(lines).toHaveLength(401)
    expect(lines.at(-1)).toBe("... (600 more lines are not shown)")
  })
})
