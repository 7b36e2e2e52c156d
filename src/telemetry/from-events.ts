/**
 * Reads the events of a run as records, counts and measurements. Pure: a state, an event and the time give the next
 * state and what is to be recorded. Requests to models are recorded where they are sent, since events do not hold them.
 */
import type { EventOf, ProtocolEvent } from "../protocol/event.ts"
import type { ApprovalMode } from "../protocol/modes.ts"
import { type CallFacts, signalsOfCall, signalsOfSubagent } from "./call-signals.ts"
import { count, log, measure, type Signal } from "./signal.ts"

export interface ReaderFacts extends Pick<CallFacts, "logPrompts" | "extensions"> {
  readonly approvalMode: ApprovalMode
  readonly detectsLoops: boolean
  /** Complexity, from 1 to 100, at which the larger model answers; absent where it is told by a word. */
  readonly classifierThreshold: number | undefined
}

/** What later events of the same prompt are read with. */
export interface ReaderState {
  readonly promptId: string | undefined
  /** Prompts so far. */
  readonly prompts: number
  readonly model: string | undefined
  readonly turns: number
  /** Calls that the present answer asked for. */
  readonly queue: number
  readonly args: ReadonlyMap<string, Readonly<Record<string, unknown>>>
  /** Answers of this turn that could not be used. */
  readonly rejected: ReadonlyArray<EventOf<"AnswerRejected">>
  readonly rejectedSince: number
}

export const beginning: ReaderState = {
  promptId: undefined,
  prompts: 0,
  model: undefined,
  turns: 0,
  queue: 0,
  args: new Map(),
  rejected: [],
  rejectedSince: 0
}

type Read = readonly [state: ReaderState, signals: ReadonlyArray<Signal>]

export const readEvent = (state: ReaderState, event: ProtocolEvent, at: number, facts: ReaderFacts): Read => {
  switch (event._tag) {
    case "UserMessage":
      return [
        { ...beginning, promptId: event.promptId, prompts: state.prompts + 1 },
        [userPrompt(event), ...(facts.detectsLoops || state.prompts > 0 ? [] : [unguarded(event)])]
      ]
    case "ModelRouted":
      return [state, routed(event, facts)]
    case "ModelChosen":
      return [{ ...state, model: event.model }, replaced(state, event)]
    case "ToolRequested":
      return [{ ...state, queue: state.queue + 1, args: new Map(state.args).set(event.callId, event.args) }, []]
    case "ToolFinished": {
      const { promptId } = state
      const args = state.args.get(event.callId)
      return [withoutCall(state, event.callId), signalsOfCall(event, { promptId, args, at, ...facts })]
    }
    case "Subagent":
      return [state, signalsOfSubagent(event, { promptId: state.promptId, at, ...facts })]
    case "RequestFinished":
      return withCredits(event, event.role === "main" ? answered(state) : [state, []])
    case "AnswerRejected":
      return event.role === "main" ? rejected(state, event, at) : [state, unusable(event)]
    case "TurnRestarted":
      return [state, restarted(state)]
    case "RetryScheduled":
      return [state, retried(event)]
    case "ChatCompressed":
      return [state, compressed(event)]
    default:
      event satisfies EventOf<Ignored>
      return [state, []]
  }
}

/** The work on a prompt has ended. */
export const readEnd = (
  state: ReaderState,
  how: "Answered" | "Failed" | "Cancelled",
  at: number,
  facts: ReaderFacts
) => {
  const [last] = state.rejected.slice(-1)
  if (how === "Answered") {
    return [
      log("gemini_cli.conversation_finished", "Conversation finished.", {
        approvalMode: facts.approvalMode,
        turnCount: state.turns
      })
    ]
  }
  if (how === "Cancelled" || last === undefined) return []
  return [
    log("gemini_cli.chat.content_retry_failure", "The answer stayed unusable.", {
      total_attempts: state.rejected.length,
      final_error_type: last.kind,
      total_duration_ms: at - state.rejectedSince,
      model: last.model
    }),
    ...count("gemini_cli.chat.content_retry_failure.count")
  ]
}

const withCredits = ({ model, paidCredits }: EventOf<"RequestFinished">, [state, signals]: Read): Read =>
  paidCredits === undefined
    ? [state, signals]
    : [
        state,
        [
          ...signals,
          log("gemini_cli.credits_used", "Credits were used.", {
            model,
            credits_consumed: paidCredits.consumed,
            ...(paidCredits.remaining === undefined ? {} : { credits_remaining: paidCredits.remaining })
          })
        ]
      ]

