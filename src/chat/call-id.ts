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

/** `made` completes a missing id; it must be unique within the session. */
export const nameCall = (call: FunctionCall, made: { readonly now: number; readonly counter: number }): NamedCall => {
  const name = call.name?.trim() || "generic_tool"
  const id = call.id === undefined || call.id === "" ? `${name}_${made.now}_${made.counter}` : call.id
  return {
    callId: CallId.make(id.startsWith(`${name}__`) ? id : `${name}__${id}`),
    name,
    args: call.args ?? {}
  }
}

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
): A => (named.id?.startsWith(`${named.name}__`) ? { ...named, id: named.id.slice(`${named.name}__`.length) } : named)
