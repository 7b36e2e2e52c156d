/**
 * Turns what happens in a run into the records of its session. It holds the turn under way and nothing older, so a turn
 * costs the same however long the session is.
 */
import type { Content, Part } from "../../protocol/content.ts"
import type { EventOf, ProtocolEvent } from "../../protocol/event.ts"
import type { HistoryChange, PromptEnd } from "../../protocol/run-readers.ts"
import { tierNamed, type UsageMetadata } from "../../protocol/usage.ts"
import { callsIn, partsOf, recordedContent } from "./message-content.ts"
import type {
  MessageRecord,
  OtherRequest,
  SessionRecord,
  ThoughtRecord,
  TokenCounts,
  ToolCallRecord
} from "./session-record.ts"

/** When and under which name something is recorded. */
export interface Stamp {
  /** ISO 8601, UTC. */
  readonly timestamp: string
  readonly newId: () => string
}

export class RecordWriter {
  private typed = ""
  private model: string | undefined
  /** The request of the answer that comes next. */
  private request: EventOf<"RequestFinished"> | undefined
  /** Requests that no message stands for, since the last message. */
  private others: Array<OtherRequest> = []
  /** The last answer, as it is recorded. */
  private last: { readonly record: MessageRecord; readonly content: Content } | undefined
  private thoughts: Array<ThoughtRecord> = []
  private readonly results = new Map<string, EventOf<"ToolFinished"> & { readonly at: string }>()
  /** The answer whose calls have not ended. */
  private calling: { readonly record: MessageRecord; readonly content: Content } | undefined
  /** The question that waits for its answer. */
  private open: string | undefined
  /** Ids stay with their messages when the conversation is written down anew. */
  private readonly known = new WeakMap<Content, MessageRecord>()

  /** Most events say nothing that a session keeps, and those that do are kept with the next message. */
  onEvent(event: ProtocolEvent, { newId, timestamp }: Stamp): ReadonlyArray<SessionRecord> {
    switch (event._tag) {
      case "UserMessage":
        this.typed = event.text
        return []
      case "ModelChosen":
        this.model = event.model
        return []
      case "Thought":
        this.thoughts.push({ subject: event.subject, description: event.description, timestamp })
        return []
      case "TurnRestarted":
        this.thoughts = []
        return []
      case "RequestFinished":
        // What is asked again took its tokens the first time, too.
        if (event.role !== "main") this.others.push(...this.asOther(event))
        else {
          this.setAside()
          this.request = event
        }
        return []
      case "RequestFailed":
        this.others.push(...this.asOther(event))
        return []
      case "ToolFinished":
        this.results.set(event.callId, { ...event, at: timestamp })
        return []
      case "ChatCompressed":
        return event.status === "COMPRESSED" ? [note(newId(), timestamp, "info", compressedText(event))] : []
      case "Notice":
        return event.severity === "info" ? [] : [note(newId(), timestamp, event.severity, event.message)]
      default:
        event satisfies EventOf<Ignored>
        return []
    }
  }

  onHistory(change: HistoryChange, stamp: Stamp): ReadonlyArray<SessionRecord> {
    if (change._tag === "Shortened") {
      const messages = change.contents.flatMap((content) => this.known.get(content) ?? messagesOf(content, stamp))
      return [{ $set: { messages } }]
    }
    return change.content.role === "model" ? this.answer(change.content, stamp) : this.said(change.content, stamp)
  }

  onEnd(end: PromptEnd, { newId, timestamp }: Stamp): ReadonlyArray<SessionRecord> {
    const open = this.open
    this.open = undefined
    this.calling = undefined
    this.results.clear()
    this.thoughts = []
    this.setAside()
    if (end._tag === "Answered") return this.withOthers()
    const text = end._tag === "Failed" ? end.message : "Request cancelled."
    const told = note(newId(), timestamp, end._tag === "Failed" ? "error" : "info", text)
    const record = { ...told, ...this.takeOthers() }
    return [open === undefined ? record : { ...record, retracts: open }]
  }

  private answer(content: Content, { newId, timestamp }: Stamp): ReadonlyArray<SessionRecord> {
    const record: MessageRecord = {
      id: newId(),
      timestamp,
      type: "gemini",
      content: recordedContent(content),
      thoughts: this.thoughts,
      tokens: this.request === undefined ? null : tokensOf(this.request.usage),
      ...this.takeOthers(),
      ...(this.model === undefined ? {} : { model: this.model })
    }
    this.thoughts = []
    this.request = undefined
    this.open = undefined
    this.calling = callsIn(content).length === 0 ? undefined : { record, content }
    this.keep(record, content)
    return [record]
  }

  private keep(record: MessageRecord, content: Content) {
    this.known.set(content, record)
    this.last = { record, content }
  }

  /** No message came of the request. */
  private setAside() {
    if (this.request !== undefined) this.others.push(...this.asOther(this.request))
    this.request = undefined
  }

  /** Under the name that was asked for, where it is known. Nothing, where nobody knows what it took. */
  private asOther(event: EventOf<"RequestFinished"> | EventOf<"RequestFailed">): ReadonlyArray<OtherRequest> {
    const { role, usage } = event
    if (usage === undefined) return []
    const model = (role === "main" ? this.model : undefined) ?? event.model
    return [
      { model, role, tokens: tokensOf(usage), ...(event._tag === "RequestFailed" ? { error: event.errorType } : {}) }
    ]
  }

