/** Searching the text of files: the request and its result, and the choice of the engine. Both engines answer alike. */
import { closeSync, readFileSync } from "node:fs"
import { basename, relative } from "node:path"
import { Effect, Option } from "effect"
import { readMonotonicMillis } from "../kernel/monotonic-time.ts"
import { statOrNone } from "../system/regular-file.ts"
import { Ripgrep, RipgrepError } from "./ripgrep.ts"
import { openRegular } from "./safe-open.ts"
import { type SearchScope, skipsIn } from "./search-scope.ts"
import { decodeText, encodingOfBom } from "./text-encoding.ts"
import { searchByRipgrep } from "./text-search-ripgrep.ts"
import { walk } from "./walk.ts"

export interface TextQuery {
  readonly pattern: string
  readonly isFixed: boolean
  readonly isCaseSensitive: boolean
  /** Lines around each match. */
  readonly before: number
  readonly after: number
  /** Which files: `*.ts` at any depth, `src/*.ts` from the root; as in an ignore file. */
  readonly include: string | undefined
  /** Lines that match this are no matches. */
  readonly excludeLines: RegExp | undefined
  readonly maxPerFile: number | undefined
  readonly maxTotal: number
}

export interface SearchRequest {
  readonly scope: SearchScope
  readonly query: TextQuery
  /** Whether a file may be read at all. */
  readonly mayRead: (path: string) => boolean
  readonly timeoutMs: number
}

export interface FoundLine {
  /** Absolute. */
  readonly path: string
  /** From 1. */
  readonly lineNumber: number
  /** Without its line end. */
  readonly line: string
  readonly isContext: boolean
}

export interface SearchResult {
  /** By file, then by line. Files in no order. */
  readonly lines: ReadonlyArray<FoundLine>
  readonly matchCount: number
  /** More matches exist than were asked for. */
  readonly isCut: boolean
}

// Text search without ripgrep: a walk and JavaScript's regular expressions, one file at a time. For platforms and
// settings without ripgrep. The runtime gives up on an expression that backtracks without end, and the time limit is
// looked at between lines, so a bad pattern ends as a timeout.

/** Larger files are passed over. */
const MAX_FILE_BYTES = 20 * 1024 * 1024
const SNIFF_BYTES = 8192

const searchInProcess = Effect.fn("searchInProcess")(function* (request: SearchRequest) {
  const { query, scope } = request
  const clock = yield* Effect.clock
  const deadline = readMonotonicMillis(clock) + request.timeoutMs
  const isLate = () => readMonotonicMillis(clock) > deadline
  const search = fileSearch(query, isLate)
  const includes = includeTest(query.include, scope.root)
  const visit = (path: string) => !isLate() && (!includes(path) || !request.mayRead(path) || search.file(path))

  if (statOrNone(scope.start)?.isFile() === true) visit(scope.start)
  else
    yield* walk({
      root: scope.start,
      skips: skipsIn(scope),
      visit: (entry) => entry.isDirectory || visit(entry.path)
    })
  if (isLate())
    return yield* new RipgrepError({
      kind: "timeout",
      detail: `The search took longer than ${request.timeoutMs / 1000} s.`
    })
  return search.result()
})

/** As ripgrep's `--glob`: a pattern without a slash is about the name, one with a slash about the path from the root. */
const includeTest = (pattern: string | undefined, root: string): ((path: string) => boolean) => {
  if (pattern === undefined) return () => true
  const glob = new Bun.Glob(pattern.replace(/^\//, ""))
  return pattern.includes("/") ? (path) => glob.match(relative(root, path)) : (path) => glob.match(basename(path))
}

const fileSearch = (query: TextQuery, isLate: () => boolean) => {
  const source = query.isFixed ? query.pattern.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&") : query.pattern
  const expression = new RegExp(source, query.isCaseSensitive ? "" : "i")
  const found: Array<FoundLine> = []
  let matchCount = 0
  let isCut = false

  const isMatch = (line: string) => expression.test(line) && query.excludeLines?.test(line) !== true

  /** Line numbers (from 0) that match, as many as are still wanted. `null` to end the search. */
  const matchesIn = (lines: ReadonlyArray<string>): Array<number> | null => {
    const numbers: Array<number> = []
    for (let index = 0; index < lines.length; index++) {
      if (isLate()) return null
      if (!isMatch(lines[index] ?? "")) continue
      if (matchCount + numbers.length >= query.maxTotal) {
        isCut = true
        break
      }
      numbers.push(index)
      if (numbers.length >= (query.maxPerFile ?? Number.POSITIVE_INFINITY)) break
    }
    return numbers
  }

  const file = (path: string): boolean => {
    const lines = linesOf(path)
    const numbers = matchesIn(lines)
    if (numbers === null) return false
    matchCount += numbers.length
    found.push(...withContext(path, lines, numbers, query))
    return !isCut
  }

  return { file, result: (): SearchResult => ({ lines: found, matchCount, isCut }) }
}

const withContext = (
  path: string,
  lines: ReadonlyArray<string>,
  numbers: ReadonlyArray<number>,
  { after, before }: TextQuery
): ReadonlyArray<FoundLine> => {
  const matches = new Set(numbers)
  const shown = new Set<number>()
  for (const number of numbers)
    for (let at = Math.max(0, number - before); at <= Math.min(lines.length - 1, number + after); at++) shown.add(at)
  return [...shown]
    .sort((a, b) => a - b)
    .map((at) => ({ path, lineNumber: at + 1, line: lines[at] ?? "", isContext: !matches.has(at) }))
}

/** Nothing for a file that cannot be read or is not text. */
const linesOf = (path: string): ReadonlyArray<string> => {
  const bytes = readQuietly(path)
  const isBinary = encodingOfBom(bytes) === null && bytes.subarray(0, SNIFF_BYTES).includes(0)
  if (isBinary || bytes.length === 0) return []
  const lines = decodeText(bytes).text.split(/\r?\n/)
  return lines.at(-1) === "" ? lines.slice(0, -1) : lines
}

const readQuietly = (path: string): Uint8Array => {
  try {
    const { fd, stat } = openRegular(path)
    try {
      return stat.size > MAX_FILE_BYTES ? new Uint8Array() : readFileSync(fd)
    } finally {
      closeSync(fd)
    }
  } catch {
    return new Uint8Array()
  }
}

export const searchText = Effect.fn("searchText")(function* (request: SearchRequest) {
  const ripgrep = yield* Ripgrep
  const program = yield* ripgrep.program
  return yield* Option.isSome(program) ? searchByRipgrep(ripgrep, request) : searchInProcess(request)
})
