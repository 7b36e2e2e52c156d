/**
 * `stream-json`: one event a line, flushed at once. `init` comes first and `result` last on every path, also when the
 * run failed before it began.
 */
import { DateTime, Effect, Layer, Ref } from "effect"
import { monotonicMillis } from "../kernel/monotonic-time.ts"
import { jsonText } from "../kernel/readable-text.ts"
import { makeSanitizer, rawSanitizer, stripAnsi } from "../kernel/sanitize.ts"
import type { EventOf, ProtocolEvent, SubagentEvent } from "../protocol/event.ts"
import type { ExtraEvent } from "../protocol/modes.ts"
import { haltText } from "../protocol/outcome.ts"
import { diagnosticLine } from "./diagnostics.ts"
import type { StreamEvent, SubagentStep } from "./run-documents.ts"
import { answerIn, emptySummary, errorDocument, extraFields, summarize } from "./run-summary.ts"
import { RunWriter, type WriterOptions } from "./run-writer.ts"
import { SCHEMA_VERSION } from "./schema-version.ts"
import { streamStats } from "./stats-document.ts"
import { Stderr } from "./stderr.ts"
import { Stdout } from "./stdout.ts"

export const layer = (options: WriterOptions) =>
  Layer.effect(
    RunWriter,
    Effect.gen(function* () {
      const stdout = yield* Stdout
      const stderr = yield* Stderr
      const sanitizer = options.raw ? rawSanitizer : makeSanitizer()
      const summary = yield* Ref.make(emptySummary)
      const begun = options.prompt?.begun ?? (yield* Ref.make(false))
      const startedAt = yield* monotonicMillis

      const send = Effect.fnUntraced(function* ({ type, ...fields }: StreamLine) {
        const now = yield* DateTime.now
        yield* stdout.write(`${jsonText({ type, timestamp: DateTime.formatIso(now), ...fields })}\n`)
      })
      const begin = Effect.fnUntraced(function* (
        model: string,
        started: Pick<EventOf<"RunStarted">, "trust" | "sandbox"> | undefined
      ) {
        if (yield* Ref.getAndSet(begun, true)) return
        yield* send({
          type: "init",
          session_id: options.sessionId,
          model,
          trust: started?.trust,
          sandbox: started?.sandbox,
          schema_version: SCHEMA_VERSION
        })
      })
      const say = (text: string) =>
        text === "" ? Effect.void : send({ type: "message", role: "assistant", content: text, delta: true })

      return RunWriter.of({
        onEvent: Effect.fnUntraced(function* (event: ProtocolEvent) {
          yield* Ref.update(summary, (before) => summarize(before, event))
          if (event._tag === "RunStarted") yield* begin(event.model, event)
          else if (event._tag === "Text") yield* say(sanitizer.push(event.text))
          else {
            const line = lineOf(event, options.extraEvents)
            if (line !== undefined) {
              yield* say(sanitizer.end())
              yield* send(line)
            }
          }
          const diagnostic = diagnosticLine(event)
          if (diagnostic !== undefined) yield* stderr.notice(diagnostic)
        }),
        finish: Effect.fnUntraced(function* (outcome) {
          yield* begin(options.model, undefined)
          yield* say(sanitizer.end())
          // Readers written for the reference learn of an unusable answer from an `error` event before the result.
          if (outcome.completionReason === "empty" && outcome.failure !== undefined) {
            yield* send({ type: "error", severity: "error", message: outcome.failure.message })
          }
          const end = yield* monotonicMillis
          const ended = yield* Ref.get(summary)
          yield* send({
            type: "result",
            status: outcome.failure === undefined ? "success" : "error",
            error: outcome.failure === undefined ? undefined : errorDocument(outcome.failure),
            response: outcome.failure === undefined || !ended.isAsked ? undefined : stripAnsi(answerIn(ended, outcome)),
            stats: streamStats(ended.stats, end - startedAt),
            ...extraFields(ended, outcome),
            prompt_index: options.prompt?.index
          })
        })
      })
    })
  )

/** An event as it is written, without its time. */
type StreamLine = StreamEvent extends infer Line ? (Line extends StreamEvent ? Omit<Line, "timestamp"> : never) : never

/** The line that an event becomes; most events of the union are for other readers. */
const lineOf = (event: ProtocolEvent, extra: ReadonlyArray<ExtraEvent>): StreamLine | undefined => {
  switch (event._tag) {
    case "Thought":
      return extra.includes("thought") ? { type: "thought", ...thoughtOf(event) } : undefined
    case "ChatCompressed":
      return extra.includes("compression") && event.status !== "NOOP"
        ? {
            type: "compression",
            status: event.status,
            original_tokens: event.originalTokens,
            new_tokens: event.newTokens
          }
        : undefined
    case "UserMessage":
      return { type: "message", role: "user", content: event.text }
    case "ToolRequested":
      return { type: "tool_use", tool_name: event.name, tool_id: event.callId, parameters: event.args }
    case "ToolFinished":
      return { type: "tool_result", ...resultOf(event) }
    case "RunHalted":
      return event.kind === "stopped"
        ? undefined
        : { type: "error", severity: "warning", message: stripAnsi(haltText(event)) }
    case "Notice":
      return event.severity === "info"
        ? undefined
        : { type: "error", severity: event.severity, message: stripAnsi(event.message) }
    case "Subagent": {
      const step = extra.includes("subagent") ? subagentStep(event.event) : undefined
      return step === undefined
        ? undefined
        : { type: "subagent", agent: event.agent, tool_id: event.callId, event: step }
    }
    default:
      event satisfies EventOf<Ignored>
      return undefined
  }
}

const resultOf = ({ callId, error, output, status }: EventOf<"ToolFinished">) =>
  ({ tool_id: callId, status: status === "success" ? "success" : "error", output, error }) as const

const thoughtOf = ({ description, subject }: EventOf<"Thought">) => ({
  subject: stripAnsi(subject),
  description: stripAnsi(description)
})

/** Of no interest here. A new event belongs in a case, or in this list. */
type Ignored =
  | "RunStarted"
  | "ModelRouted"
  | "ModelChosen"
  | "Text"
  | "Citation"
  | "ToolStarted"
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

/** A step of a sub-agent: the forms of the run's own events, inside of one. `undefined` for steps that say nothing here. */
const subagentStep = (event: SubagentEvent): SubagentStep | undefined => {
  switch (event._tag) {
    case "AgentStarted":
      return { type: "started", agent_id: event.agentId, prompt: event.prompt }
    case "Thought":
      return { type: "thought", ...thoughtOf(event) }
    case "Text":
      return { type: "message", role: "assistant", content: stripAnsi(event.text), delta: true }
    case "ToolRequested":
      return { type: "tool_use", tool_name: event.name, tool_id: event.callId, parameters: event.args }
    case "ToolFinished":
      return { type: "tool_result", ...resultOf(event) }
    case "Notice":
      return event.severity === "info"
        ? undefined
        : { type: "error", severity: event.severity, message: stripAnsi(event.message) }
    case "AgentRecovery":
      return { type: "recovery", reason: event.reason, success: event.success, turns: event.turns }
    case "AgentFinished":
      return { type: "finished", reason: event.reason, turns: event.turns, duration_ms: event.durationMs }
    case "ToolStarted":
    case "RetryScheduled":
      return undefined
  }
}
