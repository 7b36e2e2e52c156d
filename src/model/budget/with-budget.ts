/**
 * Requests within a budget that other processes use too (`GEMINI_BUDGET`). Stands below the retries, for each attempt is a
 * request: it is reserved before it is sent, its reservation is renewed while it lasts, and settled by what the service says
 * it took. Over the limit nothing is sent; where a rate is the limit, the request waits and says so.
 */
import { randomUUID } from "node:crypto"
import { Duration, Effect, Exit, Schedule } from "effect"
import * as Flow from "../../kernel/flow.ts"
import { NO_USAGE, type UsageMetadata } from "../../protocol/usage.ts"
import { ModelError } from "../../retry/model-error.ts"
import type { StorageError } from "../../system/storage-error.ts"
import type { ModelChunk, ModelClient, ModelEvent, ModelRequest } from "../model-client.ts"
import { costOf, type PriceOf } from "../pricing.ts"
import { estimateContents, estimateText } from "../token-estimate.ts"
import { type BudgetFileError, changeBudget } from "./budget-file.ts"
import {
  type BudgetAnswer,
  LEASE_MS,
  type RequestTaken,
  type RequestWish,
  renew,
  reserve,
  settle
} from "./budget-state.ts"

export interface BudgetOptions {
  readonly file: string
  readonly priceOf: PriceOf
  /** A line for the person. */
  readonly say: (text: string) => Effect.Effect<void>
}

/** What an answer has where nothing limits it; requests that were settled teach better. */
const USUAL_ANSWER_TOKENS = 1000
/** Shorter waits are not worth a line. */
const TOLD_FROM_MS = 1000

export const withBudget = (client: ModelClient["Type"], options: BudgetOptions): ModelClient["Type"] => {
  const { file, priceOf, say } = options

  const admitted = Effect.fnUntraced(function* (wish: RequestWish, model: string) {
    let isTold = false
    while (true) {
      const admission = yield* changeBudget(file, (state, now): readonly [BudgetAnswer, typeof state | undefined] => {
        const asked = reserve(state, wish, now)
        return [asked, asked._tag === "Reserved" ? asked.state : undefined]
      }).pipe(Effect.mapError((error) => unusable(error, model)))
      if (admission._tag === "Reserved") return
      if (admission._tag === "Refused") return yield* spent(`the budget ${file} is used up: ${admission.why}`, model)
      if (!isTold && admission.ms >= TOLD_FROM_MS) {
        isTold = true
        yield* say(`waiting ${Duration.format(roundedUp(admission.ms))} for the budget ${file}: its rate is used up`)
      }
      yield* Effect.sleep(Duration.millis(admission.ms))
    }
  })

  /** The reservation of a request, for as long as it lasts. `told` hears what the service says that it took. */
  const reserved = Effect.fnUntraced(function* (request: ModelRequest) {
    const wish = wishOf(request, priceOf)
    const seen: { usage?: UsageMetadata; answered: boolean } = { answered: false }
    yield* Effect.acquireRelease(admitted(wish, request.model).pipe(Effect.interruptible), (_, exit) =>
      changeBudget(file, (state, now) => [undefined, settle(state, wish, takenBy(request, seen, exit), now)]).pipe(
        Effect.catchAll(({ message }) => say(`what a request took is not counted: ${message}`))
      )
    )
    yield* changeBudget(file, (state, now) => [undefined, renew(state, wish.id, now)]).pipe(
      Effect.ignore,
      Effect.repeat(Schedule.spaced(Duration.millis(LEASE_MS / 2))),
      Effect.delay(Duration.millis(LEASE_MS / 2)),
      Effect.forkScoped
    )
    return (chunk: ModelChunk) => {
      seen.answered = true
      if (chunk.usageMetadata !== undefined) seen.usage = chunk.usageMetadata
    }
  })

  /** `undefined`: it began, and ended before anybody said what it took. */
  const takenBy = (
    request: ModelRequest,
    { answered, usage }: { readonly usage?: UsageMetadata; readonly answered: boolean },
    exit: Exit.Exit<unknown, unknown>
  ): RequestTaken | undefined => {
    if (usage !== undefined) {
      const price = priceOf(request.model)
      const usd = price === undefined ? 0 : costOf(price, { ...tierOfRequest(request), ...usage })
      return { tokens: usage.totalTokenCount, usd }
    }
    return answered || Exit.isInterrupted(exit) ? undefined : { tokens: 0, usd: 0 }
  }

  return {
    ...client,
    stream: (request) =>
      Flow.unwrapScoped(
        Effect.map(reserved(request), (told) =>
          Flow.tap(client.stream(request), (event: ModelEvent) =>
            Effect.sync(() => {
              if (event._tag === "Chunk") told(event.chunk)
            })
          )
        )
      ),
    generate: (request) =>
      Effect.scoped(
        Effect.flatMap(reserved(request), (told) =>
          Effect.tap(client.generate(request), (chunk) => Effect.sync(() => told(chunk)))
        )
      )
  }
}

const wishOf = (request: ModelRequest, priceOf: PriceOf): RequestWish => {
  const { config, contents, model, systemInstruction = "" } = request
  const limit = config.maxOutputTokens
  const candidatesTokenCount = typeof limit === "number" ? Math.min(limit, USUAL_ANSWER_TOKENS) : USUAL_ANSWER_TOKENS
  const around = estimateText(systemInstruction) + estimateText(JSON.stringify(config.tools ?? ""))
  const promptTokenCount = estimateContents(contents) + around
  const price = priceOf(model)
  const usage = { ...NO_USAGE, ...tierOfRequest(request), promptTokenCount, candidatesTokenCount }
  return {
    id: randomUUID(),
    pid: process.pid,
    tokens: promptTokenCount + candidatesTokenCount,
    usd: price === undefined ? undefined : costOf(price, usage)
  }
}

/** As asked for; the answer may say another. */
const tierOfRequest = ({ config, routing }: ModelRequest): Pick<UsageMetadata, "serviceTier"> => {
  const tier = routing?.sharedRequestType ?? config.serviceTier
  return typeof tier === "string" ? { serviceTier: tier } : {}
}

const spent = (detail: string, model: string): ModelError =>
  new ModelError({ kind: "budget", detail, model, phase: "open", errorType: "BUDGET" })

/** Not where it is kept, but whether it can be written is what is wrong. */
const unusable = (error: BudgetFileError | StorageError, model: string): ModelError =>
  new ModelError({
    kind: "budget",
    detail:
      error._tag === "StorageError" ? `the budget ${error.path} cannot be written (${error.detail})` : error.message,
    model,
    phase: "open",
    errorType: "BUDGET",
    reason: "FILE"
  })

const roundedUp = (ms: number): Duration.Duration => Duration.seconds(Math.ceil(ms / 1000))
