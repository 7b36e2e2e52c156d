/** The `list_directory` tool: names and sizes in one folder. Long listings are cut, and say so. */
import { join, relative } from "node:path"
import { Effect, Schema } from "effect"
import type { FileError } from "../files/file-error.ts"
import { FileFilter } from "../files/file-filter.ts"
import { type FolderListing, listFolder } from "../files/list-folder.ts"
import { Workspace } from "../files/workspace.ts"
import { invalidPath, pathNotAllowed } from "./file-failure.ts"
import { FilterOptions, filterFlags, rootOf } from "./search/file-rules.ts"
import { shownName } from "./search/shown-name.ts"
import { defineTool, type PreparedCall, ToolFailure } from "./tool.ts"

const MAX_ENTRIES = 1000

const Params = Schema.Struct({
  dir_path: Schema.String.annotations({ description: "Directory to list, absolute or relative to the workspace." }),
  ignore: Schema.optional(
    Schema.Array(Schema.String).annotations({ description: "Names to leave out; * and ? are wildcards." })
  ),
  file_filtering_options: Schema.optional(FilterOptions.annotations({ description: "Overrides for ignore files." }))
})

export const listDirectoryTool = defineTool({
  name: "list_directory",
  classNames: ["LSTool"],
  displayName: "ReadFolder",
  kind: "search",
  description: "Lists the files and subdirectories of one directory, with sizes. Ignored files are left out.",
  params: Params,
  prepare: Effect.fnUntraced(function* (params) {
    const workspace = yield* Workspace
    const path = yield* Effect.mapError(workspace.resolve(params.dir_path, "read"), invalidPath)
    const call: PreparedCall<Workspace | FileFilter> = {
      description: shownName(relative(workspace.targetDir, path.real) || "."),
      locations: [{ path: path.real }],
      confirmation: Effect.succeed(null),
      narrowing: { by: "argument", key: "dir_path", value: params.dir_path },
      run: () => list(params)
    }
    return call
  })
})

const list = Effect.fnUntraced(function* (params: typeof Params.Type) {
  const workspace = yield* Workspace
  const filter = yield* FileFilter
  const path = yield* Effect.mapError(workspace.resolve(params.dir_path, "read"), pathNotAllowed)
  const root = yield* rootOf(path.real)
  const rules = root === undefined ? null : yield* filter.rules(root, filterFlags(params.file_filtering_options))
  const ignored = (params.ignore ?? []).map(nameTest)
  const listing = yield* listFolder(path.real, {
    isHidden: (name, isDirectory) =>
      rules?.ignores(join(path.real, name), isDirectory) === true || ignored.some((test) => test(name)),
    maxEntries: MAX_ENTRIES
  }).pipe(Effect.mapError(listFailure))
  const count = `Found ${listing.total} item(s).${ignoredNote(listing)}`
  return {
    forModel: modelText(path.real, listing),
    display: { type: "text", text: count } as const,
    data: { entries: listing.total, ignored: listing.hidden }
  }
})

const modelText = (folder: string, listing: FolderListing): string => {
  if (listing.total === 0 && listing.hidden === 0) return `Directory ${folder} is empty.`
  const lines = listing.entries.map(({ isDirectory, name, size }) =>
    isDirectory ? `[DIR] ${shownName(name)}` : `${shownName(name)} (${size} bytes)`
  )
  return [
    `Directory listing for ${folder}:`,
    ...lines,
    ...(listing.left > 0 ? ["", `(${listing.left} more entries not shown; use glob to narrow down)`] : []),
    ...(listing.hidden > 0 ? ["", `(${listing.hidden} ignored)`] : [])
  ].join("\n")
}

const ignoredNote = ({ hidden }: FolderListing): string => (hidden > 0 ? ` (${hidden} ignored)` : "")

/** `*` and `?` are wildcards, everything else stands for itself. */
const nameTest = (pattern: string): ((name: string) => boolean) => {
  const source = pattern
    .replace(/[\\^$.+()[\]{}|]/g, "\\$&")
    .replaceAll("*", ".*")
    .replaceAll("?", ".")
  const expression = new RegExp(`^${source}$`, "s")
  return (name) => expression.test(name)
}

const listFailure = (error: FileError): ToolFailure => {
  const types = {
    "not-found": "file_not_found",
    "not-a-directory": "path_is_not_a_directory",
    moved: "path_not_in_workspace"
  } as const
  const type = error.kind in types ? types[error.kind as keyof typeof types] : "ls_execution_error"
  return new ToolFailure({ type, message: error.message })
}
