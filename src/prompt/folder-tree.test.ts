import { expect } from "bun:test"
import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { Effect } from "effect"
import { it } from "../../test/kit/it.ts"
import { tempFolder } from "../../test/kit/temp-folder.ts"
import { peekFolder } from "./folder-peek.ts"
import { folderTree, MAX_TREE_ITEMS, type TreeOptions } from "./folder-tree.ts"

const treeOf = (root: string, options: { ignored?: ReadonlyArray<string> } & Partial<TreeOptions> = {}) =>
  folderTree({
    root,
    peek: options.peek ?? peekFolder,
    isIgnored: (path) => (options.ignored ?? []).includes(path.slice(root.length + 1)),
    isLate: options.isLate ?? (() => false)
  })

it.effect("files come before folders, closed and ignored folders are named only, ignored files are left out", () =>
  Effect.gen(function* () {
    const root = yield* tempFolder({
      "b.txt": "",
      "A.txt": "",
      "secret.log": "",
      "src/main.ts": "",
      "src/lib/x.ts": "",
      "node_modules/p/index.js": "",
      "out/o.js": ""
    })
    expect(treeOf(root, { ignored: ["secret.log", "out"] })).toEqual({
      text: [
        `${root}/`,
        "├───A.txt",
        "├───b.txt",
        "├───node_modules/...",
        "├───out/...",
        "└───src/",
        "    ├───main.ts",
        "    └───lib/",
        "        └───x.ts"
      ].join("\n"),
      isPartial: true
    })
  })
)

it.effect("an empty folder is a line, and nothing is missing", () =>
  Effect.gen(function* () {
    const root = yield* tempFolder()
    expect(treeOf(root)).toEqual({ text: `${root}/`, isPartial: false })
  })
)

it.effect("a list that is too long ends with dots, and what lies deeper is not opened", () =>
  Effect.gen(function* () {
    const root = yield* tempFolder({ "deep/er/x": "" })
    for (let index = 0; index < MAX_TREE_ITEMS; index++) writeFileSync(join(root, `f${1000 + index}`), "")
    const { isPartial, text } = treeOf(root)
    const lines = text.split("\n")
    expect(lines).toHaveLength(MAX_TREE_ITEMS + 2)
    expect(lines.at(-1)).toBe("└───...")
    expect(isPartial).toBe(true)
  })
)

it.effect("breadth comes before depth", () =>
  Effect.gen(function* () {
    const root = yield* tempFolder({ "z/last": "" })
    mkdirSync(join(root, "a"))
    for (let index = 0; index < MAX_TREE_ITEMS; index++) writeFileSync(join(root, "a", `f${1000 + index}`), "")
    const { text } = treeOf(root)
    expect(text).toContain("└───z/...")
    expect(text).toContain("│   └───...")
  })
)

it.effect("a folder of very many entries is not listed", () =>
  Effect.gen(function* () {
    const root = yield* tempFolder({ "few/x": "", "many/y": "" })
    const peek = (path: string) => peekFolder(path, path.endsWith("many") ? 0 : undefined)
    expect(treeOf(root, { peek }).text.split("\n").slice(1)).toEqual([
      "├───few/",
      "│   └───x",
      "└───many/",
      "    └───... (too many entries)"
    ])
    expect(treeOf(join(root, "many"), { peek }).text).toContain("too many entries to list here")
  })
)

it.effect("when the time is over, what was found is shown", () =>
  Effect.gen(function* () {
    const root = yield* tempFolder({ "a/x": "", f: "" })
    expect(treeOf(root, { isLate: () => true })).toEqual({ text: `${root}/\n├───f\n└───a/...`, isPartial: true })
  })
)

it.effect("names cannot draw lines of their own, and links are not followed", () =>
  Effect.gen(function* () {
    const root = yield* tempFolder({ "evil\n└───good.txt": "" })
    symlinkSync(root, join(root, "loop"))
    expect(treeOf(root).text.split("\n").slice(1)).toEqual(["├───evil?└───good.txt", "└───loop"])
  })
)

it.effect("a root that is not there is said", () =>
  Effect.gen(function* () {
    const root = yield* tempFolder({ "closed/x": "" })
    chmodSync(join(root, "closed"), 0)
    expect(treeOf(join(root, "gone"))).toEqual({
      text: `${root}/gone/\n(This folder cannot be read: ENOENT.)`,
      isPartial: true
    })
    expect(treeOf(root).text).toContain("closed/")
    chmodSync(join(root, "closed"), 0o755)
  })
)
