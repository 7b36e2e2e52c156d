/**
 * The `read_many_files` tool: the content of many files in one answer, within a budget. What did not fit is named, so
 * that the model can ask for it.
 */
import { Effect, Schema } from "effect"
import type { FileFilter } from "../files/file-filter.ts"
import type { ReadLedger } from "../files/read-ledger.ts"
import type { Ripgrep } from "../files/ripgrep.ts"
import { type ResolvedPath, Workspace } from "../files/workspace.ts"
import { frameName, insideFrame } from "../kernel/prompt-frames.ts"
import type { Part } from "../protocol/content.ts"
import { fileOperation } from "../telemetry/file-operation.ts"
import { record } from "../telemetry/signal.ts"
import { Telemetry } from "../telemetry/telemetry.ts"
import { isAskedFor } from "./search/asked-for.ts"
import { contentOf, type FileContent, linesIn } from "./search/file-content.ts"
import { FilterOptions, filterFlags } from "./search/filter-params.ts"
import { type SkippedFile, selectFiles } from "./search/select-files.ts"
import { shownName } from "./search/shown-name.ts"
import { defineTool, type PreparedCall } from "./tool.ts"

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
