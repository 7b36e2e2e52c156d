/** What the requests and calls of a recorded conversation took, as the events that told of them. Pure. */
import { Predicate } from "effect"
import type { EventOf } from "../../protocol/event.ts"
import { CallId } from "../../protocol/ids.ts"
import type { RequestRole } from "../../protocol/usage.ts"
import type { MessageRecord, TokenCounts, ToolCallRecord } from "./session-record.ts"

export type UseEvent = EventOf<"RequestFinished"> | EventOf<"ToolFinished">

/** Times of requests are not recorded, and prices are for the reader to add. */
export const useOf = ({
  model,
  otherRequests = [],
  tokens,
  toolCalls = [],
  type
}: MessageRecord): ReadonlyArray<UseEvent> => {
  const others = otherRequests.map((request) => requestEvent(request.model, request.role, request.tokens))
  if (type !== "gemini") return others
  const own = tokens === undefined || tokens === null ? [] : [requestEvent(model ?? "unknown", "main", tokens)]
  return [...others, ...own, ...toolCalls.map(callEvent)]
}

const requestEvent = (model: string, role: RequestRole, tokens: TokenCounts): UseEvent => ({
  _tag: "RequestFinished",
  model,
  role,
  durationMs: 0,
  usage: {
    promptTokenCount: tokens.input,
    candidatesTokenCount: tokens.output,
    totalTokenCount: tokens.total,
    cachedContentTokenCount: tokens.cached,
    thoughtsTokenCount: tokens.thoughts,
    toolUsePromptTokenCount: tokens.tool,
    ...(tokens.tier === undefined ? {} : { serviceTier: tokens.tier }),
    ...(tokens.replayed === true ? { isReplayed: true } : {})
  }
})

const callEvent = ({ decision, durationMs = 0, id, name, resultDisplay, status }: ToolCallRecord): UseEvent => ({
  _tag: "ToolFinished",
  callId: CallId.make(id),
  name,
  status: status === "error" || status === "cancelled" ? status : "success",
  output: "",
  durationMs,
  ...(isDecision(decision) ? { decision } : {}),
  ...linesOf(resultDisplay)
})

const isDecision = (decision: string | undefined): decision is NonNullable<EventOf<"ToolFinished">["decision"]> =>
  decision === "accept" || decision === "reject" || decision === "modify" || decision === "auto_accept"

/** Of a change of a file, as the person saw it. */
const linesOf = (display: unknown) => {
  const stat = Predicate.hasProperty(display, "diffStat") ? display.diffStat : undefined
  const [added, removed] = [countIn(stat, "model_added_lines"), countIn(stat, "model_removed_lines")]
  return { ...(added === 0 ? {} : { linesAdded: added }), ...(removed === 0 ? {} : { linesRemoved: removed }) }
}

const countIn = (stat: unknown, field: string): number => {
  const count = Predicate.hasProperty(stat, field) ? stat[field] : 0
  return typeof count === "number" ? count : 0
}
