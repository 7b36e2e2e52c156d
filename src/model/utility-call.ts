/**
 * One question to a utility model, and its answer as text or as checked JSON. Every request is reported to whoever works
 * on the prompt, bounded in time, and fails with one typed error: callers decide what to do without an answer.
 */
import { Duration, Effect, Schema } from "effect"
import { monotonicMillis } from "../kernel/monotonic-time.ts"
import type { Content } from "../protocol/content.ts"
import { PromptId } from "../protocol/ids.ts"
import { NO_USAGE, type RequestRole } from "../protocol/usage.ts"
import { ModelError } from "../retry/model-error.ts"
import { questionAgain } from "../retry/schedules.ts"
import { Telemetry } from "../telemetry/telemetry.ts"
import { type GenerationConfig, type ModelChunk, ModelClient } from "./model-client.ts"
import { type UtilityAlias, UtilityModels } from "./utility-models.ts"

export interface UtilityQuestion {
  readonly alias: UtilityAlias
  readonly contents: ReadonlyArray<Content>
  readonly system?: string
  readonly role: RequestRole
  /** On top of the parameters of the alias. */
  readonly config?: GenerationConfig
  /** Tells a second question of the same purpose apart in records: added to the id of the prompt. */
  readonly step?: string
}

/** The longest wait for an answer, attempts and pauses included. */
export interface Patience {
  readonly timeout?: Duration.DurationInput
}

export interface JsonQuestion<A, I> extends UtilityQuestion, Patience {
  readonly schema: Schema.Schema<A, I>
  /** The same shape as the API wants it. */
  readonly jsonSchema: object
  /** Questions in all, when answers are empty or of another form. */
  readonly attempts?: number
}

export class UtilityError extends Schema.TaggedError<UtilityError>()("UtilityError", {
  kind: Schema.Literal("model", "timeout", "empty", "unparsable"),
  alias: Schema.String,
  detail: Schema.String,
  /** The failed request, where there was one. */
  cause: Schema.optional(ModelError)
}) {
  override get message() {
    return `${this.alias}: ${this.detail}`
  }
}

const TIMEOUT = "60 seconds"
const ATTEMPTS = 5

/** The answer as it came: for callers that need more of it than its text. */
export const askModel = Effect.fn("UtilityModels.ask")(function* (question: UtilityQuestion) {
  const client = yield* ModelClient
  const utility = yield* UtilityModels
  const { config, model } = utility.configFor(question.alias)
  const { promptId, report } = yield* utility.user
  const { role } = question
  const started = yield* monotonicMillis
  const elapsed = Effect.map(monotonicMillis, (now) => now - started)
  return yield* client
    .generate({
      model,
      contents: question.contents,
      ...(question.system === undefined ? {} : { systemInstruction: question.system }),
      config: { ...config, ...question.config },
      role,
      // A run goes on without the answer, and may then have to find out for itself that nobody can be reached.
      ...(role === "utility_router" ? { maxAttempts: 2 } : {}),
      promptId: question.step === undefined ? promptId : PromptId.make(`${promptId}-${question.step}`)
    })
    .pipe(
      Effect.tap((chunk) =>
        Effect.flatMap(elapsed, (durationMs) =>
          report({
            _tag: "RequestFinished",
            model: chunk.modelVersion ?? model,
            role,
            durationMs,
            usage: chunk.usageMetadata ?? NO_USAGE,
            ...(chunk.paidCredits === undefined ? {} : { paidCredits: chunk.paidCredits })
          })
        )
      ),
      Effect.tapError(({ errorType }) =>
        Effect.flatMap(elapsed, (durationMs) => report({ _tag: "RequestFailed", model, role, durationMs, errorType }))
      )
    )
})

/** Visible text, which may be empty. */
export const askText = (
  question: UtilityQuestion & Patience
): Effect.Effect<string, UtilityError, ModelClient | UtilityModels> =>
  text(question).pipe(within(question.alias, question.timeout))

export const askJson = <A, I>(
  question: JsonQuestion<A, I>
): Effect.Effect<A, UtilityError, ModelClient | UtilityModels> =>
  text({
    ...question,
    config: { ...question.config, responseMimeType: "application/json", responseJsonSchema: question.jsonSchema }
  }).pipe(
    Effect.flatMap((answer) => decode(question, answer)),
    Effect.tapError(({ kind }) => (kind === "unparsable" ? tellOfBrokenJson(question) : Effect.void)),
    Effect.retry({
      // A request that failed was retried where the connection is made.
      while: ({ kind }) => kind === "empty" || kind === "unparsable",
      schedule: questionAgain(question.attempts ?? ATTEMPTS)
    }),
    within(question.alias, question.timeout)
  )

const tellOfBrokenJson = Effect.fnUntraced(function* ({ alias }: UtilityQuestion) {
  const { log } = yield* Telemetry
  const { model } = (yield* UtilityModels).configFor(alias)
  yield* log({
    name: "gemini_cli.malformed_json_response",
    body: `Malformed JSON response from ${model}.`,
    attributes: { model }
  })
})

const text = (question: UtilityQuestion) =>
  askModel(question).pipe(
    Effect.map(answerText),
    Effect.mapError((cause) => new UtilityError({ kind: "model", alias: question.alias, detail: cause.message, cause }))
  )

const decode = <A, I>(question: JsonQuestion<A, I>, answer: string): Effect.Effect<A, UtilityError> => {
  const json = withoutFence(answer)
  const { alias } = question
  if (json === "") return new UtilityError({ kind: "empty", alias, detail: "the answer is empty" })
  return Effect.mapError(
    Schema.decode(Schema.parseJson(question.schema))(json),
    ({ message }) => new UtilityError({ kind: "unparsable", alias, detail: `the answer has another form: ${message}` })
  )
}

const within =
  (alias: UtilityAlias, timeout: Duration.DurationInput = TIMEOUT) =>
  <A, R>(effect: Effect.Effect<A, UtilityError, R>): Effect.Effect<A, UtilityError, R> =>
    Effect.timeoutFail(effect, {
      duration: timeout,
      onTimeout: () =>
        new UtilityError({ kind: "timeout", alias, detail: `no answer within ${Duration.format(timeout)}` })
    })

/** Models like to wrap JSON into a code block, asked or not. */
const withoutFence = (answer: string): string =>
  answer
    .trim()
    .replace(/^```(?:json)?\s*|\s*```$/g, "")
    .trim()

/** The visible text of an answer: thoughts left out, parts joined. Empty when there is none. */
export const answerText = (chunk: ModelChunk): string =>
  (chunk.candidates?.[0]?.content?.parts ?? [])
    .filter((part) => part.thought !== true)
    .map((part) => part.text ?? "")
    .join("")
