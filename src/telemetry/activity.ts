/**
 * What goes on in a session, as the monitor of the program's resources sees it: enough to know whether anybody is at
 * work, and when it is worth a look at the memory. Pure.
 */
import type { EventOf, ProtocolEvent } from "../protocol/event.ts"

export type Activity =
  | "user_input_start"
  | "user_input_end"
  | "message_added"
  | "tool_call_scheduled"
  | "tool_call_completed"
  | "stream_start"
  | "stream_end"
  | "history_updated"

/** Those that are followed by a look. */
const WORTH_A_LOOK: ReadonlySet<Activity> = new Set([
  "user_input_start",
  "message_added",
  "tool_call_scheduled",
  "tool_call_completed",
  "stream_start"
])

export const isWorthALook = (activity: Activity): boolean => WORTH_A_LOOK.has(activity)

/** Activities that an event stands for, and whether an answer is coming in after it. */
export const activitiesOf = (
  event: ProtocolEvent,
  isStreaming: boolean
): { readonly activities: ReadonlyArray<Activity>; readonly isStreaming: boolean } => {
  const begun: ReadonlyArray<Activity> = isStreaming ? [] : ["stream_start"]
  switch (event._tag) {
    case "UserMessage":
      return { activities: ["user_input_end", "message_added"], isStreaming }
    case "Thought":
    case "Text":
      return { activities: begun, isStreaming: true }
    case "ToolRequested":
      return { activities: [...begun, "tool_call_scheduled"], isStreaming: true }
    case "ToolFinished":
      return { activities: ["tool_call_completed"], isStreaming }
    case "RequestFinished":
    case "RequestFailed":
      return event.role === "main" && isStreaming
        ? { activities: ["stream_end", "message_added"], isStreaming: false }
        : { activities: [], isStreaming }
    default:
      event satisfies EventOf<Ignored>
      return { activities: [], isStreaming }
  }
}

/** Of no interest here. A new event belongs in a case, or in this list. */
type Ignored =
  | "RunStarted"
  | "ModelRouted"
  | "ModelChosen"
  | "Citation"
  | "ToolStarted"
  | "ToolProgress"
  | "PermissionDenied"
  | "ToolsHidden"
  | "AnswerRejected"
  | "TurnFinished"
  | "RetryScheduled"
  | "TurnRestarted"
  | "StructuredAnswer"
  | "RequestEstimated"
  | "ChatCompressed"
  | "HookStarted"
  | "HookFinished"
  | "RunHalted"
  | "Notice"
  | "Subagent"
