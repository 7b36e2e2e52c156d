/**
 * Text search by ripgrep's JSON output. It is read line by line and the process ended as soon as there are enough
 * matches. Files that our own ignore rules or the workspace border exclude are dropped before they count.
 */
import { Effect, Either, Schema } from "effect"
import { recordsOf } from "./list-files.ts"
import { type Ripgrep, RipgrepError } from "./ripgrep.ts"
import { absoluteResult, isKept, type SearchScope, scopeArguments } from "./search-scope.ts"
import { decodeText } from "./text-encoding.ts"
import type { FoundLine, SearchRequest, SearchResult, TextQuery } from "./text-search.ts"

const NEWLINE = 10

export const searchByRipgrep = Effect.fn("searchByRipgrep")(function* (
  ripgrep: Ripgrep["Type"],
  { mayRead, query, scope, timeoutMs }: SearchRequest
) {
  const keeps = isKept(scope, { hasGlobs: query.include !== undefined })
  const collected = collector(query, scope, (path) => mayRead(path) && keeps(path))
  const end = yield* ripgrep.run({
    args: [...queryArguments(query), ...scopeArguments(scope, query.include === undefined ? [] : [query.include])],
    cwd: scope.root,
    timeout: timeoutMs,
    onOutput: recordsOf(NEWLINE, collected.take)
  })
  if (end.exitCode === 2 && end.stderr !== "")
    return yield* new RipgrepError({ kind: "failed", detail: end.stderr.trim() })
  return collected.result()
})

/** Whether ripgrep's own engine takes the pattern; gives its complaint if not. */
export const patternFault = (ripgrep: Ripgrep["Type"], pattern: string): Effect.Effect<string | null> =>
  ripgrep
    .run({
      args: ["--engine=auto", `--regexp=${pattern}`, "--quiet", "--", "-"],
      cwd: "/",
      timeout: 5000,
      onOutput: () => true
    })
    .pipe(
      Effect.map((end) => (end.exitCode === 2 ? end.stderr.trim() : null)),
      Effect.catchAll((error) => Effect.succeed(error.message))
    )

const queryArguments = (query: TextQuery): ReadonlyArray<string> => [
  "--json",
  "--threads=4",
  query.isCaseSensitive ? "--case-sensitive" : "--ignore-case",
  // Patterns that need look-around or back-references go to PCRE2, the others to the faster engine.
  query.isFixed ? "--fixed-strings" : "--engine=auto",
  `--regexp=${query.pattern}`,
  `--before-context=${query.before}`,
  `--after-context=${query.after}`,
  ...(query.maxPerFile === undefined ? [] : [`--max-count=${query.maxPerFile}`])
]

/** Text, or base64 where it is not valid UTF-8. */
const Data = Schema.Union(Schema.Struct({ text: Schema.String }), Schema.Struct({ bytes: Schema.String }))
const Message = Schema.Union(
  Schema.Struct({
    type: Schema.Literal("match", "context"),
    data: Schema.Struct({ path: Data, lines: Data, line_number: Schema.Number })
  }),
  Schema.Struct({ type: Schema.Literal("end") })
)

const collector = (query: TextQuery, scope: SearchScope, isAllowed: (path: string) => boolean) => {
  const decode = Schema.decodeEither(Schema.parseJson(Message))
  const lines: Array<FoundLine> = []
  const verdicts = new Map<string, boolean>()
  let matchCount = 0
  let isCut = false

  const allows = (path: string): boolean => {
    const known = verdicts.get(path) ?? isAllowed(path)
    verdicts.set(path, known)
    return known
  }

  const take = (record: string): boolean => {
    const message = Either.getOrNull(decode(record))
    if (message === null || message.type === "end" || !("text" in message.data.path)) return true
    const { data, type } = message
    const path = absoluteResult(scope, message.data.path.text)
    if (!allows(path)) return true
    const line = textOf(data.lines).replace(/\r?\n$/, "")
    const isContext = type === "context"
    if (!isContext) {
      if (query.excludeLines?.test(line) === true) return true
      if (matchCount >= query.maxTotal) {
        isCut = true
        return false
      }
      matchCount++
    }
    lines.push({ path, lineNumber: data.line_number, line, isContext })
    return true
  }

  return { take, result: (): SearchResult => ({ lines, matchCount, isCut }) }
}

const textOf = (data: typeof Data.Type): string =>
  "text" in data ? data.text : decodeText(Buffer.from(data.bytes, "base64")).text
