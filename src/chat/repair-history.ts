/**
 * A conversation that was kept elsewhere, made one that the API accepts: each call gets its response, each response its
 * call, both carry the same id, and responses stand first, in the order of the calls. A file may have been cut off,
 * edited, or written by another program; what is whole in it stays as it is. Pure.
 *
 * What stands open at the end is left: the next prompt closes it.
 */
import { createHash } from "node:crypto"
import type { Content, FunctionCall, FunctionResponse, Part, Role } from "../protocol/content.ts"
import { isValidPart, SYNTHETIC_SIGNATURE, saysSomething } from "./request-contents.ts"

export const repairHistory = (contents: ReadonlyArray<Content>): ReadonlyArray<Content> => {
  const runs = runsOf(contents.flatMap(cleaned))
  const repaired: Array<Content> = []
  for (let index = 0; index < runs.length; index++) {
    const run = runs[index]
    const next = runs[index + 1]
    if (run === undefined) continue
    // A run of the model is repaired together with the answers to it.
    if (run.role === "model" && next !== undefined) {
      repaired.push(...repairPair(run, next))
      index++
    } else repaired.push(...(run.role === "user" ? repairOpening(run) : closing(run)))
  }
  return repaired
}

/** Messages of one role in a row: the API takes them as one. */
interface Run {
  readonly role: Role
  readonly contents: ReadonlyArray<Content>
  /** The place of its first message. */
  readonly place: number
}

interface Pair {
  readonly call: FunctionCall
  readonly response: FunctionResponse
}

/** Without parts that the API refuses; nothing, where that leaves no word. */
const cleaned = (content: Content): ReadonlyArray<Content> => {
  const parts = content.parts.every(isValidPart) ? content.parts : content.parts.filter(isValidPart)
  if (parts.length === 0 || !saysSomething({ ...content, parts })) return []
  return [parts === content.parts ? content : { ...content, parts }]
}

const runsOf = (contents: ReadonlyArray<Content>): ReadonlyArray<Run> => {
  const starts = contents.flatMap(({ role }, index) => (contents[index - 1]?.role === role ? [] : [index]))
  return starts.flatMap((place, index) => {
    const [first, ...rest] = contents.slice(place, starts[index + 1])
    return first === undefined ? [] : [{ role: first.role, contents: [first, ...rest], place }]
  })
}

const repairPair = (model: Run, user: Run): ReadonlyArray<Content> => {
  const calls = partsOf(model).flatMap((part) => part.functionCall ?? [])
  const responses = partsOf(user).flatMap((part) => part.functionResponse ?? [])
  const pairs = paired(calls, responses, [model.place, user.place])
  if (isWhole(pairs, calls, user)) return [...model.contents, ...user.contents]
  const known = pairs.slice(0, calls.length).map(({ call }) => call)
  const made = pairs.slice(calls.length).map(({ call }) => ({ functionCall: call }))
  return [
    { role: "model", parts: [...withCalls(partsOf(model), known), ...(calls.length === 0 ? signed(made) : made)] },
    {
      role: "user",
      parts: [
        ...pairs.map(({ response }) => ({ functionResponse: response })),
        ...partsOf(user).filter((part) => part.functionResponse === undefined)
      ]
    }
  ]
}

/** Responses at the very beginning answer calls that are gone. */
const repairOpening = (run: Run): ReadonlyArray<Content> => {
  const responses = partsOf(run).flatMap((part) => part.functionResponse ?? [])
  if (responses.length === 0) return run.contents
  const rest = partsOf(run).filter((part) => part.functionResponse === undefined)
  const pairs = paired([], responses, [run.place])
  return [
    { role: "user", parts: rest.length === 0 ? [{ text: BEGINNING }] : rest },
    { role: "model", parts: signed(pairs.map(({ call }) => ({ functionCall: call }))) },
    { role: "user", parts: pairs.map(({ response }) => ({ functionResponse: response })) }
  ]
}

/** The next prompt answers the calls of the last message: all that stand open have to be in it, and have ids. */
const closing = (run: Run): ReadonlyArray<Content> => {
  const calls = partsOf(run).flatMap((part) => part.functionCall ?? [])
  if (calls.length === 0) return run.contents
  const pairs = paired(calls, [], [run.place])
  if (run.contents.length === 1 && pairs.every(({ call }, index) => isNamed(calls[index], call))) return run.contents
  return [
    {
      role: "model",
      parts: withCalls(
        partsOf(run),
        pairs.map(({ call }) => call)
      )
    }
  ]
}

const BEGINNING = "[The beginning of this conversation was lost.]"
const LOST = { error: "The result of this call was lost." }

/** One pair for each call, in their order, then one for each response that answers none of them. */
const paired = (
  calls: ReadonlyArray<FunctionCall>,
  responses: ReadonlyArray<FunctionResponse>,
  places: ReadonlyArray<number>
): ReadonlyArray<Pair> => {
  const open = [...responses]
  const take = (answers: (response: FunctionResponse) => boolean): FunctionResponse | undefined => {
    const at = open.findIndex(answers)
    return at === -1 ? undefined : open.splice(at, 1)[0]
  }
  // Ids first: a name may have been meant for another call.
  const byId = calls.map((call) => (call.id === undefined ? undefined : take(({ id }) => id === call.id)))
  const answered = calls.map((call, index) => {
    const response =
      byId[index] ?? take(({ id, name }) => name === call.name && (id === undefined || call.id === undefined))
    const id = call.id ?? response?.id ?? madeId("synth", call.name, [...places, index])
    const name = call.name ?? response?.name ?? "generic_tool"
    return { call: { ...call, id, name }, response: { response: LOST, ...response, id, name } }
  })
  const orphans = open.map((response, index) => {
    const id = response.id ?? madeId("synth_orph", response.name, [...places, index])
    const name = response.name ?? "generic_tool"
    return { call: { id, name, args: {} }, response: { ...response, id, name } }
  })
  return [...answered, ...orphans]
}

/** The same conversation comes to the same ids. */
const madeId = (kind: string, name = "generic_tool", places: ReadonlyArray<number>): string => {
  const sources = places.map(String).toSorted().join("|")
  return `${kind}_${name}_${createHash("sha256").update(sources).digest("hex").slice(0, 32)}`
}

const isWhole = (pairs: ReadonlyArray<Pair>, calls: ReadonlyArray<FunctionCall>, user: Run): boolean =>
  pairs.length === calls.length &&
  pairs.every(({ call, response }, index) => {
    const given = partsOf(user)[index]?.functionResponse
    return (
      isNamed(calls[index], call) &&
      isNamed(given, response) &&
      response.response === (given?.response ?? response.response)
    )
  }) &&
  partsOf(user)
    .slice(pairs.length)
    .every((part) => part.functionResponse === undefined)

const isNamed = (given: FunctionCall | FunctionResponse | undefined, wanted: FunctionCall): boolean =>
  given?.id === wanted.id && given?.name === wanted.name

const withCalls = (parts: ReadonlyArray<Part>, calls: ReadonlyArray<FunctionCall>): ReadonlyArray<Part> => {
  let next = 0
  return parts.map((part) => (part.functionCall === undefined ? part : { ...part, functionCall: calls[next++] }))
}

const signed = (parts: ReadonlyArray<Part>): ReadonlyArray<Part> =>
  parts.map((part, index) => (index === 0 ? { ...part, thoughtSignature: SYNTHETIC_SIGNATURE } : part))

const partsOf = ({ contents }: Run): ReadonlyArray<Part> => contents.flatMap(({ parts }) => parts)
