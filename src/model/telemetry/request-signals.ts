/** A request to a model as records, counts and measurements, in the program's own words and in OpenTelemetry's. Pure. */

import type { Content, Part } from "../../protocol/content.ts"
import type { UsageMetadata } from "../../protocol/usage.ts"
import type { ModelError } from "../../retry/model-error.ts"
import { count, log, measure, type Signal } from "../../telemetry/signal.ts"
import type { Attributes, TelemetryLevel } from "../../telemetry/telemetry.ts"
import type { ModelChunk, ModelRequest } from "../model-client.ts"

/** Who answers. */
export interface ModelService {
  /** `gcp.gen_ai` or `gcp.vertex_ai`. */
  readonly provider: string
  /** Absent where nothing is sent: recorded answers. */
  readonly server: { readonly address: string; readonly port: number } | undefined
}

export interface SentRequest {
  readonly service: ModelService
  readonly level: TelemetryLevel
}

export interface EndFacts extends SentRequest {
  readonly durationMs: number
  /** Of it, until the first piece of the answer came; absent where none did. */
  readonly waitedMs: number | undefined
}

type Failure = Pick<ModelError, "message" | "errorType" | "status">

export const requestSent = (request: ModelRequest, facts: SentRequest): ReadonlyArray<Signal> => [
  log("gemini_cli.api_request", `API request to ${request.model}.`, {
    model: request.model,
    prompt_id: request.promptId,
    role: request.role,
    ...(facts.level.logPrompts ? { request_text: JSON.stringify(request.contents) } : {})
  }),
  details(request, facts, {})
]

export const requestFinished = (request: ModelRequest, answer: HeardAnswer, facts: EndFacts): ReadonlyArray<Signal> => {
  const { durationMs, level } = facts
  const { usage } = answer
  const model = answer.modelVersion ?? request.model
  return [
    log("gemini_cli.api_response", `API response from ${model}. Status code: 200. Duration: ${durationMs}ms.`, {
      model,
      duration_ms: durationMs,
      input_token_count: usage?.promptTokenCount ?? 0,
      output_token_count: usage?.candidatesTokenCount ?? 0,
      cached_content_token_count: usage?.cachedContentTokenCount ?? 0,
      thoughts_token_count: usage?.thoughtsTokenCount ?? 0,
      tool_token_count: usage?.toolUsePromptTokenCount ?? 0,
      total_token_count: usage?.totalTokenCount ?? 0,
      prompt_id: request.promptId,
      status_code: 200,
      "http.status_code": 200,
      finish_reasons: answer.finishReasons,
      role: request.role,
      ...(level.logPrompts ? { response_text: JSON.stringify(answer.content) } : {})
    }),
    details(request, facts, {
      "gen_ai.response.model": model,
      "gen_ai.response.id": answer.responseId,
      "gen_ai.response.finish_reasons": answer.finishReasons,
      "gen_ai.usage.input_tokens": usage?.promptTokenCount,
      "gen_ai.usage.output_tokens": usage?.candidatesTokenCount,
      ...(level.traces && level.logPrompts ? { "gen_ai.output.messages": JSON.stringify([answer.content]) } : {})
    }),
    ...count("gemini_cli.api.request.count", { model, status_code: 200 }),
    measure("gemini_cli.api.request.latency", durationMs, { model }),
    ...breakdown(model, facts),
    ...(usage === undefined ? [] : tokensUsed(usage, model, conventions(request, facts, model))),
    measure("gen_ai.client.operation.duration", durationMs / 1_000, conventions(request, facts, model))
  ]
}

export const requestFailed = (request: ModelRequest, failure: Failure, facts: EndFacts): ReadonlyArray<Signal> => {
  const { durationMs } = facts
  const { model } = request
  const { errorType, message, status } = failure
  return [
    log("gemini_cli.api_error", `API error of ${model}. Error: ${message}. Duration: ${durationMs}ms.`, {
      "error.message": message,
      model_name: model,
      duration: durationMs,
      model,
      error: message,
      status_code: status,
      "http.status_code": status,
      duration_ms: durationMs,
      prompt_id: request.promptId,
      role: request.role,
      "error.type": errorType
    }),
    details(request, facts, { "error.type": errorType }),
    ...count("gemini_cli.api.request.count", { model, status_code: status ?? "error", error_type: errorType }),
    measure("gemini_cli.api.request.latency", durationMs, { model }),
    measure("gen_ai.client.operation.duration", durationMs / 1_000, {
      ...conventions(request, facts, model),
      "error.type": errorType
    })
  ]
}

