/**
 * The `grep_search` tool: lines that match a regular expression, by ripgrep or in process, with the same parameters and
 * the same answer either way. The pattern is checked by the engine that will run it.
 */
import { basename, dirname, relative } from "node:path"
import { Effect, Option, Schema } from "effect"
import { isInside } from "../files/containment.ts"
import { CORE_FOLDERS, EXTRA_FOLDERS, SEARCH_FILES } from "../files/excludes.ts"
import { FileFilter } from "../files/file-filter.ts"
import { Ripgrep, type RipgrepError } from "../files/ripgrep.ts"
import { decodeText } from "../files/text-encoding.ts"
import { type FoundLine, type SearchResult, searchText, type TextQuery } from "../files/text-search.ts"
import { patternFault } from "../files/text-search-ripgrep.ts"
import { Workspace } from "../files/workspace.ts"
import { MAX_FILE_BYTES } from "./search/file-content.ts"
import { type SearchPlace, searchPlaces } from "./search/file-rules.ts"
import { shownName } from "./search/shown-name.ts"
import { defineTool, type PreparedCall, ToolFailure } from "./tool.ts"

const DEFAULT_MAX_MATCHES = 100

const flag = (description: string) => Schema.optional(Schema.Boolean.annotations({ description }))
const atLeast = (minimum: number, description: string) =>
  Schema.optional(Schema.Int.pipe(Schema.greaterThanOrEqualTo(minimum)).annotations({ description }))

const Params = Schema.Struct({
  pattern: Schema.String.annotations({ description: "Regular expression to search for." }),
  dir_path: Schema.optional(
    Schema.String.annotations({ description: "Directory or file to search. Default: the whole workspace." })
  ),
  include_pattern: Schema.optional(
    Schema.String.annotations({ description: "Glob of files to search, such as *.ts." })
  ),
  exclude_pattern: Schema.optional(
    Schema.String.annotations({ description: "Regular expression; matching lines are dropped." })
  ),
  names_only: flag("Give only the paths of matching files."),
  max_matches_per_file: atLeast(1, "Most matches per file."),
  total_max_matches: atLeast(1, "Most matches overall. Default 100."),
  case_sensitive: flag("Default false."),
  fixed_strings: flag("Take the pattern literally."),
  context: atLeast(0, "Lines around each match."),
  after: atLeast(0, "Lines after each match."),
  before: atLeast(0, "Lines before each match."),
  no_ignore: flag("Search ignored files too.")
})
type Params = typeof Params.Type

const PLACES = { acceptsFile: true, missing: "file_not_found" } as const

// With one to three matches, the lines around each are added at no further call: the model would ask for them next.
// A file that cannot be read any more keeps its bare matches.

const FEW_MATCHES = 3
const LINES_FOR_ONE = 50
const LINES_FOR_FEW = 15

const withAutoContext = Effect.fn("withAutoContext")(function* (matches: ReadonlyArray<FoundLine>) {
  if (matches.length === 0 || matches.length > FEW_MATCHES) return matches
  const reach = matches.length === 1 ? LINES_FOR_ONE : LINES_FOR_FEW
  const workspace = yield* Workspace
  const around = yield* Effect.forEach(matches, (match) =>
    workspace.resolve(match.path, "read").pipe(
      Effect.flatMap((path) => workspace.read(path, { maxBytes: MAX_FILE_BYTES })),
      Effect.map(({ bytes }) => contextOf(match, decodeText(bytes).text.split(/\r?\n/), reach)),
      Effect.catchAll(() => Effect.succeed([]))
    )
  )
  return [...matches, ...around.flat()]
})

const contextOf = (match: FoundLine, lines: ReadonlyArray<string>, reach: number): ReadonlyArray<FoundLine> => {
  const first = Math.max(1, match.lineNumber - reach)
  // A final line end makes one more, empty line, which is none.
  const count = lines.at(-1) === "" ? lines.length - 1 : lines.length
  const last = Math.min(count, match.lineNumber + reach)
  return lines
    .slice(first - 1, last)
    .map((line, index) => ({ path: match.path, lineNumber: first + index, line, isContext: true }))
}