const userPrompt = ({ promptId, text }: EventOf<"UserMessage">): Signal =>
  log("gemini_cli.user_prompt", `User prompt. Length: ${text.length}.`, {
    prompt_length: text.length,
    prompt_id: promptId,
    prompt: text
  })

/** Nobody looks for loops: said with the first prompt of the session. */
const unguarded = ({ promptId }: EventOf<"UserMessage">): Signal =>
  log("loop_detection_disabled", "Loop detection is disabled.", { prompt_id: promptId })

const routed = (
  { error, latencyMs, model, reasoning, source }: EventOf<"ModelRouted">,
  { approvalMode, classifierThreshold }: ReaderFacts
): ReadonlyArray<Signal> => [
  log("gemini_cli.model_routing", `Model routing decision. Model: ${model}, source: ${source}.`, {
    decision_model: model,
    decision_source: source,
    routing_latency_ms: latencyMs,
    failed: error !== undefined,
    approval_mode: approvalMode,
    reasoning,
    error_message: error,
    enable_numerical_routing: classifierThreshold !== undefined,
    classifier_threshold: classifierThreshold
  }),
  measure("gemini_cli.model_routing.latency", latencyMs, {
    "routing.decision_model": model,
    "routing.decision_source": source
  }),
  ...count(
    "gemini_cli.model_routing.failure.count",
    { "routing.decision_source": source, "routing.error_message": error },
    error === undefined ? 0 : 1
  )
]

/** The first choice of a prompt replaces nothing. */
const replaced = ({ model }: ReaderState, event: EventOf<"ModelChosen">): ReadonlyArray<Signal> =>
  model === undefined || model === event.model
    ? []
    : [log("gemini_cli.flash_fallback", `${event.model} answers in place of ${model}.`)]

const withoutCall = (state: ReaderState, callId: string): ReaderState => {
  const args = new Map(state.args)
  args.delete(callId)
  return { ...state, args }
}

const answered = (state: ReaderState): Read => [
  { ...state, turns: state.turns + 1, queue: 0 },
  state.queue === 0 ? [] : [measure("gemini_cli.tool.queue.depth", state.queue)]
]

const rejected = (state: ReaderState, event: EventOf<"AnswerRejected">, at: number): Read => [
  {
    ...state,
    rejected: [...state.rejected, event],
    rejectedSince: state.rejected.length === 0 ? at : state.rejectedSince
  },
  unusable(event)
]

const unusable = ({ kind }: EventOf<"AnswerRejected">): ReadonlyArray<Signal> => [
  log("gemini_cli.chat.invalid_chunk", "An answer could not be used.", { "error.message": kind }),
  ...count("gemini_cli.chat.invalid_chunk.count")
]

const restarted = ({ rejected }: ReaderState): ReadonlyArray<Signal> => {
  const last = rejected.at(-1)
  if (last === undefined) return []
  return [
    log("gemini_cli.chat.content_retry", "The answer is asked for again.", {
      attempt_number: rejected.length,
      error_type: last.kind,
      retry_delay_ms: 2 ** (rejected.length - 1) * 1_000,
      model: last.model
    }),
    ...count("gemini_cli.chat.content_retry.count")
  ]
}

const retried = ({ attempt, delayMs, errorType, maxAttempts, model }: EventOf<"RetryScheduled">) => [
  log("gemini_cli.network_retry_attempt", `Request to ${model} is sent again, attempt ${attempt}.`, {
    attempt,
    max_attempts: maxAttempts,
    error_type: errorType,
    delay_ms: delayMs,
    model
  }),
  ...count("gemini_cli.network_retry.count", { model, attempt })
]

const compressed = ({ newTokens, originalTokens, status }: EventOf<"ChatCompressed">): ReadonlyArray<Signal> => {
  if (status !== "COMPRESSED") return []
  const tokens = { tokens_before: originalTokens, tokens_after: newTokens }
  return [
    log("gemini_cli.chat_compression", "The conversation was compressed.", tokens),
    ...count("gemini_cli.chat_compression", tokens)
  ]
}

/** Of no interest here. A new event belongs in a case, or in this list. */
type Ignored =
  | "RunStarted"
  | "Thought"
  | "Text"
  | "Citation"
  | "ToolStarted"
  | "ToolProgress"
  | "PermissionDenied"
  | "ToolsHidden"
  | "RequestFailed"
  | "TurnFinished"
  | "StructuredAnswer"
  | "RequestEstimated"
  | "HookStarted"
  | "HookFinished"
  | "RunHalted"
  | "Notice"