/** Where the time went. What it took to make the request is measured where it is made. */
const breakdown = (model: string, { durationMs, waitedMs = durationMs }: EndFacts): ReadonlyArray<Signal> => [
  measure("gemini_cli.api.request.breakdown", waitedMs, { model, phase: "network_latency" }),
  measure("gemini_cli.api.request.breakdown", durationMs - waitedMs, { model, phase: "response_processing" })
]

const tokensUsed = (usage: UsageMetadata, model: string, shared: Attributes): ReadonlyArray<Signal> => {
  const { cachedContentTokenCount: cache, candidatesTokenCount: output, promptTokenCount: input } = usage
  const { thoughtsTokenCount: thought, toolUsePromptTokenCount: tool } = usage
  return [
    ...Object.entries({ input, output, thought, cache, tool }).flatMap(([type, tokens]) =>
      count("gemini_cli.token.usage", { model, type }, tokens)
    ),
    measure("gen_ai.client.token.usage", input, { ...shared, "gen_ai.token.type": "input" }),
    measure("gen_ai.client.token.usage", output, { ...shared, "gen_ai.token.type": "output" }),
    ...(input === 0 ? [] : [measure("gemini_cli.token.efficiency", cache / input, { model, metric: "cache_hit_rate" })])
  ]
}

const OPERATION = "generate_content"

const conventions = (
  request: ModelRequest,
  { service: { provider, server } }: SentRequest,
  responseModel: string
): Attributes => ({
  "gen_ai.operation.name": OPERATION,
  "gen_ai.provider.name": provider,
  "gen_ai.request.model": request.model,
  "gen_ai.response.model": responseModel,
  "server.address": server?.address,
  "server.port": server?.port
})

/** The same in the words of OpenTelemetry; payloads only where both switches are on. */
const details = (request: ModelRequest, { level, service }: SentRequest, more: Attributes): Signal => {
  const { config, model } = request
  const number = (name: string) => (typeof config[name] === "number" ? config[name] : undefined)
  const { stopSequences } = config
  return log("gen_ai.client.inference.operation.details", `GenAI operation details of ${model}.`, {
    "gen_ai.operation.name": OPERATION,
    "gen_ai.provider.name": service.provider,
    "gen_ai.request.model": model,
    "gen_ai.request.temperature": number("temperature"),
    "gen_ai.request.top_p": number("topP"),
    "gen_ai.request.top_k": number("topK"),
    "gen_ai.request.choice.count": number("candidateCount"),
    "gen_ai.request.seed": number("seed"),
    "gen_ai.request.frequency_penalty": number("frequencyPenalty"),
    "gen_ai.request.presence_penalty": number("presencePenalty"),
    "gen_ai.request.max_tokens": number("maxOutputTokens"),
    "gen_ai.request.stop_sequences": Array.isArray(stopSequences) ? stopSequences.map(String) : undefined,
    "gen_ai.output.type": config.responseMimeType === "application/json" ? "json" : "text",
    "server.address": service.server?.address,
    "server.port": service.server?.port,
    ...(level.traces && level.logPrompts
      ? {
          "gen_ai.system_instructions": request.systemInstruction,
          "gen_ai.input.messages": JSON.stringify(request.contents)
        }
      : {}),
    ...more
  })
}

export interface HeardAnswer {
  /** As the model gave it: neighbouring pieces of text are joined. */
  readonly content: Content
  readonly usage: UsageMetadata | undefined
  readonly finishReasons: ReadonlyArray<string>
  readonly modelVersion: string | undefined
  readonly responseId: string | undefined
}

/** One answer as telemetry needs it, collected from its chunks. Pure. */
export const nothingHeard: HeardAnswer = {
  content: { role: "model", parts: [] },
  usage: undefined,
  finishReasons: [],
  modelVersion: undefined,
  responseId: undefined
}

export const addChunk = (heard: HeardAnswer, chunk: ModelChunk): HeardAnswer => {
  const candidate = chunk.candidates?.[0]
  return {
    content: { role: "model", parts: (candidate?.content?.parts ?? []).reduce(addPart, heard.content.parts) },
    usage: chunk.usageMetadata ?? heard.usage,
    finishReasons:
      candidate?.finishReason === undefined ? heard.finishReasons : [...heard.finishReasons, candidate.finishReason],
    modelVersion: chunk.modelVersion ?? heard.modelVersion,
    responseId: chunk.responseId ?? heard.responseId
  }
}

const addPart = (parts: ReadonlyArray<Part>, part: Part): ReadonlyArray<Part> => {
  const last = parts.at(-1)
  return last?.text !== undefined && part.text !== undefined && last.thought === part.thought
    ? [...parts.slice(0, -1), { ...last, ...part, text: last.text + part.text }]
    : [...parts, part]
}