export const grepSearchTool = defineTool({
  name: "grep_search",
  aliases: ["search_file_content"],
  classNames: ["GrepTool", "RipGrepTool"],
  displayName: "SearchText",
  kind: "search",
  description:
    "Searches file contents by regular expression. Gives file, line number and line; few matches come with context.",
  params: Params,
  prepare: Effect.fnUntraced(function* (params) {
    const workspace = yield* Workspace
    yield* checkPattern(params)
    yield* excludeLines(params)
    const places = yield* searchPlaces(params.dir_path, PLACES)
    const filter = params.include_pattern === undefined ? "" : ` in ${params.include_pattern}`
    const within =
      params.dir_path === undefined ? "" : ` within ${relative(workspace.targetDir, places[0]?.start ?? "") || "."}`
    const call: PreparedCall<Workspace | FileFilter | Ripgrep> = {
      description: shownName(`'${params.pattern}'${filter}${within}`),
      locations: places.map(({ start }) => ({ path: start })),
      confirmation: Effect.succeed(null),
      narrowing: { by: "argument", key: "pattern", value: params.pattern },
      run: () => search(params)
    }
    return call
  })
})

const search = Effect.fnUntraced(function* (params: Params) {
  const places = yield* searchPlaces(params.dir_path, PLACES)
  const maxTotal = params.total_max_matches ?? DEFAULT_MAX_MATCHES
  const excluded = yield* excludeLines(params)
  let result: SearchResult = { lines: [], matchCount: 0, isCut: false }
  for (const place of places) {
    const query = { ...queryOf(params), excludeLines: excluded, maxTotal: maxTotal - result.matchCount }
    const more = yield* searchIn(place, params, query)
    result = {
      lines: [...result.lines, ...more.lines],
      matchCount: result.matchCount + more.matchCount,
      isCut: result.isCut || more.isCut
    }
    if (result.isCut) break
  }
  const wantsContext = params.context === undefined && params.after === undefined && params.before === undefined
  const lines = wantsContext && params.names_only !== true ? yield* withAutoContext(result.lines) : result.lines
  const report: GrepReport = {
    pattern: params.pattern,
    where: placeName(params, places),
    include: params.include_pattern,
    isCut: result.isCut,
    matchCount: result.matchCount,
    files: byFile(lines, (path) => baseOf(path, places))
  }
  return {
    forModel: params.names_only === true ? namesText(report) : grepText(report),
    display: { type: "text", text: summary(report, params) } as const,
    data: { matches: result.matchCount, files: report.files.length }
  }
})

const searchIn = Effect.fnUntraced(function* ({ isFile, root, start }: SearchPlace, params: Params, query: TextQuery) {
  const filter = yield* FileFilter
  const workspace = yield* Workspace
  const ignoresNothing = params.no_ignore === true
  const rules = ignoresNothing ? null : yield* filter.rules(root)
  const nothing: SearchResult = { lines: [], matchCount: 0, isCut: false }
  if (rules?.ignores(start, !isFile) === true) return nothing
  return yield* searchText({
    scope: {
      root,
      start,
      rules,
      respectGitIgnore: filter.flags().respectGitIgnore,
      excludes: ignoresNothing ? [] : [...CORE_FOLDERS, ...EXTRA_FOLDERS, ...SEARCH_FILES],
      hidden: basename(params.include_pattern ?? "").startsWith(".") ? "files" : "none"
    },
    query,
    mayRead: yield* workspace.mayRead,
    timeoutMs: filter.searchTimeoutMs
  }).pipe(Effect.mapError(grepFailure))
})

const queryOf = (params: Params): Omit<TextQuery, "excludeLines" | "maxTotal"> => ({
  pattern: params.pattern,
  isFixed: params.fixed_strings === true,
  isCaseSensitive: params.case_sensitive === true,
  before: params.before ?? params.context ?? 0,
  after: params.after ?? params.context ?? 0,
  include: params.include_pattern,
  maxPerFile: params.max_matches_per_file
})

/** Most patterns are valid for every engine; the rest is asked of the one that will run. */
const checkPattern = Effect.fnUntraced(function* (params: Params) {
  if (params.pattern === "") return yield* invalid("The parameter pattern must not be empty.")
  if (params.fixed_strings === true) return
  const fault = expressionFault(params.pattern)
  if (fault === null) return
  const ripgrep = yield* Ripgrep
  const program = yield* ripgrep.program
  const verdict = Option.isSome(program) ? yield* patternFault(ripgrep, params.pattern) : fault
  if (verdict !== null) return yield* invalid(`The pattern is not a valid regular expression: ${verdict}`)
})

const excludeLines = Effect.fnUntraced(function* ({ case_sensitive, exclude_pattern: pattern }: Params) {
  if (pattern === undefined) return undefined
  const fault = expressionFault(pattern)
  if (fault !== null) return yield* invalid(`The exclude_pattern is not a valid regular expression: ${fault}`)
  return new RegExp(pattern, case_sensitive === true ? "" : "i")
})