  private takeOthers(): Pick<MessageRecord, "otherRequests"> {
    const otherRequests = this.others
    this.others = []
    return otherRequests.length === 0 ? {} : { otherRequests }
  }

  /** The last answer once more, with what was asked after it. */
  private withOthers(): ReadonlyArray<SessionRecord> {
    const { last } = this
    if (last === undefined || this.others.length === 0) return []
    const { otherRequests = [] } = this.takeOthers()
    const record = { ...last.record, otherRequests: [...(last.record.otherRequests ?? []), ...otherRequests] }
    this.keep(record, last.content)
    return [record]
  }

  private said(content: Content, stamp: Stamp): ReadonlyArray<SessionRecord> {
    const messages = messagesOf(content, stamp)
    const message = messages.at(-1)
    if (message === undefined) return []
    this.known.set(content, message)
    if (content.parts.some((part) => part.functionResponse !== undefined)) {
      return [...this.endCalls(content.parts, stamp), ...messages]
    }
    this.open = message.id
    const typed = this.typed
    this.typed = ""
    // Files that it names may follow; what the editor tells stands before it.
    const isAsTyped = typed === "" || partsOf(message.content).find(({ text }) => text !== undefined)?.text === typed
    return isAsTyped ? messages : [...messages.slice(0, -1), { ...message, displayContent: typed }]
  }

  /** The answer once more, now with how its calls ended. */
  private endCalls(responses: ReadonlyArray<Part>, { timestamp }: Stamp): ReadonlyArray<SessionRecord> {
    const { calling } = this
    if (calling === undefined) return []
    this.calling = undefined
    const toolCalls = callsIn(calling.content).map(({ args = {}, id = "", name = "" }): ToolCallRecord => {
      const finished = this.results.get(id)
      const result = responses.filter(({ functionResponse }) => functionResponse?.id === id)
      return {
        id,
        name,
        args,
        status: finished?.status ?? "cancelled",
        timestamp: finished?.at ?? timestamp,
        result: result.length === 0 ? null : result,
        resultDisplay: finished === undefined ? "" : displayOf(finished),
        description: finished?.description ?? "",
        displayName: finished?.displayName ?? name,
        renderOutputAsMarkdown: finished?.diff === undefined,
        ...(finished?.decision === undefined ? {} : { decision: finished.decision }),
        ...(finished === undefined ? {} : { durationMs: finished.durationMs })
      }
    })
    this.results.clear()
    const record = { ...calling.record, toolCalls }
    this.keep(record, calling.content)
    return [record]
  }
}

/** Outputs are kept whole elsewhere, and a change that is larger could hardly be taken back by it. */
const MAX_DISPLAY_CHARS = 40_000
const MAX_DIFF_CHARS = 8_000_000

const displayOf = ({ diff, output }: EventOf<"ToolFinished">): unknown => {
  const size = (diff?.originalContent?.length ?? 0) + (diff?.newContent.length ?? 0)
  if (diff !== undefined && size <= MAX_DIFF_CHARS) return diff
  return output.length <= MAX_DISPLAY_CHARS ? output : `${output.slice(0, MAX_DISPLAY_CHARS)}\n... [cut]`
}

const CONTEXT = "<session_context>"

/** The surroundings, which stand before the first question, are a message of their own. */
const messagesOf = (content: Content, { newId, timestamp }: Stamp): ReadonlyArray<MessageRecord> => {
  const [first, ...rest] = content.parts
  if (content.role === "model") {
    return [{ id: newId(), timestamp, type: "gemini", content: recordedContent(content) }]
  }
  const message = (id: string, parts: ReadonlyArray<Part>): MessageRecord => ({
    id,
    timestamp,
    type: "user",
    content: parts
  })
  if (first?.text?.startsWith(CONTEXT) !== true) return [message(newId(), content.parts)]
  const context = message(newId().replaceAll("-", ""), [first])
  return rest.length === 0 ? [context] : [context, message(newId(), rest)]
}

const note = (id: string, timestamp: string, type: "info" | "warning" | "error", content: string): MessageRecord => ({
  id,
  timestamp,
  type,
  content
})

const compressedText = ({ newTokens, originalTokens }: EventOf<"ChatCompressed">): string =>
  `Chat history compressed from ${originalTokens} to ${newTokens} tokens.`

const tokensOf = (usage: UsageMetadata): TokenCounts => {
  const tier = tierNamed(usage)
  return {
    input: usage.promptTokenCount,
    output: usage.candidatesTokenCount,
    cached: usage.cachedContentTokenCount,
    thoughts: usage.thoughtsTokenCount,
    tool: usage.toolUsePromptTokenCount,
    total: usage.totalTokenCount,
    ...(tier === undefined || tier === "standard" ? {} : { tier }),
    ...(usage.isReplayed === true ? { replayed: true } : {})
  }
}

/** Of no interest here. A new event belongs in a case, or in this list. */
type Ignored =
  | "RunStarted"
  | "ModelRouted"
  | "Text"
  | "Citation"
  | "ToolRequested"
  | "ToolStarted"
  | "ToolProgress"
  | "PermissionDenied"
  | "ToolsHidden"
  | "AnswerRejected"
  | "TurnFinished"
  | "RetryScheduled"
  | "StructuredAnswer"
  | "RequestEstimated"
  | "HookStarted"
  | "HookFinished"
  | "RunHalted"
  | "Subagent"
