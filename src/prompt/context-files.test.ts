import { describe, expect } from "bun:test"
import { spawnSync } from "node:child_process"
import { linkSync, mkdirSync, symlinkSync, truncateSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { Effect } from "effect"
import { it } from "../../test/kit/it.ts"
import { tempFolder } from "../../test/kit/temp-folder.ts"
import { ContextFiles, type ContextOptions, layer, textOf } from "./context-files.ts"

/** A home, a project `p` in a repository `r`, and what the files room needs. */
const place = (files: Readonly<Record<string, string>>) =>
  Effect.map(tempFolder({ "r/.git/HEAD": "", "r/p/keep": "", "home/.gemini/keep": "", ...files }), (root) => ({
    root,
    cwd: join(root, "r/p"),
    options: {
      fileNames: ["GEMINI.md"],
      userDir: join(root, "home/.gemini"),
      tempDir: join(root, "home/.gemini/tmp/p"),
      roots: [join(root, "r/p")],
      markers: [".git"],
      importFormat: "tree",
      extensionFiles: [],
      scanFolders: undefined,
      ignore: { respectGitIgnore: true, respectGeminiIgnore: true, customFiles: [] }
    } satisfies ContextOptions
  }))

/** Runs with the service, and gives the paths below the root. */
const using = <A, E>(
  options: ContextOptions,
  body: (service: ContextFiles["Type"]) => Effect.Effect<A, E>
): Effect.Effect<A, E> => Effect.flatMap(ContextFiles, body).pipe(Effect.provide(layer(options)))

const pathsOf = (options: ContextOptions, root: string) =>
  using(options, ({ files, takeWarnings }) =>
    Effect.all({
      files: Effect.map(files, (found) => found.map(({ path, tier }) => `${tier} ${path.slice(root.length + 1)}`)),
      warnings: Effect.map(takeWarnings, (all) => all.map((warning) => warning.replaceAll(`${root}/`, "")))
    })
  )

describe("what is read at the start", () => {
  it.effect("every tier in its order, the project from the outside in, nothing above the repository", () =>
    Effect.gen(function* () {
      const { options, root } = yield* place({
        "GEMINI.md": "above",
        "r/GEMINI.md": "outer",
        "r/p/GEMINI.md": "inner",
        "r/p/below/GEMINI.md": "below",
        "home/.gemini/GEMINI.md": "global",
        "home/.gemini/tmp/p/memory/MEMORY.md": "private",
        "home/.gemini/tmp/p/memory/GEMINI.md": "not with MEMORY.md",
        "ext/b.md": "b",
        "ext/a.md": "a"
      })
      const extensionFiles = [join(root, "ext/b.md"), join(root, "ext/a.md")]
      expect(yield* pathsOf({ ...options, extensionFiles }, root)).toEqual({
        files: [
          "global home/.gemini/GEMINI.md",
          "private home/.gemini/tmp/p/memory/MEMORY.md",
          "extension ext/a.md",
          "extension ext/b.md",
          "project r/GEMINI.md",
          "project r/p/GEMINI.md"
        ],
        warnings: []
      })
    })
  )

  it.effect("without a marker, or with none configured, only the folder itself", () =>
    Effect.gen(function* () {
      const { options, root } = yield* place({ "r/GEMINI.md": "outer", "r/p/GEMINI.md": "inner" })
      expect((yield* pathsOf({ ...options, markers: [] }, root)).files).toEqual(["project r/p/GEMINI.md"])
      expect((yield* pathsOf({ ...options, markers: [".nope"] }, root)).files).toEqual(["project r/p/GEMINI.md"])
    })
  )

  it.effect("several names in every place, more roots, and none that leads out of its folder", () =>
    Effect.gen(function* () {
      const { cwd, options, root } = yield* place({
        "r/p/AGENTS.md": "1",
        "r/p/GEMINI.md": "2",
        "more/AGENTS.md": "3",
        "r/secret.md": "4"
      })
      const roots = [cwd, join(root, "more")]
      const fileNames = ["AGENTS.md", "GEMINI.md", "../secret.md", ""]
      expect((yield* pathsOf({ ...options, fileNames, roots }, root)).files).toEqual([
        "project r/p/AGENTS.md",
        "project r/p/GEMINI.md",
        "project more/AGENTS.md"
      ])
    })
  )

  it.effect("an untrusted folder, which gives no roots, contributes nothing; the user's own files stay", () =>
    Effect.gen(function* () {
      const { cwd, options, root } = yield* place({ "r/p/GEMINI.md": "evil", "home/.gemini/GEMINI.md": "mine" })
      expect((yield* pathsOf({ ...options, roots: [] }, root)).files).toEqual(["global home/.gemini/GEMINI.md"])
      expect(yield* using({ ...options, roots: [] }, ({ contextFor }) => contextFor([join(cwd, "keep")]))).toBe("")
    })
  )

  it.effect("one file under two names is sent once; empty files and folders of that name are passed over", () =>
    Effect.gen(function* () {
      const { cwd, options, root } = yield* place({ "r/GEMINI.md": "once", "home/.gemini/GEMINI.md": " \n" })
      linkSync(join(root, "r/GEMINI.md"), join(cwd, "GEMINI.md"))
      symlinkSync(join(root, "r/GEMINI.md"), join(cwd, "AGENTS.md"))
      mkdirSync(join(cwd, "NOTES.md"))
      const fileNames = ["GEMINI.md", "AGENTS.md", "NOTES.md"]
      expect(yield* pathsOf({ ...options, fileNames }, root)).toEqual({ files: ["project r/GEMINI.md"], warnings: [] })
    })
  )

  it.effect("the block says where a text comes from", () =>
    Effect.gen(function* () {
      const { cwd, options } = yield* place({ "r/p/GEMINI.md": "\n be kind \n\n" })
      expect(textOf(yield* using(options, ({ files }) => files), "project")).toBe(
        `--- Context from: ${cwd}/GEMINI.md ---\nbe kind\n--- End of Context from: ${cwd}/GEMINI.md ---`
      )
    })
  )
})

describe("bad files", () => {
  it.live("a pipe and a binary file are warned of and left out", () =>
    Effect.gen(function* () {
      const { cwd, options, root } = yield* place({ "r/p/BIN.md": "a\u0000b" })
      spawnSync("mkfifo", [join(cwd, "GEMINI.md")])
      expect(yield* pathsOf({ ...options, fileNames: ["GEMINI.md", "BIN.md"] }, root)).toEqual({
        files: [],
        warnings: [
          "r/p/GEMINI.md is not used as context: it is not a regular file",
          "r/p/BIN.md is not used as context: it is not a text file"
        ]
      })
    })
  )

  it.live("of 100 MB the beginning is used, and that is said to both sides", () =>
    Effect.gen(function* () {
      const { cwd, options } = yield* place({})
      const file = join(cwd, "GEMINI.md")
      writeFileSync(file, "be kind\n".repeat(80_000))
      truncateSync(file, 100 * 1024 * 1024)
      const { text, warnings } = yield* using(options, ({ files, takeWarnings }) =>
        Effect.all({ text: Effect.map(files, (found) => textOf(found, "project")), warnings: takeWarnings })
      )
      expect(text.length).toBeLessThan(600 * 1024)
      expect(text).toContain("The rest is left out: the file has 104857600 bytes")
      expect(warnings).toEqual([`${file} has 104857600 bytes: only the first 512 KiB are used as context`])
    })
  )

  it.effect("all files together have an upper size", () =>
    Effect.gen(function* () {
      const names = ["a", "b", "c", "d", "e"].map((name) => `${name}.md`)
      const { options, root } = yield* place(
        Object.fromEntries(names.map((name) => [`r/p/${name}`, `${name} ${"x".repeat(500 * 1024)}`]))
      )
      const found = yield* pathsOf({ ...options, fileNames: names }, root)
      expect(found.files).toHaveLength(4)
      expect(found.warnings).toEqual([
        "r/p/e.md is not used as context: all context files together would be larger than 2 MiB"
      ])
    })
  )

  it.effect("imports stay inside the project, also through links", () =>
    Effect.gen(function* () {
      const { cwd, options, root } = yield* place({
        "outside.md": "secret",
        "r/shared.md": "shared",
        "r/p/GEMINI.md": "@../shared.md @../../outside.md @link.md @./folder"
      })
      symlinkSync(join(root, "outside.md"), join(cwd, "link.md"))
      mkdirSync(join(cwd, "folder"))
      const { text, warnings } = yield* using(options, ({ files, takeWarnings }) =>
        Effect.all({ text: Effect.map(files, (found) => textOf(found, "project")), warnings: takeWarnings })
      )
      expect(text).toContain("shared\n<!-- End of import from: ../shared.md -->")
      expect(text).toContain("<!-- Import failed: ../../outside.md - Path traversal attempt -->")
      expect(text).toContain(`<!-- Import failed: link.md - it leads out of the project, to ${root}/outside.md -->`)
      expect(text).toContain("<!-- Import failed: ./folder - it is a folder -->")
      expect(text).not.toContain("secret")
      expect(warnings).toHaveLength(3)
    })
  )
})

describe("below the working folder", () => {
  const files = {
    "r/p/GEMINI.md": "root",
    "r/p/a/GEMINI.md": "in a",
    "r/p/a/b/GEMINI.md": "in b",
    "r/p/a/b/file.ts": "",
    "r/p/node_modules/x/GEMINI.md": "of somebody else",
    "r/p/node_modules/x/i.js": ""
  }

  it.effect("a touched folder brings its files and those above it, once", () =>
    Effect.gen(function* () {
      const { cwd, options } = yield* place(files)
      yield* using(options, ({ contextFor }) =>
        Effect.gen(function* () {
          const first = yield* contextFor([join(cwd, "a/b/file.ts")])
          expect(first.split("\n")).toEqual([
            "--- Newly Discovered Project Context ---",
            `--- Context from: ${cwd}/a/GEMINI.md ---`,
            "in a",
            `--- End of Context from: ${cwd}/a/GEMINI.md ---`,
            "",
            `--- Context from: ${cwd}/a/b/GEMINI.md ---`,
            "in b",
            `--- End of Context from: ${cwd}/a/b/GEMINI.md ---`,
            "--- End Project Context ---"
          ])
          expect(yield* contextFor([join(cwd, "a/b/file.ts")])).toBe("")
          expect(yield* contextFor([join(cwd, "a")])).toBe("")
        })
      )
    })
  )

  it.effect("parallel calls share what they find, a new file is found later", () =>
    Effect.gen(function* () {
      const { cwd, options } = yield* place({ ...files, "r/p/c/x": "" })
      yield* using(options, ({ contextFor }) =>
        Effect.gen(function* () {
          const both = yield* Effect.all([contextFor([join(cwd, "a/b")]), contextFor([join(cwd, "a")])], {
            concurrency: 2
          })
          expect(both.filter((text) => text.includes("in a"))).toHaveLength(1)
          expect(yield* contextFor([join(cwd, "c/x")])).toBe("")
          writeFileSync(join(cwd, "c/GEMINI.md"), "new")
          expect(yield* contextFor([join(cwd, "c/x")])).toContain("new")
        })
      )
    })
  )

  it.effect("installed packages and places outside have nothing to say", () =>
    Effect.gen(function* () {
      const { cwd, options, root } = yield* place({ ...files, "elsewhere/GEMINI.md": "no" })
      yield* using(options, ({ contextFor }) =>
        Effect.gen(function* () {
          expect(yield* contextFor([join(cwd, "node_modules/x/i.js")])).toBe("")
          expect(yield* contextFor([join(root, "elsewhere")])).toBe("")
        })
      )
    })
  )

  it.effect("the eager scan reads them at the start, ignored folders left out, and no more folders than allowed", () =>
    Effect.gen(function* () {
      const { cwd, options, root } = yield* place({
        ...files,
        "r/p/.gitignore": "hidden/\n",
        "r/p/hidden/GEMINI.md": "no"
      })
      expect((yield* pathsOf({ ...options, scanFolders: 200 }, root)).files).toEqual([
        "project r/p/GEMINI.md",
        "project r/p/a/GEMINI.md",
        "project r/p/a/b/GEMINI.md"
      ])
      expect((yield* pathsOf({ ...options, scanFolders: 2 }, root)).files).toHaveLength(2)
      expect(yield* using({ ...options, scanFolders: 1 }, ({ contextFor }) => contextFor([join(cwd, "a/b")]))).toBe("")
    })
  )

  it.effect("a reload reads everything again", () =>
    Effect.gen(function* () {
      const { cwd, options } = yield* place(files)
      yield* using(options, ({ files: found, reload }) =>
        Effect.gen(function* () {
          expect(textOf(yield* found, "project")).toContain("root")
          writeFileSync(join(cwd, "GEMINI.md"), "changed")
          expect(textOf(yield* found, "project")).toContain("root")
          yield* reload
          expect(textOf(yield* found, "project")).toContain("changed")
        })
      )
    })
  )
})
