/** The text of the turn under way, folded from events: in the end, the answer of the run. */
import type { ProtocolEvent } from "./event.ts"

export const answerAfter = (before: string, event: ProtocolEvent): string => {
  if (event._tag === "Text") return before + event.text
  return event._tag === "ToolRequested" || event._tag === "TurnRestarted" ? "" : before
}
