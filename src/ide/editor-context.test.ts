import { describe, expect, test } from "bun:test"
import { Option } from "effect"
import { editorAmong } from "./companion-discovery.ts"
import { changeText, type EditorContext, readContext, wholeText } from "./editor-context.ts"

const context = (...openFiles: ReadonlyArray<unknown>): EditorContext =>
  Option.getOrThrow(readContext({ workspaceState: { openFiles } }))

const shown = (text: string | undefined): unknown =>
  text === undefined ? undefined : JSON.parse(text.split("```json\n")[1]?.split("\n```")[0] ?? "")

const active = (path: string, more: object = {}) => ({ path, timestamp: 100, isActive: true, ...more })

describe("what an editor has open", () => {
  test("is ten files, the latest first, and only the latest can be active", () => {
    const files = Array.from({ length: 12 }, (_, at) => ({ path: `/${at}`, timestamp: at, isActive: true }))
    expect(shown(wholeText(context(...files)))).toEqual({
      activeFile: { path: "/11" },
      otherOpenFiles: ["/10", "/9", "/8", "/7", "/6", "/5", "/4", "/3", "/2"]
    })
  })

  test("has a selection of a bounded length", () => {
    const { active: file } = context(active("/a", { selectedText: "x".repeat(20_000) }))
    expect(file?.selectedText).toBe(`${"x".repeat(16_384)}... [TRUNCATED]`)
  })

  test("has no files whose names no system has", () => {
    const long = active(`/${"x".repeat(5_000)}`, {})
    expect(context(active("/a", {}), long)).toEqual(context(active("/a", {})))
  })

  test("may be nothing, or nonsense", () => {
    expect(wholeText(context())).toBeUndefined()
    for (const wrong of [null, 7, { workspaceState: 3 }, { workspaceState: { openFiles: [{ path: 1 }] } }]) {
      expect(readContext(wrong)).toEqual(Option.none())
    }
  })

  test("changes by another file, no file, the cursor and the selection", () => {
    const one = context(active("/a", { cursor: { line: 1, character: 1 }, selectedText: "s" }))
    const changed = (now: EditorContext) => shown(changeText(one, now))
    expect(changed(one)).toBeUndefined()
    expect(changed(context(active("/a", { cursor: { line: 1, character: 2 }, selectedText: "s" })))).toEqual({
      changes: { cursorMoved: { path: "/a", cursor: { line: 1, character: 2 } } }
    })
    expect(changed(context(active("/b"), { path: "/a", timestamp: 1 }))).toEqual({
      changes: { filesOpened: ["/b"], activeFileChanged: { path: "/b" } }
    })
    expect(changed(context())).toEqual({
      changes: { filesClosed: ["/a"], activeFileChanged: { path: null, previousPath: "/a" } }
    })
  })
})

test.each([
  [
    "the editor stands two above the shell",
    [
      [9, 8, "node"],
      [8, 7, "zsh"],
      [7, 6, "helper"],
      [6, 1, "code"]
    ],
    6
  ],
  [
    "a helper right below the root is the editor",
    [
      [8, 7, "bash"],
      [7, 1, "code"]
    ],
    7
  ],
  [
    "without a shell it is the topmost",
    [
      [9, 8, "node"],
      [8, 1, "code"]
    ],
    8
  ],
  ["nobody", [], undefined]
] as const)("%s", (_, rows, pid) => {
  expect(editorAmong(rows.map(([own, parent, name]) => ({ pid: own, parent, name })))).toBe(pid)
})
