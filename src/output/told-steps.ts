/**
 * `--verbose`: what happens on the way to the answer, a line each on standard error: thoughts, calls, compression, agents.
 * For people; programs read the same as events of stream-json.
 */
import { Effect, Layer } from "effect"
import { readableLine } from "../kernel/readable-text.ts"
import type { EventOf, ProtocolEvent, SubagentEvent } from "../protocol/event.ts"
import { RunWriter } from "./run-writer.ts"
import { Stderr } from "./stderr.ts"

/** The same writer, with the lines beside it. */
export const withToldSteps = <E, R>(writer: Layer.Layer<RunWriter, E, R>) =>
  Layer.effect(
    RunWriter,
    Effect.gen(function* () {
      const inner = yield* RunWriter
      const { write } = yield* Stderr
      return RunWriter.of({
        ...inner,
        onEvent: (event) => {
          const line = stepLine(event)
          return line === undefined
            ? inner.onEvent(event)
            : Effect.zipRight(inner.onEvent(event), write(`${readableLine(line)}\n`))
        }
      })
    })
  ).pipe(Layer.provide(writer))

const stepLine = (event: ProtocolEvent | SubagentEvent): string | undefined => {
  switch (event._tag) {
    case "ModelChosen":
      return `[model] ${event.model}`
    case "Thought":
      return `[thought] ${[event.subject, event.description].filter((text) => text !== "").join(": ")}`
    case "ToolStarted":
      return `[tool] ${event.title} ${event.description}`
    case "ToolFinished":
      return `[tool] ${event.displayName ?? event.name}: ${event.status} after ${seconds(event.durationMs)}`
    case "ChatCompressed":
      return event.status === "NOOP"
        ? undefined
        : `[compression] ${event.status}: ${event.originalTokens} to ${event.newTokens} tokens`
    case "Subagent": {
      const line = stepLine(event.event)
      return line === undefined ? undefined : `[agent ${event.agent}] ${line}`
    }
    case "AgentStarted":
      return "begins"
    case "AgentRecovery":
      return `gets one more turn: ${event.reason}`
    case "AgentFinished":
      return `ends: ${event.reason} after ${seconds(event.durationMs)}`
    default:
      event satisfies EventOf<Ignored>
      return undefined
  }
}

/** Of no interest here. A new event belongs in a case, or in this list. */
type Ignored =
  | "RunStarted"
  | "UserMessage"
  | "ModelRouted"
  | "Text"
  | "Citation"
  | "ToolRequested"
  | "ToolProgress"
  | "PermissionDenied"
  | "ToolsHidden"
  | "RequestFinished"
  | "RequestFailed"
  | "AnswerRejected"
  | "TurnFinished"
  | "RetryScheduled"
  | "TurnRestarted"
  | "StructuredAnswer"
  | "RequestEstimated"
  | "HookStarted"
  | "HookFinished"
  | "RunHalted"
  | "Notice"

const seconds = (ms: number): string => `${(ms / 1000).toFixed(1)} s`
