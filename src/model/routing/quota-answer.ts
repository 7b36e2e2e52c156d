/** What a run does when a model is given up: `--on-quota` says it, or the person who is there does. Loaded only then. */
import { Effect, Layer, Ref } from "effect"
import { creditsPage } from "../../auth/google/paid-credits.ts"
import * as Flow from "../../kernel/flow.ts"
import { serviceOf } from "../../kernel/layers.ts"
import { lazy } from "../../kernel/lazy.ts"
import { Policy } from "../../policy/policy.ts"
import { Notices } from "../../protocol/notices.ts"
import { ModelAvailability } from "../../retry/availability/model-availability.ts"
import type { ModelError } from "../../retry/model-error.ts"
import { record } from "../../telemetry/signal.ts"
import { Telemetry } from "../../telemetry/telemetry.ts"
import { ModelAccess } from "../model-access.ts"
import { ModelClient, type ModelEvent, type ModelRequest } from "../model-client.ts"
import { isAutoModel } from "../model-names.ts"
import { SelectedModel } from "../selected-model.ts"
import type * as AskPerson from "./ask-person.ts"
import { type AskingCredits, FallbackQuestions } from "./fallback-questions.ts"
import {
  type Attempt,
  chainOf,
  type FallbackOptions,
  fewer,
  giveUp,
  type NextAttempt,
  type OnQuota,
  substituted
} from "./give-up.ts"

export interface QuotaFacts {
  /** `--on-quota`. */
  readonly onQuota: { readonly action: "fail" | "wait" | "fallback"; readonly model?: string | undefined }
  /** Asks what to do about a model that was given up; absent where that cannot or need not be asked. */
  readonly fallback: Layer.Layer<FallbackQuestions> | undefined
  /** When the run's time is up, in milliseconds of the clock. */
  readonly deadline: number | undefined
  /** Little is said about what goes wrong. */
  readonly isQuiet: boolean
  /** Opens a page for the person. */
  readonly openPage: (url: string) => Effect.Effect<void>
}

/**
 * A model that does not give up at the first quota: the client for runs with `--on-quota wait` or `fallback`, and for
 * conversations with somebody who can be asked. It acts only before an answer has begun, and tells of every wait and
 * every other model in the stream. Loaded where it is wanted: otherwise the failure of the model is that of the run.
 */
export const withFallback = <E, R>(
  base: Layer.Layer<ModelClient, E, R>,
  options: FallbackOptions
): Layer.Layer<ModelClient, E, R | ModelAvailability> =>
  Layer.effect(
    ModelClient,
    Effect.gen(function* () {
      const client = yield* ModelClient
      const availability = yield* ModelAvailability
      const { onQuota } = options
      const next = (error: ModelError, attempt: Attempt) =>
        onQuota.action === "ask"
          ? askLater(error, attempt, onQuota.asking, availability)
          : giveUp(error, attempt, options, availability)

      /** A model that is known to fail is not asked first. */
      const begin = Effect.fnUntraced(function* (request: ModelRequest) {
        const chain = yield* chainOf(request.model, options)
        const { maxAttempts } = request
        const selected = yield* availability.select(chain)
        const first = selected.model === request.model ? request : substituted(request, selected.model)
        const bounded = { ...first, maxAttempts: fewer(maxAttempts, selected.maxAttempts) }
        return { chain, maxAttempts, failed: [], count: 1, request: bounded } satisfies Attempt
      })

      const open = (attempt: Attempt): Flow.Flow<ModelEvent, ModelError> =>
        Flow.unwrap(
          Effect.map(Ref.make(false), (begun) => {
            const noteAnswer = Effect.flatMap(Ref.getAndSet(begun, true), (before) =>
              before ? Effect.void : availability.answered(attempt.request.model)
            )
            const resume = (error: ModelError) => {
              const resumed = Effect.map(next(error, attempt), (found) => announced(found, open(found.attempt)))
              return onQuota.action === "ask"
                ? Flow.concat(Flow.succeed({ _tag: "GivenUp", error } as const), Flow.unwrap(resumed))
                : Flow.unwrap(resumed)
            }
            return client.stream(attempt.request).pipe(
              Flow.tap((event) => (event._tag === "Chunk" ? noteAnswer : Effect.void)),
              Flow.catchAll((error) =>
                Flow.unwrap(Effect.map(Ref.get(begun), (hasBegun) => (hasBegun ? Flow.fail(error) : resume(error))))
              )
            )
          })
        )

      const generate = (attempt: Attempt): ReturnType<typeof client.generate> =>
        client.generate(attempt.request).pipe(
          Effect.tap(availability.answered(attempt.request.model)),
          Effect.catchAll((error) =>
            next(error, attempt).pipe(
              Effect.tap(log),
              Effect.flatMap((found) => Effect.delay(generate(found.attempt), found.delayMs))
            )
          )
        )

      return ModelClient.of({
        ...client,
        stream: (request) =>
          Flow.unwrap(
            Effect.map(begin(request), (attempt) => {
              const [from, to] = [request.model, attempt.request.model]
              const answer = open(attempt)
              return from === to
                ? answer
                : Flow.concat(Flow.succeed({ _tag: "ModelReplaced", from, to, error: undefined } as const), answer)
            })
          ),
        generate: (request) => Effect.flatMap(begin(request), generate)
      })
    })
  ).pipe(Layer.provide(base))

