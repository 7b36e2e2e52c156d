/** The files that `read_many_files` was asked for: paths and globs over all workspace folders, less what is excluded. */
import { statSync } from "node:fs"
import { relative } from "node:path"
import { Effect } from "effect"
import { CORE_FOLDERS, EXTRA_FOLDERS, MANY_FILES_EXCLUDES } from "../../files/excludes.ts"
import { FileFilter, type FilterFlags } from "../../files/file-filter.ts"
import { pathGlob } from "../../files/glob-pattern.ts"
import { listFiles } from "../../files/list-files.ts"
import { type ResolvedPath, Workspace } from "../../files/workspace.ts"
import { ToolFailure } from "../tool.ts"
import { isIgnoredFile } from "./file-rules.ts"

export interface FileSelection {
  readonly include: ReadonlyArray<string>
  readonly exclude: ReadonlyArray<string>
  readonly useDefaultExcludes: boolean
  readonly flags: FilterFlags
}

export interface SkippedFile {
  readonly path: string
  readonly reason: string
}

export interface SelectedFiles {
  /** Each once, in plain order of their paths. */
  readonly files: ReadonlyArray<ResolvedPath>
  readonly skipped: ReadonlyArray<SkippedFile>
}

export const selectFiles = Effect.fn("selectFiles")(function* (selection: FileSelection) {
  const workspace = yield* Workspace
  const named = yield* namedFiles(selection)
  const globs = named.patterns.length === 0 ? [] : yield* matchingFiles(selection, named.patterns)
  const skipped = [...named.skipped]
  const files = new Map(named.files.map((file) => [file.real, file]))
  for (const path of globs) {
    const resolved = yield* Effect.either(workspace.resolve(path, "read"))
    if (resolved._tag === "Left") skipped.push({ path, reason: resolved.left.message })
    else files.set(resolved.right.real, resolved.right)
  }
  const sorted = [...files.values()].sort((a, b) => (a.real < b.real ? -1 : 1))
  const selected: SelectedFiles = { files: sorted, skipped }
  return selected
})

/** Entries that are paths of existing files; what is left are patterns. A directory stands for all below it. */
const namedFiles = Effect.fnUntraced(function* (selection: FileSelection) {
  const workspace = yield* Workspace
  const excludes = yield* excludeTest(selection, workspace.targetDir)
  const files: Array<ResolvedPath> = []
  const skipped: Array<SkippedFile> = []
  const patterns: Array<string> = []
  for (const entry of selection.include.map((text) => text.replaceAll("\\", "/"))) {
    const resolved = yield* Effect.either(workspace.resolve(entry, "read"))
    if (resolved._tag === "Left") {
      if (resolved.left.kind !== "malformed") skipped.push({ path: entry, reason: resolved.left.message })
      continue
    }
    const stat = statSync(resolved.right.real, { throwIfNoEntry: false })
    if (stat?.isDirectory() === true) patterns.push(`${entry.replace(/\/+$/, "")}/**`)
    else if (stat === undefined) patterns.push(entry)
    else if (excludes(relative(workspace.targetDir, resolved.right.real)))
      skipped.push({ path: entry, reason: "excluded" })
    else if (yield* isIgnoredFile(resolved.right, selection.flags))
      skipped.push({ path: entry, reason: "ignored by ignore files" })
    else files.push(resolved.right)
  }
  return { files, skipped, patterns }
})

const matchingFiles = Effect.fnUntraced(function* (selection: FileSelection, patterns: ReadonlyArray<string>) {
  const workspace = yield* Workspace
  const filter = yield* FileFilter
  const found: Array<string> = []
  for (const root of yield* workspace.roots) {
    const includes = patterns.map((pattern) => pathGlob(pattern, { base: root, isCaseSensitive: false }))
    const excludes = yield* excludeTest(selection, root)
    yield* listFiles({
      scope: {
        root,
        start: root,
        rules: yield* filter.rules(root, selection.flags),
        respectGitIgnore: filter.flags(selection.flags).respectGitIgnore,
        excludes: selection.useDefaultExcludes ? [...CORE_FOLDERS, ...EXTRA_FOLDERS] : [".git"],
        hidden: "all"
      },
      timeoutMs: filter.searchTimeoutMs,
      matches: (name) => includes.some((matches) => matches(name)) && !excludes(name),
      onFile: (path) => found.push(path)
    }).pipe(
      Effect.mapError(
        (error) =>
          new ToolFailure({ type: "read_many_files_search_error", message: `The file search failed: ${error.message}` })
      )
    )
  }
  return found
})

const excludeTest = Effect.fnUntraced(function* (selection: FileSelection, base: string) {
  const filter = yield* FileFilter
  const defaults = selection.useDefaultExcludes
    ? [...MANY_FILES_EXCLUDES, ...filter.contextFileNames.map((name) => `**/${name}`)]
    : []
  const globs = [...defaults, ...selection.exclude].map((pattern) =>
    pathGlob(pattern, { base, isCaseSensitive: false })
  )
  return (relativePath: string) => globs.some((matches) => matches(relativePath))
})
