/** The agents that the fields of a definition describe, once they are values. Pure. */
import { Either, ParseResult, Predicate, Schema } from "effect"
import type { Agent } from "../agent.ts"
import { LocalFields, RemoteFields } from "./definition-fields.ts"
import { localAgent, remoteAgent } from "./to-agent.ts"

export interface Fault {
  /** Names of fields from the outside in; empty for the whole. */
  readonly path: ReadonlyArray<PropertyKey>
  readonly message: string
}

export const agentsIn = (value: unknown, body: string): Either.Either<ReadonlyArray<Agent>, ReadonlyArray<Fault>> => {
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
    return "_tag" in agent ? Either.left([agent]) : Either.right(agent)
  })

const decoded = <A, I>(schema: Schema.Schema<A, I>, value: unknown): Either.Either<A, ReadonlyArray<Fault>> =>
  Either.mapLeft(Schema.decodeUnknownEither(schema, { errors: "all", onExcessProperty: "error" })(value), (error) =>
    ParseResult.ArrayFormatter.formatErrorSync(error).map(faultOf)
  )

const faultOf = ({ _tag, message, path }: ParseResult.ArrayFormatterIssue): Fault => {
  if (_tag === "Missing") return { path, message: "it is missing" }
  return { path, message: _tag === "Unexpected" ? "there is no such field" : message }
}
