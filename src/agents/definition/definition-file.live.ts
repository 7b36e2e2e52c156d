/**
 * Reads a definition file: YAML front matter with the positions of its parts, so that every fault is told with its line
 * and field. One file defines one agent, or, as a list, several remote ones.
 */
import { Either } from "effect"
import { type Document, isMap, isNode, isScalar, LineCounter, parseDocument } from "yaml"
import { splitFrontMatter } from "../../skills/front-matter.ts"
import type { Agent, AgentProblem } from "../agent.ts"
import { agentsIn, type DefinitionFault } from "./to-agent.ts"

/** Anchors that refer to each other could grow without end. */
const MAX_ALIASES = 100

export const parseDefinition = (
  file: string,
  text: string
): Either.Either<ReadonlyArray<Agent>, ReadonlyArray<AgentProblem>> => {
  const parts = splitFrontMatter(text)
  if (Either.isLeft(parts)) return Either.left([{ file, line: parts.left.line, message: parts.left.detail }])
  const { body, head } = parts.right
  const lines = new LineCounter()
  const document = parseDocument(head.join("\n"), { lineCounter: lines, prettyErrors: false })
  // The first line of the file is the mark above the head.
  const lineAt = (offset: number) => lines.linePos(offset).line + 1
  if (document.errors.length > 0) {
    return Either.left(document.errors.map(({ message, pos }) => ({ file, line: lineAt(pos[0]), message })))
  }
  const value = Either.try({
    try: (): unknown => document.toJS({ maxAliasCount: MAX_ALIASES }),
    catch: (cause) => [{ file, line: 2, message: String(cause) }]
  })
  return Either.flatMap(value, (fields) =>
    Either.mapLeft(agentsIn(fields, body), (faults) =>
      faults
        .map(({ message, path }) => ({
          file,
          line: lineAt(offsetOf(document, path)),
          ...(path.length === 0 ? {} : { field: path.map(String).join(".") }),
          message
        }))
        .sort((one, other) => one.line - other.line)
    )
  )
}

/** Of the key of a field, or of the nearest thing around a field that is not there. */
const offsetOf = (document: Document, path: DefinitionFault["path"]): number => {
  for (let length = path.length; length > 0; length--) {
    const parent = document.getIn(path.slice(0, length - 1), true) ?? document.contents
    const name = path[length - 1]
    if (isMap(parent)) {
      const pair = parent.items.find(({ key }) => isScalar(key) && key.value === name)
      if (isNode(pair?.key) && pair.key.range) return pair.key.range[0]
    }
    const node = document.getIn(path.slice(0, length), true)
    if (isNode(node) && node.range) return node.range[0]
  }
  return 0
}
