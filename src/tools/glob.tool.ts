/**
 * The `glob` tool: files whose path matches a pattern, those changed within a day first.
 *
 * Names come from ripgrep's listing and are matched as they arrive. Only so many matches are asked for their time of
 * change; beyond that, recency would cost more than it is worth, and the result says that it is by name.
 */
import { relative } from "node:path"
import { Clock, Effect, Schema } from "effect"
import { CORE_FOLDERS } from "../files/excludes.ts"
import { FileFilter, type FilterFlags } from "../files/file-filter.ts"
import { firstSorted } from "../files/first-sorted.ts"
import { nameGlob, pathGlob } from "../files/glob-pattern.ts"
import { listFiles } from "../files/list-files.ts"
import type { Ripgrep, RipgrepError } from "../files/ripgrep.ts"
import { Workspace } from "../files/workspace.ts"
import { statOrNone } from "../system/regular-file.ts"
import { type SearchPlace, searchPlaces } from "./search/file-rules.ts"
import { shownName } from "./search/shown-name.ts"
import { defineTool, type PreparedCall, ToolFailure } from "./tool.ts"

const MAX_RESULTS = 2000
const MAX_TIMES_ASKED = 10_000
const RECENT_MS = 24 * 60 * 60 * 1000

const Params = Schema.Struct({
  pattern: Schema.String.annotations({ description: "Glob, such as src/**/*.ts." }),
  dir_path: Schema.optional(
    Schema.String.annotations({ description: "Directory to search. Default: the whole workspace." })
  ),
  case_sensitive: Schema.optional(Schema.Boolean.annotations({ description: "Default false." })),
  respect_git_ignore: Schema.optional(Schema.Boolean.annotations({ description: "Honour .gitignore. Default true." })),
  respect_gemini_ignore: Schema.optional(
    Schema.Boolean.annotations({ description: "Honour .geminiignore. Default true." })
  )
})

export const globTool = defineTool({
  name: "glob",
  classNames: ["GlobTool"],
  displayName: "FindFiles",
  kind: "search",
  description: "Finds files by glob pattern. Gives absolute paths, recently changed files first.",
  params: Params,
  prepare: Effect.fnUntraced(function* (params) {
    const workspace = yield* Workspace
    const places = yield* searchPlaces(params.dir_path, { acceptsFile: false, missing: "search_path_not_found" })
    if (params.pattern.trim() === "")
      return yield* new ToolFailure({
        type: "invalid_tool_params",
        message: "The parameter pattern must not be empty."
      })
    const within =
      params.dir_path === undefined ? "" : ` within ${relative(workspace.targetDir, places[0]?.start ?? "") || "."}`
    const call: PreparedCall<Workspace | FileFilter | Ripgrep> = {
      description: shownName(`'${params.pattern}'${within}`),
      locations: places.map(({ start }) => ({ path: start })),
      confirmation: Effect.succeed(null),
      narrowing: { by: "argument", key: "pattern", value: params.pattern },
      run: () => find(params)
    }
    return call
  })
})

const find = Effect.fnUntraced(function* (params: typeof Params.Type) {
  const places = yield* searchPlaces(params.dir_path, { acceptsFile: false, missing: "search_path_not_found" })
  const flags = { respectGitIgnore: params.respect_git_ignore, respectGeminiIgnore: params.respect_gemini_ignore }
  const matches = yield* matchesIn(places, params, flags)
  const where = places.length === 1 ? `within ${places[0]?.start}` : `across ${places.length} workspace directories`
  if (matches.length === 0) {
    // Only now: a second listing costs as much as the first.
    const ignored = yield* matchesIn(places, params, null)
    const note = ignored.length > 0 ? ` (${ignored.length} files were ignored)` : ""
    const message = `No files found matching pattern "${params.pattern}" ${where}${note}`
    return { forModel: message, display: { type: "text", text: `No files found${note}` } as const }
  }
  const now = yield* Clock.currentTimeMillis
  const { isByTime, paths } = ordered(matches, now)
  const left = matches.length - paths.length
  const order = isByTime ? "files modified in the last 24 hours first (newest first), then by name" : "sorted by name"
  const header = `Found ${matches.length} file(s) matching "${params.pattern}" ${where}, ${order}:`
  const omitted = left > 0 ? [`(${left} more files not shown; narrow the pattern or give dir_path)`] : []
  return {
    forModel: [header, ...paths.map(shownName), ...omitted].join("\n"),
    display: { type: "text", text: `Found ${matches.length} matching file(s)` } as const,
    data: { matches: matches.length }
  }
})

/** `null` flags: ignored files as well. */
const matchesIn = Effect.fnUntraced(function* (
  places: ReadonlyArray<SearchPlace>,
  params: typeof Params.Type,
  flags: FilterFlags | null
) {
  const filter = yield* FileFilter
  const found = new Set<string>()
  for (const { root, start } of places) {
    const rules = flags === null ? null : yield* filter.rules(root, flags)
    // What lies below an ignored folder is ignored, also when the folder itself was named.
    if (rules?.ignores(start, true) === true) continue
    yield* listFiles({
      scope: {
        root,
        start,
        rules,
        respectGitIgnore: filter.flags(flags ?? {}).respectGitIgnore,
        excludes: [...CORE_FOLDERS],
        hidden: "all"
      },
      timeoutMs: filter.searchTimeoutMs,
      matches: pathGlob(params.pattern, { base: start, isCaseSensitive: params.case_sensitive === true }),
      names: nameGlob(params.pattern),
      onFile: (path) => found.add(path)
    }).pipe(Effect.mapError(globFailure))
  }
  return [...found]
})

const ordered = (matches: ReadonlyArray<string>, now: number) => {
  const collator = new Intl.Collator()
  const byName = (a: string, b: string) => collator.compare(a, b)
  if (matches.length > MAX_TIMES_ASKED) return { isByTime: false, paths: firstSorted(matches, MAX_RESULTS, byName) }
  const times = new Map<string, number>()
  for (const path of matches) {
    const time = statOrNone(path)?.mtimeMs ?? 0
    if (time > now - RECENT_MS) times.set(path, time)
  }
  const byTime = (a: string, b: string) => (times.get(b) ?? 0) - (times.get(a) ?? 0) || byName(a, b)
  return { isByTime: true, paths: firstSorted(matches, MAX_RESULTS, byTime) }
}

const globFailure = (error: RipgrepError): ToolFailure =>
  new ToolFailure({
    type: "glob_execution_error",
    message:
      error.kind === "timeout"
        ? `${error.message} Narrow it down with dir_path.`
        : `The file search failed: ${error.message}`
  })
