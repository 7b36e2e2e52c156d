/**
 * A model whose requests are recorded: as they are sent, and as they end. It stands below the retries, so that each
 * attempt is a request of its own. Loaded only where telemetry is on.
 */
import { Cause, Clock, Effect, Exit, Option, type Scope, Stream, type Tracer } from "effect"
import type { ModelError } from "../retry/model-error.ts"
import { record } from "../telemetry/signal.ts"
import { Telemetry } from "../telemetry/telemetry.ts"
import type { ModelChunk, ModelClient, ModelRequest } from "./model-client.ts"
import { addChunk, type HeardAnswer, nothingHeard } from "./telling/heard-answer.ts"
import { type ModelService, requestFailed, requestFinished, requestSent } from "./telling/request-signals.ts"

export const withTelemetry = (client: ModelClient["Type"], service: ModelService): ModelClient["Type"] => ({
  ...client,
  stream: (request) =>
    Stream.unwrapScoped(
      Effect.map(beginTelling(request, service), ({ hear }) =>
        Stream.tap(client.stream(request), (event) => (event._tag === "Chunk" ? hear(event.chunk) : Effect.void))
      )
    ),
  generate: (request) =>
    Effect.scoped(
      Effect.flatMap(beginTelling(request, service), ({ hear }) => Effect.tap(client.generate(request), hear))
    )
})

/** What is left to tell is told when the scope closes: by then the answer is complete, or it has failed. */
const beginTelling = Effect.fnUntraced(function* (request: ModelRequest, service: ModelService) {
  const telemetry = yield* Telemetry
  const { level } = telemetry
  if (level === undefined) return { hear: () => Effect.void }
  let heard: HeardAnswer = nothingHeard
  yield* llmSpan(request, () => heard)
  const since = yield* Clock.currentTimeMillis
  yield* record(telemetry, requestSent(request, { service, level }))
  yield* Effect.addFinalizer((exit) =>
    Effect.gen(function* () {
      const durationMs = (yield* Clock.currentTimeMillis) - since
      const signals = Exit.isSuccess(exit)
        ? requestFinished(request, heard, { service, level, durationMs })
        : requestFailed(request, failureOf(exit.cause), { service, level, durationMs })
      yield* record(telemetry, signals)
    })
  )
  return {
    hear: (chunk: ModelChunk) =>
      Effect.sync(() => {
        heard = addChunk(heard, chunk)
      })
  }
})

const llmSpan = (request: ModelRequest, heard: () => HeardAnswer): Effect.Effect<Tracer.Span, never, Scope.Scope> =>
  Effect.makeSpanScoped("llm_call", {
    attributes: {
      "gen_ai.operation.name": "llm_call",
      "gen_ai.request.model": request.model,
      "gen_ai.prompt.name": request.promptId,
      "gen_ai.system_instructions": () => request.systemInstruction,
      "gen_ai.tool.definitions": () => request.config.tools,
      "gen_ai.input.messages": () => request.contents,
      "gen_ai.output.messages": () => heard().content,
      "gen_ai.usage.input_tokens": () => heard().usage?.promptTokenCount,
      "gen_ai.usage.output_tokens": () => heard().usage?.candidatesTokenCount
    }
  })

/** What is told of a request that did not end well. */
const failureOf = (cause: Cause.Cause<unknown>): Pick<ModelError, "message" | "errorType" | "status"> =>
  Option.match(Option.filter(Cause.failureOption(cause), isModelError), {
    onNone: () => ({
      message: Cause.isInterrupted(cause) ? "cancelled" : "internal error",
      errorType: "cancelled",
      status: undefined
    }),
    onSome: (error) => error
  })

const isModelError = (error: unknown): error is ModelError =>
  typeof error === "object" && error !== null && "_tag" in error && error._tag === "ModelError"
