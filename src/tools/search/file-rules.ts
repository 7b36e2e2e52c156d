/** Where a search looks, and which ignore rules hold there: those of the workspace folder that it lies in. */

import { Effect, Schema } from "effect"
import { isInside } from "../../files/containment.ts"
import { FileFilter, type FilterFlags } from "../../files/file-filter.ts"
import { Workspace } from "../../files/workspace.ts"
import { statOrNone } from "../../system/regular-file.ts"
import { invalidPath } from "../file-failure.ts"
import { ToolFailure } from "../tool.ts"

/** The innermost workspace folder that holds the path; `undefined` for a path outside all of them. */
export const rootOf = Effect.fnUntraced(function* (path: string) {
  const workspace = yield* Workspace
  const roots = yield* workspace.roots
  return roots.filter((root) => isInside(root, path)).sort((a, b) => b.length - a.length)[0]
})

/** Whether ignore files hide this file, under its name or under the one that it links to. */
export const isIgnoredFile = Effect.fnUntraced(function* (
  path: { readonly named: string; readonly real: string },
  flags?: FilterFlags
) {
  const filter = yield* FileFilter
  for (const candidate of new Set([path.named, path.real])) {
    const root = yield* rootOf(candidate)
    if (root === undefined) continue
    const rules = yield* filter.rules(root, flags)
    if (rules.ignores(candidate, false)) return true
  }
  return false
})

/** The parameter with which a call overrides the settings on ignore files. */
export const FilterOptions = Schema.Struct({
  respect_git_ignore: Schema.optional(Schema.Boolean.annotations({ description: "Honour .gitignore. Default true." })),
  respect_gemini_ignore: Schema.optional(
    Schema.Boolean.annotations({ description: "Honour .geminiignore. Default true." })
  )
})

export const filterFlags = (options: typeof FilterOptions.Type | undefined): FilterFlags => ({
  respectGitIgnore: options?.respect_git_ignore,
  respectGeminiIgnore: options?.respect_gemini_ignore
})

/** Where a search looks: the directory (or file) that was named, or every folder of the workspace. */
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
  const stat = statOrNone(path.real)
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
