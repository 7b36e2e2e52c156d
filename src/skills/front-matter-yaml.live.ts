/** Heads that need a YAML parser. */
import { Either } from "effect"
import { LineCounter, parseDocument } from "yaml"
import type { HeadFault } from "./front-matter.ts"

/** The values as they are: a key may hold anything. Faults name lines of the file, whose first line is the mark. */
export const yamlHead = (lines: ReadonlyArray<string>): Either.Either<ReadonlyMap<string, unknown>, HeadFault> => {
  const lineCounter = new LineCounter()
  const document = parseDocument(lines.join("\n"), { lineCounter, logLevel: "silent", prettyErrors: false })
  const [error] = document.errors
  if (error !== undefined) {
    return Either.left({ line: lineCounter.linePos(error.pos[0]).line + 1, detail: firstLine(error.message) })
  }
  return Either.flatMap(resolved(document), (value) =>
    typeof value === "object" && value !== null && !Array.isArray(value)
      ? Either.right(new Map<string, unknown>(Object.entries(value)))
      : Either.left({ line: 1, detail: "its head is not a list of keys and values" })
  )
}

/** References of one value to another can grow beyond all bounds; the parser refuses those. */
const resolved = (document: ReturnType<typeof parseDocument>): Either.Either<unknown, HeadFault> =>
  Either.try({ try: (): unknown => document.toJS(), catch: () => ({ line: 1, detail: "its head cannot be resolved" }) })

const firstLine = (text: string): string => text.split("\n")[0] ?? text
