/** The `read_file` tool: a page of a text file, or a picture, sound, film or PDF as data. */
import { relative } from "node:path"
import { Effect, Schema } from "effect"
import type { FileFilter } from "../files/file-filter.ts"
import type { ReadLedger } from "../files/read-ledger.ts"
import { Workspace } from "../files/workspace.ts"
import { fileOperation } from "../telemetry/file-operation.ts"
import { record } from "../telemetry/signal.ts"
import { Telemetry } from "../telemetry/telemetry.ts"
import { invalidPath, pathNotAllowed } from "./file-failure.ts"
import { contentOf, type FileContent, linesIn } from "./search/file-content.ts"
import { isIgnoredFile } from "./search/file-rules.ts"
import { shownName } from "./search/shown-name.ts"
import { isWholeText, pageWithNotice } from "./search/text-page.ts"
import { defineTool, type PreparedCall, ToolFailure, type ToolOutput } from "./tool.ts"

const line = Schema.Int.pipe(Schema.greaterThanOrEqualTo(1))

const Params = Schema.Struct({
  file_path: Schema.String.annotations({ description: "File to read, absolute or relative to the workspace." }),
  start_line: Schema.optional(line.annotations({ description: "First line, from 1." })),
  end_line: Schema.optional(line.annotations({ description: "Last line, inclusive." }))
})

export const readFileTool = defineTool({
  name: "read_file",
  classNames: ["ReadFileTool"],
  displayName: "ReadFile",
  kind: "read",
  description:
    "Reads a file: text (up to 2000 lines; page with start_line and end_line), images, audio, video and PDF.",
  params: Params,
  prepare: Effect.fnUntraced(function* (params) {
    if (params.file_path.trim() === "") return yield* invalid("The parameter file_path must not be empty.")
    const workspace = yield* Workspace
    const path = yield* Effect.mapError(workspace.resolve(params.file_path, "read"), invalidPath)
    const { end_line: end, start_line: start } = params
    if (start !== undefined && end !== undefined && start > end)
      return yield* invalid(`start_line ${start} is greater than end_line ${end}.`)
    if (yield* isIgnoredFile(path))
      return yield* invalid(
        `The file ${path.named} is ignored by the project's ignore files (.gitignore, .geminiignore).`
      )
    const call: PreparedCall<Workspace | FileFilter | ReadLedger> = {
      description: shownName(relative(workspace.targetDir, path.real)),
      locations: [start === undefined ? { path: path.real } : { path: path.real, line: start }],
      confirmation: Effect.succeed(null),
      narrowing: { by: "argument", key: "file_path", value: params.file_path },
      run: () => read(params)
    }
    return call
  })
})

const read = Effect.fnUntraced(function* (params: typeof Params.Type) {
  const workspace = yield* Workspace
  const path = yield* Effect.mapError(workspace.resolve(params.file_path, "read"), pathNotAllowed)
  const content = yield* contentOf(path, { start: params.start_line, end: params.end_line })
  if (content.kind !== "skipped") {
    const operation = { tool: "read_file", operation: "read", path: path.real, lines: linesIn(content) } as const
    yield* record(yield* Telemetry, fileOperation(operation))
  }
  return output(content, relative(workspace.targetDir, path.real))
})

const output = (content: FileContent, name: string): ToolOutput => {
  switch (content.kind) {
    case "text": {
      const { page } = content
      const range =
        page.last < page.first
          ? `Read nothing: ${name} has ${page.total} lines`
          : `Read lines ${page.first}-${page.last} of ${page.total} from ${name}`
      return { forModel: pageWithNotice(page), display: text(isWholeText(page) ? "" : range) }
    }
    case "svg":
      return { forModel: content.text, display: text(`Read SVG as text: ${name}`) }
    case "media":
      return { forModel: [content.part], display: text(`Read ${content.media} file: ${name}`) }
    case "skipped":
      return { forModel: content.message, display: text(content.display) }
  }
}

const text = (value: string) => ({ type: "text", text: value }) as const

const invalid = (message: string) => new ToolFailure({ type: "invalid_tool_params", message })
