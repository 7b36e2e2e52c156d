/** Searching the text of files: the request and its result, and the choice of the engine. Both engines answer alike. */
import { Effect, Option } from "effect"
import { Ripgrep } from "./ripgrep.ts"
import type { SearchScope } from "./search-scope.ts"
import { searchInProcess } from "./text-search-in-process.ts"
import { searchByRipgrep } from "./text-search-ripgrep.ts"

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

export const searchText = Effect.fn("searchText")(function* (request: SearchRequest) {
  const ripgrep = yield* Ripgrep
  const program = yield* ripgrep.program
  return yield* Option.isSome(program) ? searchByRipgrep(ripgrep, request) : searchInProcess(request)
})
