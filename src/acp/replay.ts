/** A recorded conversation, told again to an editor that opens it: what was said and seen, in the order of the file. */
import { resolve } from "node:path"
import type { SessionUpdate, ToolCallContent } from "@agentclientprotocol/sdk"
import { Predicate } from "effect"
import { textOf } from "../session/record/message-content.ts"
import { isQuestion } from "../session/record/model-history.ts"
import type { MessageRecord, ToolCallRecord } from "../session/record/session-record.ts"
import { kindOf, locationsOf, textContent } from "./tool-view.ts"
import { message } from "./updates.ts"

export const replayOf = (messages: ReadonlyArray<MessageRecord>, cwd: string): ReadonlyArray<SessionUpdate> =>
  messages.flatMap((record) => {
    switch (record.type) {
      case "user": {
        const words = textOf(record.displayContent ?? record.content)
        return isQuestion(words) ? message("user_message_chunk", words) : []
      }
      case "gemini":
        return [
          ...(record.thoughts ?? []).flatMap(({ description, subject }) =>
            message("agent_thought_chunk", `**${subject}**\n${description}`)
          ),
          ...message("agent_message_chunk", textOf(record.content)),
          ...(record.toolCalls ?? []).map((call) => callUpdate(call, cwd))
        ]
      default:
        return []
    }
  })

const callUpdate = (call: ToolCallRecord, cwd: string): SessionUpdate => {
  const { args, id, name, status } = call
  return {
    sessionUpdate: "tool_call",
    toolCallId: id.startsWith(name) ? id : `${name}__${id}`,
    name,
    title: call.displayName ?? name,
    kind: kindOf(name),
    status: status === "success" ? "completed" : "failed",
    content: contentOf(call.resultDisplay, cwd),
    locations: locationsOf({ name, args }, cwd),
    rawInput: args
  }
}

const contentOf = (display: unknown, cwd: string): Array<ToolCallContent> => {
  if (typeof display === "string") return textContent(display)
  if (!Predicate.isReadonlyRecord(display)) return []
  const { fileName, filePath, isNewFile, newContent, originalContent } = display
  const path = typeof filePath === "string" ? filePath : fileName
  if (typeof path !== "string" || typeof newContent !== "string") return []
  return [
    {
      type: "diff",
      path: resolve(cwd, path),
      oldText: typeof originalContent === "string" ? originalContent : null,
      newText: newContent,
      _meta: { kind: isNewFile === true || typeof originalContent !== "string" ? "add" : "modify" }
    }
  ]
}