const expressionFault = (pattern: string): string | null => {
  try {
    new RegExp(pattern)
    return null
  } catch (cause) {
    return cause instanceof Error ? cause.message : String(cause)
  }
}

const placeName = (params: Params, places: ReadonlyArray<SearchPlace>): string => {
  if (params.dir_path !== undefined) return `in path "${params.dir_path}"`
  return places.length === 1 ? "in the workspace directory" : `across ${places.length} workspace directories`
}

/** Paths are shown from the place that was searched; with several, from above them, so that their names tell them apart. */
const baseOf = (path: string, places: ReadonlyArray<SearchPlace>): string => {
  const place = places.find(({ start }) => isInside(start, path))
  if (place === undefined) return "/"
  return places.length > 1 || place.isFile ? dirname(place.start) : place.start
}

const summary = (report: GrepReport, params: Params): string => {
  if (report.matchCount === 0) return "No matches found"
  if (params.names_only === true) return `Found ${report.files.length} file(s) with matches`
  return `Found ${report.matchCount} match(es)${report.isCut ? " (limited)" : ""}`
}

const invalid = (message: string) => new ToolFailure({ type: "invalid_tool_params", message })

const grepFailure = (error: RipgrepError): ToolFailure =>
  new ToolFailure({
    type: "grep_execution_error",
    message:
      error.kind === "timeout"
        ? `${error.message} Narrow it down with dir_path or include_pattern.`
        : `The search failed: ${error.message}`
  })

/** The result of a text search as the model reads it. */
const MAX_LINE_POINTS = 2000

interface GrepReport {
  readonly pattern: string
  /** Such as `in path "src"`. */
  readonly where: string
  readonly include: string | undefined
  readonly isCut: boolean
  readonly matchCount: number
  readonly files: ReadonlyArray<FileLines>
}

interface FileLines {
  readonly path: string
  /** As shown to the model. */
  readonly name: string
  readonly lines: ReadonlyArray<FoundLine>
}

const grepText = (report: GrepReport): string => {
  if (report.matchCount === 0)
    return `No matches found for pattern "${report.pattern}" ${report.where}${filterNote(report)}.`
  const noun = report.matchCount === 1 ? "match" : "matches"
  const limit = report.isCut ? ` (results limited to ${report.matchCount} matches for performance)` : ""
  const header = `Found ${report.matchCount} ${noun} for pattern "${report.pattern}" ${report.where}${filterNote(report)}${limit}:`
  const blocks = report.files.map(({ lines, name }) =>
    [
      `File: ${shownName(name)}`,
      ...lines.map((line) => `L${line.lineNumber}${line.isContext ? "-" : ":"} ${shortText(line.line)}`),
      "---"
    ].join("\n")
  )
  return [header, "---", ...blocks].join("\n")
}

const namesText = (report: GrepReport): string => {
  if (report.matchCount === 0) return grepText(report)
  const names = report.files.map(({ name }) => shownName(name)).sort()
  const limit = report.isCut ? " (results limited)" : ""
  const noun = names.length === 1 ? "file" : "files"
  return [
    `Found ${names.length} ${noun} with matches for pattern "${report.pattern}" ${report.where}${filterNote(report)}${limit}:`,
    ...names
  ].join("\n")
}

/** Lines by file, in order; each line once, a match before the context it also is. */
const byFile = (lines: ReadonlyArray<FoundLine>, base: (path: string) => string): ReadonlyArray<FileLines> => {
  const files = new Map<string, Map<number, FoundLine>>()
  for (const line of lines) {
    const known = files.get(line.path) ?? new Map<number, FoundLine>()
    files.set(line.path, known)
    if (known.get(line.lineNumber)?.isContext !== false) known.set(line.lineNumber, line)
  }
  return [...files]
    .map(([path, found]) => ({
      path,
      name: relative(base(path), path) || path,
      lines: [...found.values()].sort((a, b) => a.lineNumber - b.lineNumber)
    }))
    .sort((a, b) => (a.path < b.path ? -1 : 1))
}

const filterNote = ({ include }: GrepReport): string => (include === undefined ? "" : ` (filter: "${include}")`)

const shortText = (line: string): string => {
  const text = line.trimEnd()
  if (text.length <= MAX_LINE_POINTS) return text
  const points = [...text]
  return points.length <= MAX_LINE_POINTS ? text : `${points.slice(0, MAX_LINE_POINTS).join("")}... [truncated]`
}
