/**
 * The `read_many_files` tool: the content of many files in one answer, within a budget. What did not fit is named, so
 * that the model can ask for it.
 */

import { relative } from "node:path"
import { Effect, Schema } from "effect"
import { CORE_FOLDERS, EXTRA_FOLDERS, MANY_FILES_EXCLUDES } from "../files/excludes.ts"
import { FileFilter, type FilterFlags } from "../files/file-filter.ts"
import { pathGlob } from "../files/glob-pattern.ts"
import { listFiles } from "../files/list-files.ts"
import type { ReadLedger } from "../files/read-ledger.ts"
import type { Ripgrep } from "../files/ripgrep.ts"
import { type ResolvedPath, Workspace } from "../files/workspace.ts"
import { frameName, insideFrame } from "../kernel/prompt-frames.ts"
import type { Part } from "../protocol/content.ts"
import { statOrNone } from "../system/regular-file.ts"
import { fileOperation } from "../telemetry/file-operation.ts"
import { record } from "../telemetry/signal.ts"
import { Telemetry } from "../telemetry/telemetry.ts"
import { contentOf, type FileContent, isAskedFor, linesIn } from "./search/file-content.ts"
import { FilterOptions, filterFlags, isIgnoredFile } from "./search/file-rules.ts"
import { shownName } from "./search/shown-name.ts"
import { defineTool, type PreparedCall, ToolFailure } from "./tool.ts"

/** Characters of text in one answer. */
const MAX_TOTAL_LENGTH = 1_000_000
/** Bytes of media in one answer: a request may hold 20 MB, and base64 makes a third more of it. */
const MAX_TOTAL_MEDIA = 14 * 1024 * 1024
const MAX_NAMED = 50

const patterns = (description: string) =>
  Schema.Array(Schema.String.pipe(Schema.minLength(1))).annotations({ description })

const Params = Schema.Struct({
  include: Schema.Array(Schema.String.pipe(Schema.minLength(1)))
    .pipe(Schema.minItems(1))
    .annotations({ description: "Paths or globs of files, such as src/**/*.ts." }),
  exclude: Schema.optional(patterns("Globs of files to leave out.")),
  recursive: Schema.optional(Schema.Boolean.annotations({ description: "No effect; use ** to recurse." })),
  useDefaultExcludes: Schema.optional(
    Schema.Boolean.annotations({ description: "Leave out node_modules, build output, archives. Default true." })
  ),
  file_filtering_options: Schema.optional(FilterOptions.annotations({ description: "Overrides for ignore files." }))
})
type Params = typeof Params.Type

export const readManyFilesTool = defineTool({
  name: "read_many_files",
  classNames: ["ReadManyFilesTool"],
  displayName: "ReadManyFiles",
  kind: "read",
  description:
    "Reads several files given by paths or globs and joins their text. Images, audio and PDF only when named by file name or extension.",
  params: Params,
  prepare: Effect.fnUntraced(function* (params) {
    const workspace = yield* Workspace
    const call: PreparedCall<Workspace | FileFilter | ReadLedger | Ripgrep> = {
      description: shownName(`Read files matching ${params.include.map((entry) => `'${entry}'`).join(", ")}`),
      locations: [{ path: workspace.targetDir }],
      confirmation: Effect.succeed(null),
      run: () => readAll(params)
    }
    return call
  })
})

const readAll = Effect.fnUntraced(function* (params: Params) {
  const workspace = yield* Workspace
  const exclude = params.exclude ?? []
  const selected = yield* selectFiles({
    include: params.include,
    exclude,
    useDefaultExcludes: params.useDefaultExcludes ?? true,
    flags: filterFlags(params.file_filtering_options)
  })
  const answer = answerOf(params)
  for (const file of selected.files) yield* answer.add(file)
  const { parts, read, skipped } = answer.result()
  const files = read.map(({ path }) => path)
  yield* record(yield* Telemetry, read.flatMap(readOperation))
  const allSkipped = [...selected.skipped, ...skipped]
  return {
    forModel: forModel(parts, allSkipped),
    display: { type: "text", text: summary(files, allSkipped, workspace.targetDir) } as const,
    shown: files,
    data: { files, skipped: allSkipped, include: params.include, excludes: exclude, targetDir: workspace.targetDir }
  }
})

interface ReadFile {
  readonly path: string
  readonly lines: number | undefined
}

