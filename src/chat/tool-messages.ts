/** The answers to tool calls as messages of the conversation. */
import type { Content, FunctionCall } from "../protocol/content.ts"
import type { ToolCall, ToolReply } from "../tools/tool-scheduler.ts"

/**
 * One message with all function responses. Sound and film cannot stand in it: they follow in a message of their own,
 * after a word of the model that keeps the roles alternating.
 */
export const toolMessages = (
  replies: ReadonlyArray<ToolReply>
): readonly [responses: Content, ...following: ReadonlyArray<Content>] => {
  const responses: Content = { role: "user", parts: replies.flatMap(({ parts }) => parts) }
  const media = replies.flatMap(({ injected }) => injected)
  return media.length === 0
    ? [responses]
    : [
        responses,
        { role: "model", parts: [{ text: "I have the tool results. Show me the media." }] },
        { role: "user", parts: media }
      ]
}

/** Why a hook wants the work to end with these calls; `undefined` where none does. */
export const stopReasonOf = (replies: ReadonlyArray<ToolReply>): string | undefined =>
  replies.find(({ stopReason }) => stopReason !== undefined)?.stopReason

/** A reply for each of these calls, of which some had ended when the turn was cancelled. */
export const repliesSoFar = (
  calls: ReadonlyArray<ToolCall>,
  ended: ReadonlyArray<ToolReply>
): ReadonlyArray<ToolReply> =>
  calls.map((call) => ended.find(({ callId }) => callId === call.callId) ?? interruptedReply(call))

export const interruptedReply = ({ callId, name }: Pick<ToolCall, "callId" | "name">): ToolReply => ({
  callId,
  parts: interruptedReplies([{ id: callId, name }]).parts,
  injected: []
})

/** Stands for the answers of calls that were under way when the turn was cancelled. */
export const interruptedReplies = (calls: ReadonlyArray<FunctionCall>): Content =>
  errorReplies(calls, "[Operation Cancelled] The turn was interrupted; the call may have taken effect.")

/** The same error in answer to every call. */
export const errorReplies = (calls: ReadonlyArray<FunctionCall>, error: string): Content => ({
  role: "user",
  parts: calls.map(({ id, name }) => ({ functionResponse: { id, name, response: { error } } }))
})

/** The answers without what they said: they were too large to be sent. */
export const unsentReplies = (replies: Content): Content => ({
  role: "user",
  parts: replies.parts.flatMap(({ functionResponse: response }) =>
    response === undefined
      ? []
      : [{ functionResponse: { id: response.id, name: response.name, response: { error: UNSENT } } }]
  )
})

const UNSENT = "The call was made, but its result did not fit into the context window and was left out."

/** Results of tools, or the media that belong to them: the model may have nothing to add. */
export const followsTools = ({ parts }: Content): boolean =>
  parts.some((part) => part.functionResponse !== undefined) ||
  (parts.length > 0 && parts.every((part) => part.inlineData !== undefined))
