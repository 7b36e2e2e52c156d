/**
 * What the run is told of an agent's work. Requests and refusals are told as the run's own, so that they count where all
 * others do; the steps of the work stand inside of an event that names the agent. The rest is the agent's own business.
 */
import { Duration, Effect } from "effect"
import type { EventOf, ProtocolEvent, SubagentEvent } from "../../protocol/event.ts"
import type { CallContext } from "../../tools/tool.ts"

export interface Teller {
  readonly step: (event: SubagentEvent) => Effect.Effect<void>
  readonly pass: (event: ProtocolEvent) => Effect.Effect<void>
}

export const tellRun = (agent: string, { callId, emit }: Pick<CallContext, "callId" | "emit">): Teller => {
  const step = (event: SubagentEvent) => emit({ _tag: "Subagent", agent, callId, event })
  return {
    step,
    pass: (event) => {
      switch (event._tag) {
        case "RequestFinished":
        case "RequestFailed":
        case "AnswerRejected":
        case "PermissionDenied":
          return emit(event)
        case "Thought":
        case "Text":
        case "ToolRequested":
        case "ToolStarted":
        case "ToolFinished":
        case "RetryScheduled":
        case "Notice":
          return step(event)
        case "RunHalted":
          return step({ _tag: "Notice", severity: "warning", message: `${event.kind} by a hook: ${event.reason}` })
        default:
          event satisfies EventOf<Ignored>
          return Effect.void
      }
    }
  }
}

const LAST_WORD_WITHIN = Duration.seconds(1)

/** For the end of work that is interrupted: whoever read along may be gone already, and nobody waits for that. */
export const lastWord = (told: Effect.Effect<void>): Effect.Effect<void> =>
  Effect.asVoid(Effect.timeoutOption(Effect.interruptible(told), LAST_WORD_WITHIN))

/** Of no interest here. A new event belongs in a case, or in this list. */
type Ignored =
  | "RunStarted"
  | "UserMessage"
  | "ModelRouted"
  | "ModelChosen"
  | "Citation"
  | "ToolProgress"
  | "ToolsHidden"
  | "TurnFinished"
  | "TurnRestarted"
  | "StructuredAnswer"
  | "RequestEstimated"
  | "ChatCompressed"
  | "HookStarted"
  | "HookFinished"
  | "Subagent"
