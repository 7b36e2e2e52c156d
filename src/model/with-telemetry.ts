/**
 * A model whose requests are recorded: as they are sent, and as they end. It stands below the retries, so that each
 * attempt is a request of its own. Loaded only where telemetry is on.
 */
import { Cause, Context, Effect, Exit, Option, type Scope, Tracer } from "effect"
import type { AuthPlan } from "../auth/auth-plan.ts"
import * as Flow from "../kernel/flow.ts"
import { monotonicMillis } from "../kernel/monotonic-time.ts"
import type { ModelError } from "../retry/model-error.ts"
import { record } from "../telemetry/signal.ts"
import { measured, Telemetry } from "../telemetry/telemetry.ts"
import { serviceFor } from "./gemini/endpoint.ts"
import type { ModelChunk, ModelClient, ModelRequest } from "./model-client.ts"
import {
  addChunk,
  type HeardAnswer,
  type ModelService,
  nothingHeard,
  requestFailed,
  requestFinished,
  requestSent
} from "./telemetry/request-signals.ts"

/** Nobody is asked for recorded answers: they have no `auth`. */
export const withTelemetry = (client: ModelClient["Type"], auth: AuthPlan | undefined): ModelClient["Type"] => {
  const service = serviceFor(auth)
  return {
    ...client,
    stream: (request) =>
      Flow.unwrapScoped(
        Effect.map(beginTelling(request, service), ({ hear, span }) =>
          Flow.mapInputContext(
            Flow.tap(client.stream(request), (event) => (event._tag === "Chunk" ? hear(event.chunk) : Effect.void)),
            within(span)
          )
        )
      ),
    generate: (request) =>
      Effect.scoped(
        Effect.flatMap(beginTelling(request, service), ({ hear, span }) =>
          client.generate(request).pipe(Effect.tap(hear), Effect.mapInputContext(within(span)))
        )
      )
  }
}

/** What is done for the request belongs to its span. */
const within =
  (span: Tracer.Span | undefined) =>
  (context: Context.Context<never>): Context.Context<never> =>
    span === undefined ? context : Context.add(context, Tracer.ParentSpan, span)

/** What is left to tell is told when the scope closes: by then the answer is complete, or it has failed. */
const beginTelling = Effect.fnUntraced(function* (request: ModelRequest, service: ModelService) {
  const telemetry = yield* Telemetry
  const { level } = telemetry
  if (level === undefined) return { hear: () => Effect.void, span: undefined }
  let heard: HeardAnswer = nothingHeard
  let firstAt: number | undefined
  const span = yield* llmSpan(request, () => heard)
  const since = yield* monotonicMillis
  yield* record(telemetry, requestSent(request, { service, level }))
  yield* Effect.addFinalizer((exit) =>
    Effect.gen(function* () {
      const now = yield* monotonicMillis
      const waitedMs = firstAt === undefined ? undefined : firstAt - since
      const facts = { service, level, durationMs: now - since, waitedMs }
      const told = record(
        telemetry,
        Exit.isSuccess(exit)
          ? requestFinished(request, heard, facts)
          : requestFailed(request, failureOf(exit.cause), facts)
      )
      yield* told.pipe(
        measured("gemini_cli.api.request.breakdown", { model: request.model, phase: "token_processing" })
      )
    })
  )
  return {
    span,
    hear: (chunk: ModelChunk) =>
      Effect.map(monotonicMillis, (now) => {
        firstAt ??= now
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
