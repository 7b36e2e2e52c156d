/**
 * Lists the files of a folder, by ripgrep where there is one and by a walk where not. Paths are handed on as they are
 * found, so that a caller can match and drop them without keeping hundreds of thousands.
 */
import { Effect, Option } from "effect"
import { Ripgrep, RipgrepError } from "./ripgrep.ts"
import { absoluteResult, isKept, type SearchScope, scopeArguments, skipsIn } from "./search-scope.ts"
import { walk } from "./walk.ts"

export interface ListRequest {
  readonly scope: SearchScope
  readonly timeoutMs: number
  /** Gets each file as an absolute path, in no order; `false` ends the listing. Links are not listed. */
  readonly onFile: (path: string) => boolean
}

export const listFiles = Effect.fn("listFiles")(function* (request: ListRequest) {
  const ripgrep = yield* Ripgrep
  const program = yield* ripgrep.program
  return yield* Option.isSome(program) ? listByRipgrep(ripgrep, request) : listByWalk(request)
})

const listByRipgrep = Effect.fnUntraced(function* (
  ripgrep: Ripgrep["Type"],
  { onFile, scope, timeoutMs }: ListRequest
) {
  const keeps = isKept(scope, { hasGlobs: false })
  const paths = recordsOf(0, (record) => {
    const path = absoluteResult(scope, record)
    return !keeps(path) || onFile(path)
  })
  const end = yield* ripgrep.run({
    args: ["--files", "--null", ...scopeArguments(scope)],
    cwd: scope.root,
    timeout: timeoutMs,
    onOutput: paths
  })
  // Without messages about single files, what is left on stderr is about the arguments.
  if (end.exitCode === 2 && end.stderr !== "")
    return yield* new RipgrepError({ kind: "failed", detail: end.stderr.trim() })
})

const listByWalk = ({ onFile, scope, timeoutMs }: ListRequest) =>
  walk({
    root: scope.start,
    skips: skipsIn(scope),
    visit: (entry) => entry.isDirectory || onFile(entry.path)
  }).pipe(
    Effect.timeoutFail({
      duration: timeoutMs,
      onTimeout: () => new RipgrepError({ kind: "timeout", detail: "Listing the files took too long." })
    })
  )

/** Cuts a stream of bytes at a separator byte; gives the texts between. Ends when `onRecord` says `false`. */
export const recordsOf = (
  separator: number,
  onRecord: (record: string) => boolean
): ((bytes: Uint8Array) => boolean) => {
  let rest: Uint8Array = new Uint8Array()
  return (bytes) => {
    const end = bytes.lastIndexOf(separator)
    if (end === -1) {
      rest = Buffer.concat([rest, bytes])
      return true
    }
    const whole = Buffer.concat([rest, bytes.subarray(0, end)]).toString("utf8")
    rest = bytes.slice(end + 1)
    return whole.split(String.fromCharCode(separator)).every(onRecord)
  }
}
