/**
 * Lists the files of a folder, by ripgrep where there is one and by a walk where not. Paths are handed on as they are
 * found, so that a caller can match and drop them without keeping hundreds of thousands.
 */
import { relative, sep } from "node:path"
import { Effect, Option } from "effect"
import { Ripgrep, RipgrepError } from "./ripgrep.ts"
import { isKept, type SearchScope, scopeArguments, skipsIn } from "./search-scope.ts"
import { walk } from "./walk.ts"

export interface ListRequest {
  readonly scope: SearchScope
  readonly timeoutMs: number
  /** Which files are wanted, by their path from the start, with `/`. Asked first: most files fail here. */
  readonly matches: (relativePath: string) => boolean
  /** A glob that the names of all wanted files match (`nameGlob`): then ripgrep need not print the others. */
  readonly names?: string | undefined
  /** Gets each of them as an absolute path, in no order. Links are not listed. */
  readonly onFile: (path: string) => void
}

export const listFiles = Effect.fn("listFiles")(function* (request: ListRequest) {
  const ripgrep = yield* Ripgrep
  const program = yield* ripgrep.program
  return yield* Option.isSome(program) ? listByRipgrep(ripgrep, request) : listByWalk(request)
})

const listByRipgrep = Effect.fnUntraced(function* (
  ripgrep: Ripgrep["Type"],
  { matches, names, onFile, scope, timeoutMs }: ListRequest
) {
  const keeps = isKept(scope, { hasGlobs: false })
  // Printed paths begin with the place that was given: `./`, or the folder from the root.
  const root = scope.root.endsWith(sep) ? scope.root : scope.root + sep
  const place = relative(scope.root, scope.start)
  const skip = place === "" ? 2 : place.length + 1
  const take = (record: string) => {
    const name = record.slice(skip)
    if (!matches(sep === "/" ? name : name.replaceAll(sep, "/"))) return true
    const path = root + (place === "" ? name : record)
    if (keeps(path)) onFile(path)
    return true
  }
  const end = yield* ripgrep.run({
    args: ["--files", "--null", ...nameArguments(scope, names), ...scopeArguments(scope)],
    cwd: scope.root,
    timeout: timeoutMs,
    onOutput: recordsOf(0, take)
  })
  // Without messages about single files, what is left on stderr is about the arguments.
  if (end.exitCode === 2 && end.stderr !== "")
    return yield* new RipgrepError({ kind: "failed", detail: end.stderr.trim() })
})

/** As a file type, because a `--glob` would show ignored files again. A type does so with hidden ones. */
const nameArguments = (scope: SearchScope, names: string | undefined): ReadonlyArray<string> =>
  names === undefined || scope.hidden !== "all" ? [] : [`--type-add=wanted:${names}`, "--type=wanted"]

const listByWalk = ({ matches, onFile, scope, timeoutMs }: ListRequest) =>
  walk({
    root: scope.start,
    skips: skipsIn(scope),
    visit: (entry) => {
      if (!entry.isDirectory && matches(relative(scope.start, entry.path).replaceAll(sep, "/"))) onFile(entry.path)
      return true
    }
  }).pipe(
    Effect.timeoutFail({
      duration: timeoutMs,
      onTimeout: () => new RipgrepError({ kind: "timeout", detail: "Listing the files took too long." })
    })
  )

/** A record longer than this is dropped: a line of that length is no text that anyone reads. */
const MAX_RECORD_BYTES = 16 * 1024 * 1024

/** Cuts a stream of bytes at a separator byte; gives the texts between. Ends when `onRecord` says `false`. */
export const recordsOf = (
  separator: number,
  onRecord: (record: string) => boolean
): ((bytes: Uint8Array) => boolean) => {
  const character = String.fromCharCode(separator)
  let pending: Array<Uint8Array> = []
  let size = 0
  const keep = (bytes: Uint8Array) => {
    size += bytes.length
    if (size > MAX_RECORD_BYTES) pending = []
    else pending.push(bytes)
  }
  return (bytes) => {
    const end = bytes.lastIndexOf(separator)
    if (end === -1) {
      keep(bytes)
      return true
    }
    const isDropped = size > MAX_RECORD_BYTES
    const records = Buffer.concat([...pending, bytes.subarray(0, end)])
      .toString("utf8")
      .split(character)
    pending = []
    size = 0
    keep(bytes.subarray(end + 1))
    return (isDropped ? records.slice(1) : records).every(onRecord)
  }
}