/** Loaded with the first failure that is worth a question. */
const askLater = Effect.fnUntraced(function* (...given: Parameters<typeof AskPerson.askPerson>) {
  const { askPerson } = yield* lazy(() => import("./ask-person.ts"))
  return yield* askPerson(...given)
})

const announced = (
  { delayMs, event }: NextAttempt,
  stream: Flow.Flow<ModelEvent, ModelError>
): Flow.Flow<ModelEvent, ModelError> =>
  Flow.concat(Flow.succeed(event), Flow.unwrap(Effect.as(Effect.sleep(delayMs), stream)))

/** Requests without a stream have only the log to speak to. */
const log = ({ delayMs, event }: NextAttempt) =>
  event._tag === "ModelReplaced"
    ? Effect.annotateLogs(Effect.logWarning("another model stands in"), { from: event.from, to: event.to })
    : Effect.annotateLogs(Effect.logWarning("waiting for the model's quota"), { delayMs })

export const quotaAnswer = Effect.fnUntraced(function* (client: ModelClient["Type"], facts: QuotaFacts) {
  const onQuota = yield* answerOf(facts)
  if (onQuota === undefined) return client
  const { names } = yield* ModelAccess
  const selected = yield* SelectedModel
  const { mode } = yield* Policy
  // While planning nothing is asked.
  const chainOf = (asked: string) =>
    Effect.zipWith(selected.get, mode, (wanted, current) =>
      names.chainOf({ model: asked, isAuto: isAutoModel(wanted), isPlanMode: current === "plan" })
    )
  return yield* serviceOf(
    ModelClient,
    withFallback(Layer.succeed(ModelClient, client), { onQuota, chainOf, deadline: facts.deadline })
  )
})

const answerOf = Effect.fnUntraced(function* (facts: QuotaFacts) {
  const { fallback, isQuiet, onQuota } = facts
  const { action, model } = onQuota
  const { names } = yield* ModelAccess
  if (action === "wait") return { action } satisfies OnQuota as OnQuota
  if (action === "fallback") return { action, model: model === undefined ? undefined : names.resolve(model) }
  if (fallback === undefined) return undefined
  const selected = yield* SelectedModel
  const { ask } = yield* serviceOf(FallbackQuestions, fallback)
  const credits = yield* askingCredits(facts)
  return { action: "ask", asking: { ask, select: selected.set, isQuiet, credits } } satisfies OnQuota as OnQuota
})

const askingCredits = Effect.fnUntraced(function* ({
  openPage
}: QuotaFacts): Effect.fn.Return<AskingCredits | undefined, never, ModelAccess | Notices> {
  const { source } = yield* ModelAccess
  const telemetry = yield* Telemetry
  const { say } = yield* Notices
  const account = source._tag === "Network" ? source.account : undefined
  if (account === undefined) return undefined
  const { agree, offer, strategy } = account.credits
  return {
    agree,
    offer,
    strategy,
    openPage: (what) => {
      const page = creditsPage(what, account.email)
      return Effect.zipRight(say(`${page}\nWhat changes there can take some minutes to be known here.`), openPage(page))
    },
    tell: (signals) => record(telemetry, signals)
  }
})
