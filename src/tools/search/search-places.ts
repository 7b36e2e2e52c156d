/** Where a search looks: the directory (or file) that was named, or every folder of the workspace. */
import { statSync } from "node:fs"
import { Effect } from "effect"
import { Workspace } from "../../files/workspace.ts"
import { invalidPath } from "../file-failure.ts"
import { ToolFailure } from "../tool.ts"
import { rootOf } from "./file-rules.ts"

export interface SearchPlace {
  /** The workspace folder whose ignore rules count. */
  readonly root: string
  /** What is searched: the root, or something below it. */
  readonly start: string
  readonly isFile: boolean
}

/** Refused as an argument when the path may not be read; with its own type when it is not there. */
export const searchPlaces = Effect.fn("searchPlaces")(function* (
  dirPath: string | undefined,
  options: { readonly acceptsFile: boolean; readonly missing: "file_not_found" | "search_path_not_found" }
) {
  const workspace = yield* Workspace
  if (dirPath === undefined || dirPath.trim() === "") {
    const roots = yield* workspace.roots
    return roots.map((root): SearchPlace => ({ root, start: root, isFile: false }))
  }
  const path = yield* Effect.mapError(workspace.resolve(dirPath, "read"), invalidPath)
  const stat = statSync(path.real, { throwIfNoEntry: false })
  if (stat === undefined)
    return yield* new ToolFailure({ type: options.missing, message: `The path ${path.real} does not exist.` })
  if (!stat.isDirectory() && !(options.acceptsFile && stat.isFile()))
    return yield* new ToolFailure({
      type: options.missing === "file_not_found" ? "path_is_not_a_directory" : "search_path_not_a_directory",
      message: `The path ${path.real} is not a directory.`
    })
  const root = (yield* rootOf(path.real)) ?? path.real
  const place: SearchPlace = { root, start: path.real, isFile: stat.isFile() }
  return [place]
})
