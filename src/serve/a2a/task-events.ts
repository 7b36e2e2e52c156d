/**
 * The events of a run as a caller over A2A is told them: a reader of the one stream, and a pure one. What it keeps is what
 * is told whole again at every change: the calls that are under way, and what of their output was sent.
 */
import type { ApprovalQuestion } from "../../approval/approval.ts"
import type { EventOf, ProtocolEvent } from "../../protocol/event.ts"
import { haltText } from "../../protocol/outcome.ts"
import type { UsageMetadata } from "../../protocol/usage.ts"
import { confirmationDetails } from "./task-message.ts"

export type NewsKind =
  | "state-change"
  | "thought"
  | "text-content"
  | "citation"
  | "tool-call-update"
  | "tool-call-confirmation"

/** What is told; how it is written is the protocol's business. */
export type News =
  | { readonly _tag: "Text"; readonly kind: NewsKind; readonly messageId: string; readonly text: string }
  | { readonly _tag: "Data"; readonly kind: NewsKind; readonly data: Readonly<Record<string, unknown>> }
  | { readonly _tag: "Output"; readonly callId: string; readonly text: string; readonly append: boolean }

interface CallView {
  readonly request: Readonly<Record<string, unknown>>
  readonly status: "scheduled" | "awaiting_approval" | "executing" | "success" | "error" | "cancelled"
  readonly tool: { readonly name: string; readonly displayName: string }
  readonly [more: string]: unknown
}

export interface TaskNews {
  readonly of: (event: ProtocolEvent) => ReadonlyArray<News>
  readonly asked: (question: ApprovalQuestion) => ReadonlyArray<News>
  readonly usage: () => UsageMetadata | undefined
  readonly model: () => string | undefined
}

export const makeTaskNews = (taskId: string, newId: () => string): TaskNews => {
  const calls = new Map<string, CallView>()
  const outputs = new Map<string, string>()
  let usage: UsageMetadata | undefined
  let model: string | undefined
  let messageId = newId()

  const change = (callId: string, name: string, more: Partial<CallView>): ReadonlyArray<News> => {
    const before = calls.get(callId)
    const view: CallView = {
      request: before?.request ?? requestOf(callId, name, {}),
      status: "scheduled",
      tool: { name, displayName: name },
      ...before,
      ...more
    }
    calls.set(callId, view)
    return [{ _tag: "Data", kind: "tool-call-update", data: view }]
  }

  const requestOf = (callId: string, name: string, args: unknown) => ({
    callId,
    name,
    args,
    isClientInitiated: false,
    prompt_id: taskId
  })

  const output = ({ callId, output: now }: EventOf<"ToolProgress">): ReadonlyArray<News> => {
    const before = outputs.get(callId) ?? ""
    outputs.set(callId, now)
    if (now === before) return []
    const goesOn = before !== "" && now.startsWith(before)
    return [{ _tag: "Output", callId, text: goesOn ? now.slice(before.length) : now, append: goesOn }]
  }

  const end = (event: EventOf<"ToolFinished">): ReadonlyArray<News> => {
    const { callId, diff, displayName, error, name, output: result, status } = event
    outputs.delete(callId)
    const told = change(callId, name, {
      status,
      tool: { name, displayName: displayName ?? name },
      response: {
        callId,
        resultDisplay: diff ?? result,
        ...(error === undefined ? {} : { error: error.message, errorType: error.type })
      },
      ...(event.decision === undefined ? {} : { outcome: event.decision })
    })
    calls.delete(callId)
    return told
  }

  return {
    usage: () => usage,
    model: () => model,
    asked: (question) => {
      const { callId, confirmation, toolName } = question
      const details = { confirmationDetails: confirmationDetails(question) }
      const [told] = change(callId, toolName, { status: "awaiting_approval", ...details })
      const call = calls.get(callId)
      if (call !== undefined && confirmation.type === "edit") {
        const args = { ...Object(call.request.args), newContent: confirmation.diff.newContent }
        return [{ _tag: "Data", kind: "tool-call-confirmation", data: { ...call, request: { ...call.request, args } } }]
      }
      return told?._tag === "Data" ? [{ ...told, kind: "tool-call-confirmation" }] : []
    },
    of: (event) => {
      switch (event._tag) {
        case "Text":
          return [{ _tag: "Text", kind: "text-content", messageId, text: event.text }]
        case "Thought": {
          const { description, subject } = event
          return [{ _tag: "Data", kind: "thought", data: { subject, description } }]
        }
        case "Citation":
          return [{ _tag: "Text", kind: "citation", messageId: newId(), text: event.text }]
        case "RunHalted":
          return [{ _tag: "Text", kind: "text-content", messageId, text: haltText(event) }]
        case "ToolRequested": {
          const { args, callId, name } = event
          return change(callId, name, { request: requestOf(callId, name, args) })
        }
        case "ToolStarted":
          return change(event.callId, event.name, {
            status: "executing",
            tool: { name: event.name, displayName: event.title }
          })
        case "ToolProgress":
          return output(event)
        case "ToolFinished":
          return end(event)
        case "ModelChosen":
          model = event.model
          return []
        case "TurnFinished":
          messageId = newId()
          return []
        case "RequestFinished":
          if (event.role === "main") usage = event.usage
          return []
        default:
          event satisfies EventOf<Ignored>
          return []
      }
    }
  }
}

/** Of no interest here. A new event belongs in a case, or in this list. */
type Ignored =
  | "RunStarted"
  | "UserMessage"
  | "ModelRouted"
  | "PermissionDenied"
  | "ToolsHidden"
  | "RequestFailed"
  | "AnswerRejected"
  | "RetryScheduled"
  | "TurnRestarted"
  | "StructuredAnswer"
  | "RequestEstimated"
  | "ChatCompressed"
  | "HookStarted"
  | "HookFinished"
  | "Subagent"
  | "Notice"
