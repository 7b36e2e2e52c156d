/**
 * Ids of tool calls. Inside the program a call is named `<tool>__<id>`, so that its tool can be read off it; the API
 * gets its own ids back.
 */
import type { Content, FunctionCall, Part } from "../protocol/content.ts"
import { CallId } from "../protocol/ids.ts"

/** A call that can be run: it has a name, an id and arguments, whatever the model left out. */
export interface NamedCall {
  readonly callId: CallId
  readonly name: string
  readonly args: Readonly<Record<string, unknown>>
}

/**
 * `made` completes a missing id; it must be unique within the session. It also takes the place of an id that another call
 * has: results, files and records of calls are found by their ids.
 */
export const nameCall = (
  call: FunctionCall,
  made: { readonly now: number; readonly counter: number },
  others: OtherCalls
): NamedCall => {
  const name = call.name?.trim() || "generic_tool"
  const given = call.id === undefined || call.id === "" ? undefined : prefixed(name, call.id)
  const callId =
    given === undefined || isTaken(given, name, others) ? prefixed(name, `${name}_${made.now}_${made.counter}`) : given
  return { callId: CallId.make(callId), name, args: call.args ?? {} }
}

/** The calls that a new one must not be taken for. */
export interface OtherCalls {
  /** Of earlier answers: told apart by tool and id. */
  readonly hasCall: (callId: string) => boolean
  /** Of the same answer: the API has to tell them apart by their ids alone. */
  readonly ofAnswer: ReadonlyArray<NamedCall>
}

const isTaken = (callId: string, name: string, { hasCall, ofAnswer }: OtherCalls): boolean =>
  hasCall(callId) || ofAnswer.some((other) => apiId(other.callId, other.name) === apiId(callId, name))

const prefixed = (name: string, id: string): string => (id.startsWith(`${name}__`) ? id : `${name}__${id}`)

/** The ids of the calls that this message asks for. */
export const callIdsIn = ({ parts }: Content): ReadonlyArray<string> =>
  parts.flatMap(({ functionCall: call }) => (call?.id === undefined ? [] : [prefixed(call.name ?? "", call.id)]))

/** The content as the API knows it: ids without the tool's name in front. */
export const withApiIds = (content: Content): Content =>
  content.parts.some((part) => part.functionCall !== undefined || part.functionResponse !== undefined)
    ? { ...content, parts: content.parts.map(withApiId) }
    : content

const withApiId = (part: Part): Part => {
  if (part.functionCall !== undefined) return { ...part, functionCall: stripPrefix(part.functionCall) }
  if (part.functionResponse !== undefined) return { ...part, functionResponse: stripPrefix(part.functionResponse) }
  return part
}

const stripPrefix = <A extends { readonly id?: string | undefined; readonly name?: string | undefined }>(
  named: A
): A => (named.id?.startsWith(`${named.name}__`) ? { ...named, id: apiId(named.id, named.name) } : named)

const apiId = (id: string, name = ""): string => (id.startsWith(`${name}__`) ? id.slice(`${name}__`.length) : id)
