/** The answers to tool calls as messages of the conversation. */
import type { Content } from "../protocol/content.ts"
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

/** Stands for the answers of calls that were under way when the turn was cancelled. */
export const interruptedReplies = (calls: ReadonlyArray<ToolCall>): Content => ({
  role: "user",
  parts: calls.map(({ callId, name }) => ({
    functionResponse: {
      id: callId,
      name,
      response: { error: "[Operation Cancelled] The turn was interrupted; the call may have taken effect." }
    }
  }))
})
