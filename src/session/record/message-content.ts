/** What a message says, in the forms in which it is recorded. Plain functions: they are needed while a run is recorded. */
import type { Content, FunctionCall, Part } from "../../protocol/content.ts"
import type { MessageRecord } from "./session-record.ts"

/** Content of a message as parts, whichever way it was written. */
export const partsOf = (content: MessageRecord["content"]): ReadonlyArray<Part> => {
  if (typeof content === "string") return content === "" ? [] : [{ text: content }]
  return isList(content) ? content.map((part) => (typeof part === "string" ? { text: part } : part)) : [content]
}

// `Array.isArray` does not narrow readonly arrays.
const isList = (content: Exclude<MessageRecord["content"], string>): content is ReadonlyArray<string | Part> =>
  Array.isArray(content)

/** The visible text of a message, without thoughts. */
export const textOf = (content: MessageRecord["content"]): string =>
  partsOf(content)
    .flatMap((part) => (part.thought === true || part.text === undefined ? [] : [part.text]))
    .join("\n")

/** As it is recorded: plain words of the model as text, everything else part by part. */
export const recordedContent = ({ parts, role }: Content): MessageRecord["content"] => {
  const [only] = parts
  const isPlain = parts.length === 1 && only?.text !== undefined && Object.keys(only).length === 1
  return role === "model" && isPlain ? (only?.text ?? "") : parts
}

export const callsIn = ({ parts }: Content): ReadonlyArray<FunctionCall> =>
  parts.flatMap(({ functionCall }) => functionCall ?? [])
