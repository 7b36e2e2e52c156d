/** From recorded messages to the conversation that the model gets, and back. Pure. */
import type { Content, Part } from "../../protocol/content.ts"
import { partsOf, textOf } from "./message-content.ts"
import type { MessageRecord, ToolCallRecord } from "./session-record.ts"

/** What of a message the conversation is made of. */
export type HistoryMessage = Pick<MessageRecord, "id" | "type" | "content" | "thoughts" | "toolCalls" | "retracts">

/** Leaves out what only people look at, such as the changes of files, which may be most of a session. */
export const forHistory = ({ content, id, retracts, thoughts, toolCalls, type }: MessageRecord): HistoryMessage => {
  const isWhole = type !== "gemini" || isVerbatim(content)
  return {
    id,
    type,
    content,
    ...(retracts === undefined ? {} : { retracts }),
    ...(isWhole || thoughts === undefined ? {} : { thoughts }),
    ...(isWhole || toolCalls === undefined ? {} : { toolCalls: toolCalls.map(({ resultDisplay: _, ...call }) => call) })
  }
}

/**
 * Notes to the person, commands and the description of the surroundings are left out, as are questions that a failure
 * took back. The surroundings are described anew by whoever goes on with the conversation.
 */
export const modelHistory = (messages: ReadonlyArray<HistoryMessage>): ReadonlyArray<Content> => {
  const retracted = new Set(messages.flatMap(({ retracts }) => retracts ?? []))
  const answered = new Set(messages.flatMap(({ content, type }) => (type === "user" ? responseIds(content) : [])))
  const spoken = messages.filter(({ type }) => type === "user" || type === "gemini")
  return spoken.flatMap((message, index) => {
    if (message.type === "gemini") return modelTurns(message, answered)
    const gotAnswer = spoken[index + 1]?.type === "gemini"
    return retracted.has(message.id) ? [] : userTurn(message.content, gotAnswer)
  })
}

/** A question at the end of a session that got no answer, and left the conversation. */
export interface UnansweredQuestion {
  readonly text: string
  readonly why: string
}

export const unansweredAtEnd = (messages: ReadonlyArray<HistoryMessage>): ReadonlyArray<UnansweredQuestion> => {
  const end = messages.slice(messages.findLastIndex(({ type }) => type === "gemini") + 1)
  return end.flatMap(({ content, retracts }) => {
    const question = retracts === undefined ? undefined : end.find(({ id }) => id === retracts)
    return question === undefined ? [] : [{ text: textOf(question.content), why: textOf(content) }]
  })
}

/** What begins like a command but was answered by the model was none. */
const userTurn = (content: MessageRecord["content"], gotAnswer: boolean): ReadonlyArray<Content> => {
  const parts = partsOf(content)
  const text = textOf(content)
  const isSaid = parts.some((part) => part.text === undefined) || isQuestion(text) || isSystemNote(text)
  return isSaid || (gotAnswer && looksLikeCommand(text)) ? [{ role: "user", parts }] : []
}

/** Text that a person asked the model: no command, and nothing that was put before the conversation. */
export const isQuestion = (text: string): boolean => {
  const trimmed = text.trim()
  if (trimmed === "" || looksLikeCommand(trimmed) || isSystemNote(trimmed)) return false
  return !PREAMBLES.some((start) => trimmed.startsWith(start))
}

/** What this program told the model in the person's place. */
export const isSystemNote = (text: string): boolean => text.trimStart().startsWith("[System note: ")

const PREAMBLES = ["<session_context>", "<hook_context>"]

const looksLikeCommand = (text: string): boolean => /^\s*[/?]/.test(text)

/** An answer, and after it the results of its calls where no message of their own holds them. */
const modelTurns = (message: HistoryMessage, answered: ReadonlySet<string>): ReadonlyArray<Content> => {
  const { content, thoughts = [], toolCalls = [] } = message
  const parts = isVerbatim(content)
    ? partsOf(content)
    : [...thoughts.map(thoughtPart), ...partsOf(content), ...toolCalls.map(callPart)]
  if (parts.length === 0) return []
  const called = new Set(parts.flatMap(({ functionCall }) => functionCall?.id ?? []))
  const results = toolCalls.filter(({ id }) => called.has(id) && !answered.has(id)).flatMap(resultParts)
  return [{ role: "model", parts }, ...(results.length === 0 ? [] : [{ role: "user" as const, parts: results }])]
}

/** Recorded part by part, with everything that the model must get back. */
const isVerbatim = (content: MessageRecord["content"]): boolean =>
  typeof content !== "string" &&
  partsOf(content).some(
    ({ functionCall, thought, thoughtSignature }) =>
      functionCall !== undefined || thought === true || thoughtSignature !== undefined
  )

const responseIds = (content: MessageRecord["content"]): ReadonlyArray<string> =>
  partsOf(content).flatMap(({ functionResponse }) => functionResponse?.id ?? [])

const thoughtPart = ({ description, subject }: { readonly subject: string; readonly description: string }): Part => ({
  text: subject === "" ? description : `**${subject}** ${description}`,
  thought: true
})

const callPart = ({ args, id, name }: ToolCallRecord): Part => ({ functionCall: { id, name, args } })

/** A call that never ended has no result: whoever goes on with the conversation answers it. */
const resultParts = ({ id, name, result }: ToolCallRecord): ReadonlyArray<Part> => {
  if (result === undefined || result === null) return []
  if (typeof result === "string") return [{ functionResponse: { id, name, response: { output: result } } }]
  return result.map((part) =>
    part.functionResponse === undefined || part.functionResponse.id !== undefined
      ? part
      : { ...part, functionResponse: { ...part.functionResponse, id } }
  )
}
