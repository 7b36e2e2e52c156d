/**
 * The strategy that asks a small model on this machine how hard a prompt is (`experimental.gemmaModelRouter`). Its server
 * speaks the same API without credentials; it is never started from here. Loaded only where it is turned on.
 */
import { DateTime, Duration, Effect, Schema } from "effect"
import { ModelError } from "../../retry/model-error.ts"
import { SilenceBudget } from "../../retry/silence-budget.ts"
import { make as makeHttp } from "../../system/http/http.ts"
import { readText } from "../answer-body.ts"
import { decodeChunks } from "../decode-chunk.ts"
import { send } from "../transport.ts"
import { answerText } from "../utility-call.ts"
import { ifAvailable, isContinuation, WordAnswer, wordPrompt } from "./classifiers.ts"
import type { RoutingContext } from "./model-router.ts"
import { wordsAround } from "./recent-entries.ts"

export interface GemmaServer {
  /** Such as `http://localhost:9379`. */
  readonly host: string
  readonly model: string
}

/** The one model that is trained for this. */
const TRAINED = "gemma3-1b-gpu-custom"
const PATIENCE = Duration.seconds(10)
const SILENCE = { opening: PATIENCE, firstEvent: PATIENCE, nextEvent: PATIENCE, wholeAnswer: PATIENCE }
const CONFIG = { temperature: 0, maxOutputTokens: 256 }
const REMINDER =
  'Judge the last request only. Answer with JSON and nothing else: {"reasoning": "...", "model_choice": "flash" or "pro"}'

export const gemmaClassifier = Effect.fn("Routing.gemmaClassifier")(function* (
  context: RoutingContext,
  server: GemmaServer
) {
  if (isContinuation(context)) return undefined
  if (server.model !== TRAINED) return yield* unusable(server, `only ${TRAINED} can be asked`)
  const text = yield* ask(server, flattened(context)).pipe(
    Effect.timeoutFail({ duration: PATIENCE, onTimeout: () => unusable(server, "no answer within 10s") })
  )
  const { model_choice, reasoning } = yield* Effect.mapError(
    Schema.decode(Schema.parseJson(WordAnswer))(jsonIn(text)),
    () => unusable(server, "the answer has another form")
  )
  return ifAvailable(context, model_choice, reasoning)
})

const ask = Effect.fnUntraced(function* ({ host, model }: GemmaServer, question: string) {
  const url = `${host.replace(/\/+$/, "")}/v1beta/models/${model}:generateContent`
  const request = {
    systemInstruction: { parts: [{ text: wordPrompt }] },
    contents: [{ role: "user", parts: [{ text: question }] }],
    generationConfig: CONFIG
  }
  const headers = new Headers({ "content-type": "application/json" })
  // No proxy of ours: it is a server of this machine.
  const silence = { budget: new SilenceBudget(), limits: SILENCE }
  const options = { model, silence, http: makeHttp({ variables: {} }) }
  const response = yield* send({ url, headers, body: () => JSON.stringify(request) }, options)
  const text = yield* readText(response, options)
  const [chunk] = yield* decodeChunks(text, { model, phase: "open", now: yield* DateTime.now })
  return chunk === undefined ? "" : answerText(chunk)
}, Effect.scoped)

/** A model of this size follows one message better than a conversation. */
const flattened = ({ history, request }: RoutingContext): string =>
  [
    ...wordsAround(history, request).map(
      ({ parts, role }) => `${role}: ${parts.map(({ text }) => text ?? "").join("")}`
    ),
    REMINDER
  ].join("\n\n")

const jsonIn = (text: string): string => text.slice(text.indexOf("{"), text.lastIndexOf("}") + 1)

const unusable = ({ host, model }: GemmaServer, detail: string): ModelError =>
  new ModelError({
    kind: "bad-response",
    detail: `${host}: ${detail}`,
    model,
    phase: "open",
    errorType: "GEMMA_ROUTER"
  })
