/**
 * Reads a definition file: YAML front matter with the positions of its parts, so that every fault is told with its line
 * and field. One file defines one agent, or, as a list, several remote ones.
 */
import { Either, ParseResult, Predicate, Schema } from "effect"
import { type Document, isMap, isNode, isScalar, LineCounter, parseDocument } from "yaml"
import { splitFrontMatter } from "../../skills/front-matter.ts"
import type { Agent } from "../agent.ts"
import type { AgentProblem } from "./agent-problem.ts"
import { LocalFields, RemoteFields } from "./definition-fields.ts"
import { localAgent, remoteAgent } from "./to-agent.ts"

/** Anchors that refer to each other could grow without end. */
const MAX_ALIASES = 100

type Path = ReadonlyArray<PropertyKey>
type Fault = { readonly path: Path; readonly message: string }

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
      faults.map(({ message, path }) => ({
        file,
        line: lineAt(offsetOf(document, path)),
        ...(path.length === 0 ? {} : { field: path.map(String).join(".") }),
        message
      }))
    )
  )
}

const agentsIn = (value: unknown, body: string): Either.Either<ReadonlyArray<Agent>, ReadonlyArray<Fault>> => {
  if (!Array.isArray(value)) return Either.map(agentIn(value, body), (agent) => [agent])
  const read = value.map((one, index) =>
    Either.mapLeft(remoteIn(one), (faults) => faults.map((fault) => ({ ...fault, path: [index, ...fault.path] })))
  )
  const faults = read.flatMap((one) => (Either.isLeft(one) ? one.left : []))
  return faults.length > 0 ? Either.left(faults) : Either.right(read.flatMap((one) => Either.getOrElse(one, () => [])))
}

const agentIn = (value: unknown, body: string): Either.Either<Agent, ReadonlyArray<Fault>> => {
  if (!Predicate.isRecord(value))
    return Either.left([{ path: [], message: "expected fields such as name and description" }])
  if (value.kind === "remote") return remoteIn(value)
  const fields = decoded(LocalFields, value)
  if (Either.isLeft(fields)) return Either.left(fields.left)
  return body === ""
    ? Either.left([{ path: [], message: "the text behind the fields is missing: it is what the agent is told" }])
    : Either.right(localAgent(fields.right, body))
}

const remoteIn = (value: unknown): Either.Either<Agent, ReadonlyArray<Fault>> =>
  Either.flatMap(decoded(RemoteFields, value), (fields) => {
    const agent = remoteAgent(fields)
    return typeof agent === "string" ? Either.left([{ path: [], message: agent }]) : Either.right(agent)
  })

const decoded = <A, I>(schema: Schema.Schema<A, I>, value: unknown): Either.Either<A, ReadonlyArray<Fault>> =>
  Either.mapLeft(Schema.decodeUnknownEither(schema, { errors: "all", onExcessProperty: "error" })(value), (error) =>
    ParseResult.ArrayFormatter.formatErrorSync(error).map(faultOf)
  )

const faultOf = ({ _tag, message, path }: ParseResult.ArrayFormatterIssue): Fault => {
  if (_tag === "Missing") return { path, message: "it is missing" }
  return { path, message: _tag === "Unexpected" ? "there is no such field" : message }
}

/** Of the key of a field, or of the nearest thing around a field that is not there. */
const offsetOf = (document: Document, path: Path): number => {
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
