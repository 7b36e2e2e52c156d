/** What the requests and calls of a recorded conversation took, as the events that told of them. Pure. */
import { Predicate } from "effect"
import type { EventOf } from "../../protocol/event.ts"
import { CallId } from "../../protocol/ids.ts"
import type { MessageRecord, ToolCallRecord } from "./session-record.ts"

export type UseEvent = EventOf<"RequestFinished"> | EventOf<"ToolFinished">

/** Times of requests are not recorded, and prices are for the reader to add. */
export const useOf = ({ model, tokens, toolCalls = [], type }: MessageRecord): ReadonlyArray<UseEvent> => {
  if (type !== "gemini") return []
  const request: UseEvent = {
    _tag: "RequestFinished",
    model: model ?? "unknown",
    role: "main",
    durationMs: 0,
    usage: {
      promptTokenCount: tokens?.input ?? 0,
      candidatesTokenCount: tokens?.output ?? 0,
      totalTokenCount: tokens?.total ?? 0,
      cachedContentTokenCount: tokens?.cached ?? 0,
      thoughtsTokenCount: tokens?.thoughts ?? 0,
      toolUsePromptTokenCount: tokens?.tool ?? 0,
      ...(tokens?.tier === undefined ? {} : { serviceTier: tokens.tier })
    }
  }
  return tokens === undefined || tokens === null ? toolCalls.map(callEvent) : [request, ...toolCalls.map(callEvent)]
}

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
