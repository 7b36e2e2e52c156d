/**
 * With one to three matches, the lines around each are added at no further call: the model would ask for them next.
 * A file that cannot be read any more keeps its bare matches.
 */
import { Effect } from "effect"
import { decodeText } from "../../files/text-encoding.ts"
import type { FoundLine } from "../../files/text-search.ts"
import { Workspace } from "../../files/workspace.ts"
import { MAX_FILE_BYTES } from "./file-content.ts"

const FEW_MATCHES = 3
const LINES_FOR_ONE = 50
const LINES_FOR_FEW = 15

export const withAutoContext = Effect.fn("withAutoContext")(function* (matches: ReadonlyArray<FoundLine>) {
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
