/** Ripgrep and the in-process engine must find the same, on trees and rules that chance makes up. */
import { expect } from "bun:test"
import { mkdirSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { Effect, FastCheck as fc, Layer } from "effect"
import { testEnvironment } from "../../test/kit/environment.ts"
import { it } from "../../test/kit/it.ts"
import { tempFolder } from "../../test/kit/temp-folder.ts"
import * as Sandbox from "../sandbox/sandbox.ts"
import { nameGlob, pathGlob } from "./glob-pattern.ts"
import { ignoreRules } from "./ignore-rules.ts"
import { listFiles } from "./list-files.ts"
import * as Ripgrep from "./ripgrep.ts"
import type { SearchScope } from "./search-scope.ts"
import { searchText } from "./text-search.ts"

const name = fc.constantFrom("a", "b", "c.log", "d.ts", ".hid", "node_modules", "x y", "-e", "Ü")
const path = fc.array(name, { minLength: 1, maxLength: 4 }).map((names) => names.join("/"))
const rule = fc.constantFrom(
  "a",
  "/a",
  "b/",
  "*.log",
  "!c.log",
  "a/b",
  "**/d.ts",
  "!a",
  "x*",
  "/b/**/a",
  "-e",
  "\\!x",
  "#a"
)
const content = fc.constantFrom("needle\n", "hay\nNeedle hay\r\nhay\n", "", "neëdle\nneedle", "a\0needle\n")
const tree = fc.record({
  files: fc.dictionary(path, content, { maxKeys: 14 }),
  git: fc.array(rule, { maxLength: 3 }),
  nested: fc.array(rule, { maxLength: 2 }),
  gemini: fc.array(rule, { maxLength: 2 }),
  hidden: fc.constantFrom("all" as const, "files" as const, "none" as const),
  start: fc.constantFrom("", "a", "b")
})
type Tree = typeof tree extends fc.Arbitrary<infer A> ? A : never

const write = (root: string, file: string, text: string) => {
  try {
    mkdirSync(dirname(join(root, file)), { recursive: true })
    writeFileSync(join(root, file), text)
  } catch {
    // The name is taken by a folder or file of another path: this one is left out.
  }
}

const scopeOf = (root: string, sample: Tree): SearchScope => {
  mkdirSync(join(root, ".git"))
  for (const folder of ["a", "b"]) mkdirSync(join(root, folder))
  for (const [file, text] of Object.entries(sample.files)) write(root, file, text)
  write(root, ".gitignore", sample.git.join("\n"))
  write(root, "a/.gitignore", sample.nested.join("\n"))
  write(root, ".geminiignore", sample.gemini.join("\n"))
  const rules = ignoreRules({ root, respectGitIgnore: true, respectGeminiIgnore: true, customFiles: [] })
  const start = join(root, sample.start)
  return {
    root,
    start,
    rules,
    respectGitIgnore: true,
    excludes: ["node_modules", ".git", "*.tmp"],
    hidden: sample.hidden
  }
}

/** A start folder that is itself ignored is the caller's business. */
const isSearchable = (scope: SearchScope) => scope.rules?.ignores(scope.start, true) !== true

const list = (scope: SearchScope, pattern = "**") =>
  Effect.gen(function* () {
    const found: Array<string> = []
    yield* listFiles({
      scope: scope.hidden === "files" ? { ...scope, hidden: "none" } : scope,
      timeoutMs: 10_000,
      matches: pattern === "**" ? () => true : pathGlob(pattern, { base: scope.start, isCaseSensitive: false }),
      names: nameGlob(pattern),
      onFile: (file) => found.push(file)
    })
    return found.sort()
  })

/** Only a glob that names dot files can make ripgrep show them. */
const search = (scope: SearchScope, include: string | undefined) =>
  searchText({
    scope: scope.hidden === "files" && include !== ".h*" ? { ...scope, hidden: "none" } : scope,
    query: {
      pattern: "n.+dle",
      isFixed: false,
      isCaseSensitive: false,
      before: 1,
      after: 1,
      include,
      excludeLines: undefined,
      maxPerFile: undefined,
      maxTotal: 1000
    },
    mayRead: () => true,
    timeoutMs: 10_000
  }).pipe(Effect.map(({ lines }) => lines.map((line) => JSON.stringify(line)).sort()))

const inBoth = <A, E>(root: string, effect: Effect.Effect<A, E, Ripgrep.Ripgrep>) =>
  Effect.all([
    Effect.provide(
      effect,
      Layer.provide(Ripgrep.layer, Layer.merge(Sandbox.layerNone, testEnvironment({ cwd: root })))
    ),
    Effect.provide(effect, Ripgrep.layerNone)
  ])

it.live("both engines list the same files", () =>
  Effect.gen(function* () {
    for (const sample of fc.sample(tree, { numRuns: 60, seed: 7 })) {
      const root = yield* tempFolder()
      const scope = scopeOf(root, sample)
      if (!isSearchable(scope)) continue
      for (const pattern of ["**", "**/*.{log,ts}", "A", "*/?", "**/.h*", "**/-e", "*/x y"]) {
        const [byRipgrep, byWalk] = yield* inBoth(root, list(scope, pattern))
        expect({ sample, pattern, files: byRipgrep }).toEqual({ sample, pattern, files: byWalk })
      }
    }
  })
)

it.live("both engines find the same lines", () =>
  Effect.gen(function* () {
    for (const sample of fc.sample(tree, { numRuns: 40, seed: 11 })) {
      const root = yield* tempFolder()
      const scope = scopeOf(root, sample)
      if (!isSearchable(scope)) continue
      for (const include of [undefined, "*.log", "a/*", ".h*"]) {
        const [byRipgrep, inProcess] = yield* inBoth(root, search(scope, include))
        expect({ sample, include, lines: byRipgrep }).toEqual({ sample, include, lines: inProcess })
      }
    }
  })
)