const readOperation = (file: ReadFile) => fileOperation({ tool: "read_many_files", operation: "read", ...file })

/** Collects files into parts, as long as they fit. */
const answerOf = (params: Params) => {
  const parts: Array<Part> = []
  const read: Array<ReadFile> = []
  const skipped: Array<SkippedFile> = []
  let length = 0
  let mediaBytes = 0

  const skip = (file: ResolvedPath, reason: string) => void skipped.push({ path: file.real, reason })

  const take = (file: ResolvedPath, content: FileContent) => {
    if (content.kind === "skipped") return skip(file, content.display)
    if (content.kind === "media") {
      if (!isAskedFor(params.include, file.real))
        return skip(file, `${content.media} file that was not asked for by name or extension`)
      if (mediaBytes + content.size > MAX_TOTAL_MEDIA) return skip(file, "no room left in this answer")
      mediaBytes += content.size
      parts.push(content.part)
    } else {
      const text = section(file, content)
      if (length + text.length > MAX_TOTAL_LENGTH) return skip(file, "no room left in this answer")
      length += text.length
      parts.push({ text })
    }
    read.push({ path: file.real, lines: linesIn(content) })
  }

  const add = (file: ResolvedPath) =>
    length >= MAX_TOTAL_LENGTH
      ? Effect.sync(() => skip(file, "no room left in this answer"))
      : contentOf(file).pipe(
          Effect.match({
            onFailure: (failure) => skip(file, failure.message),
            onSuccess: (content) => take(file, content)
          })
        )

  return { add, result: () => ({ parts, read, skipped }) }
}

const section = (file: ResolvedPath, content: Extract<FileContent, { kind: "text" | "svg" }>): string => {
  const text = content.kind === "svg" ? content.text : content.page.text
  const isCut = content.kind === "text" && content.page.isCut
  const warning = isCut ? "[WARNING: This file is truncated. Use read_file with start_line to see the rest.]\n\n" : ""
  return `--- ${frameName(shownName(file.real))} ---\n\n${warning}${insideFrame(text)}\n\n`
}

const forModel = (parts: ReadonlyArray<Part>, skipped: ReadonlyArray<SkippedFile>): ReadonlyArray<Part> => {
  const note = skipped.length === 0 ? "" : `Not included:\n${skippedLines(skipped, MAX_NAMED).join("\n")}\n`
  if (parts.length === 0)
    return [{ text: `No files matching the criteria were found or all were skipped.\n${note}`.trimEnd() }]
  return [...parts, { text: `${note === "" ? "" : `\n${note}`}\n--- End of content ---` }]
}

const skippedLines = (skipped: ReadonlyArray<SkippedFile>, limit: number): ReadonlyArray<string> => [
  ...skipped.slice(0, limit).map(({ path, reason }) => `- ${shownName(path)} (${reason})`),
  ...(skipped.length > limit ? [`- and ${skipped.length - limit} more`] : [])
]

const summary = (files: ReadonlyArray<string>, skipped: ReadonlyArray<SkippedFile>, targetDir: string): string => {
  const shown = files.slice(0, 10).map((path) => `- \`${shownName(path)}\``)
  const more = files.length > 10 ? [`- and ${files.length - 10} more`] : []
  return [
    `### ReadManyFiles Result (Target Dir: \`${targetDir}\`)`,
    "",
    files.length === 0 ? "No files were read." : `Read **${files.length} file(s)**.`,
    ...shown,
    ...more,
    ...(skipped.length === 0 ? [] : ["", `Skipped ${skipped.length} item(s):`, ...skippedLines(skipped, 5)])
  ].join("\n")
}

/** The files that `read_many_files` was asked for: paths and globs over all workspace folders, less what is excluded. */
interface FileSelection {
  readonly include: ReadonlyArray<string>
  readonly exclude: ReadonlyArray<string>
  readonly useDefaultExcludes: boolean
  readonly flags: FilterFlags
}

interface SkippedFile {
  readonly path: string
  readonly reason: string
}

interface SelectedFiles {
  /** Each once, in plain order of their paths. */
  readonly files: ReadonlyArray<ResolvedPath>
  readonly skipped: ReadonlyArray<SkippedFile>
}

const selectFiles = Effect.fn("selectFiles")(function* (selection: FileSelection) {
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
    const stat = statOrNone(resolved.right.real)
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
