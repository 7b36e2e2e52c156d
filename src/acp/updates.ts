/**
 * The events of a run as updates of an editor's session: a reader of the one stream, and a pure one. What it keeps is
 * what the protocol wants told again: which calls are under way, and when their output was last shown. A recorded
 * conversation is told in the same form.
 */

import { resolve } from "node:path"
import type { PlanEntry, SessionUpdate, ToolCallContent } from "@agentclientprotocol/sdk"
import { Predicate } from "effect"
import { tokenLimit } from "../model/model-names.ts"
import type { EventOf, ProtocolEvent } from "../protocol/event.ts"
import { haltText } from "../protocol/outcome.ts"
import { textOf } from "../session/record/message-content.ts"
import { isQuestion } from "../session/record/model-history.ts"
import type { MessageRecord, ToolCallRecord } from "../session/record/session-record.ts"
import type { Tool } from "../tools/tool.ts"
import { diffContent, kindOf, locationsOf, textContent, titleOf, type ViewedCall } from "./tool-view.ts"

export interface UpdateOptions {
  readonly cwd: string
  /** What is known of a tool beyond its name. */
  readonly toolOf: (name: string) => Pick<Tool, "displayName" | "server"> | undefined
  /** Events that only some editors understand. */
  readonly takes: { readonly notices: boolean; readonly compaction: boolean }
}

export interface Updates {
  readonly of: (event: ProtocolEvent, now: number) => ReadonlyArray<SessionUpdate>
  /** The prompt was cancelled: nothing more comes of the calls that are under way. */
  readonly abandon: () => ReadonlyArray<SessionUpdate>
}

/** Live output is sent at most four times a second. */
const PROGRESS_EVERY_MS = 250

export const makeUpdates = (options: UpdateOptions): Updates => {
  const calls = new Map<string, ViewedCall & { shownAt: number }>()
  let compactions = 0

  const begin = ({ args, callId, name }: EventOf<"ToolRequested">): SessionUpdate => {
    const { displayName, server } = options.toolOf(name) ?? {}
    const call = { name, args, displayName, server, shownAt: Number.NEGATIVE_INFINITY }
    calls.set(callId, call)
    return {
      sessionUpdate: "tool_call",
      toolCallId: callId,
      name,
      title: titleOf(call, options.cwd),
      kind: kindOf(name),
      status: "pending",
      content: [],
      locations: locationsOf(call, options.cwd),
      rawInput: args
    }
  }

  const progress = (callId: string, output: string, now: number): ReadonlyArray<SessionUpdate> => {
    const call = calls.get(callId)
    if (call === undefined || output === "" || now - call.shownAt < PROGRESS_EVERY_MS) return []
    call.shownAt = now
    return [{ sessionUpdate: "tool_call_update", toolCallId: callId, content: textContent(output) }]
  }

  const end = (event: EventOf<"ToolFinished">): ReadonlyArray<SessionUpdate> => {
    const { callId, diff, error, name, output, status } = event
    const call = calls.get(callId) ?? { name, args: event.args ?? {}, displayName: event.displayName }
    calls.delete(callId)
    const isDone = status === "success"
    const update: SessionUpdate = {
      sessionUpdate: "tool_call_update",
      toolCallId: callId,
      title: titleOf(call, options.cwd),
      kind: kindOf(name),
      status: isDone ? "completed" : "failed",
      locations: locationsOf(call, options.cwd),
      content:
        isDone && diff !== undefined ? [diffContent(diff)] : textContent(isDone ? output : (error?.message ?? output))
    }
    const plan = isDone && name === "write_todos" ? planOf(event.args ?? call.args) : undefined
    return plan === undefined ? [update] : [update, plan]
  }

  const abandon = (): ReadonlyArray<SessionUpdate> => {
    const open = [...calls.keys()]
    calls.clear()
    return open.map((toolCallId) => ({
      sessionUpdate: "tool_call_update",
      toolCallId,
      status: "failed",
      content: textContent("cancelled by the user")
    }))
  }

  const of: Updates["of"] = (event, now) => {
    switch (event._tag) {
      case "Text":
        return message("agent_message_chunk", event.text)
      case "Citation":
        return message("agent_message_chunk", `\n${event.text}`)
      case "Thought":
        return message("agent_thought_chunk", `**${event.subject}**\n${event.description}`)
      case "RunHalted":
        return message("agent_message_chunk", haltText(event))
      case "ToolRequested":
        return [begin(event)]
      case "ToolStarted":
        return calls.has(event.callId)
          ? [{ sessionUpdate: "tool_call_update", toolCallId: event.callId, status: "in_progress" }]
          : []
      case "ToolProgress":
        return progress(event.callId, event.output, now)
      case "ToolFinished":
        return end(event)
      case "RequestFinished":
        return event.role === "main"
          ? [{ sessionUpdate: "usage_update", used: event.usage.totalTokenCount, size: tokenLimit(event.model) }]
          : []
      case "Notice":
        return options.takes.notices
          ? [{ sessionUpdate: "notice", severity: event.severity, title: event.message }]
          : []
      case "ChatCompressed":
        compactions += 1
        return options.takes.compaction && event.status === "COMPRESSED"
          ? [{ sessionUpdate: "compaction_update", compactionId: `compaction-${compactions}`, status: "completed" }]
          : []
      case "Subagent":
        return event.event._tag === "ToolRequested"
          ? progress(event.callId, `${event.agent}: calling ${event.event.name}`, now)
          : []
      default:
        event satisfies EventOf<Ignored>
        return []
    }
  }
  return { of, abandon }
}

export const message = (
  sessionUpdate: "agent_message_chunk" | "agent_thought_chunk" | "user_message_chunk",
  text: string
): ReadonlyArray<SessionUpdate> => (text === "" ? [] : [{ sessionUpdate, content: { type: "text", text } }])

/** Dropped subtasks are no part of a plan any more; a blocked one is still to be done. */
const planOf = ({ todos }: ViewedCall["args"]): SessionUpdate | undefined =>
  Array.isArray(todos) ? { sessionUpdate: "plan", entries: todos.flatMap(entryOf) } : undefined

const entryOf = ({ description, status }: Record<string, unknown>): ReadonlyArray<PlanEntry> => {
  if (status === "cancelled") return []
  const isKnown = status === "in_progress" || status === "completed"
  return [{ content: String(description), priority: "medium", status: isKnown ? status : "pending" }]
}

/** Of no interest here. A new event belongs in a case, or in this list. */
type Ignored =
  | "RunStarted"
  | "UserMessage"
  | "ModelRouted"
  | "ModelChosen"
  | "PermissionDenied"
  | "ToolsHidden"
  | "RequestFailed"
  | "AnswerRejected"
  | "TurnFinished"
  | "RetryScheduled"
  | "TurnRestarted"
  | "StructuredAnswer"
  | "RequestEstimated"
  | "HookStarted"
  | "HookFinished"

/**
 * A recorded conversation, told again to an editor that opens it: what was said and seen, in the order of the file.
 */
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
