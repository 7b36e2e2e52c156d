/** A batch through the batch service of the provider: what `run.ts` is to items that are asked one by one. */
import { Effect, Either } from "effect"
import type { ApiEngine, ApiStart } from "../../batch/api/answer-by-jobs.ts"
import { holdCache, type SharedContext } from "../../batch/api/cached-context.ts"
import type { AnswerReader } from "../../batch/api/job-answer.ts"
import { openService, type ServiceWish } from "../../batch/api/open-service.ts"
import type { ItemRequest } from "../../batch/api/submit-jobs.ts"
import { badInput } from "../../batch/batch-error.ts"
import type { BatchRequest } from "../../batch/batch-request.ts"
import type { BatchItem } from "../../batch/input/batch-item.ts"
import { itemParts, requestHash } from "../../batch/run/item-files.ts"
import type { LiveStart } from "../../batch/run-batch.ts"
import type { OutputContract } from "../../chat/structured/output-contract.ts"
import { serviceOf } from "../../kernel/layers.ts"
import { bodyFields } from "../../model/gemini/config-fields.ts"
import { endpointFor } from "../../model/gemini/endpoint.ts"
import { ModelAccess } from "../../model/model-access.ts"
import { priceLookup } from "../../model/pricing.ts"
import { withThinking } from "../../model/thinking.ts"
import { ground } from "../compose.ts"
import { type AppInput, runFacts } from "../facts.ts"
import { outcomeOf } from "../outcome.ts"

interface ApiInput {
  readonly input: AppInput
  readonly request: BatchRequest
  readonly contract: OutputContract | undefined
  readonly context: SharedContext | undefined
}

/** Characters of a request for each token, roughly; and tokens of an answer where nothing says how long it may be. */
const BYTES_PER_TOKEN = 4
const USUAL_ANSWER_TOKENS = 500
const BATCH_SHARE = 0.5
const MILLION = 1_000_000

export const startApi = ({ context, contract, input, request }: ApiInput, start: ApiStart) =>
  Effect.gen(function* () {
    const { config, plan } = input
    const { model, place, service, settled } = yield* opened(input, {
      gcs: request.gcs,
      makesJobs: true,
      wanted: "--via api"
    })
    const instruction = [request.appendSystemPrompt ?? "", contract?.instruction ?? ""]
      .filter((text) => text !== "")
      .join("\n\n")
    const cache =
      context === undefined
        ? undefined
        : yield* holdCache({
            service: service.cache,
            context,
            model,
            systemInstruction: instruction,
            known: start.cache,
            note: start.note,
            isNeeded: start.isNeeded
          })
    const price = priceLookup(config.settings.get("run.prices"))(model)
    const fields = yield* Effect.mapError(
      bodyFields(
        {
          ...settled,
          // Nobody asks the model a second time here.
          ...(contract === undefined ? {} : { responseMimeType: "application/json" }),
          ...(cache !== undefined
            ? { cachedContent: cache }
            : instruction === ""
              ? {}
              : { systemInstruction: instruction })
        },
        place
      ),
      (why) => badInput(`the request cannot be made: ${why}`)
    )
    const engine: ApiEngine = {
      service,
      reader: readerOf(input, { model, contract, earlierAttempts: start.earlierAttempts }),
      requestOf: (item) => requestOf(item, { cwd: config.environment.cwd, common: start.common, fields }),
      estimate: (bytes) => {
        const asked = bytes / BYTES_PER_TOKEN
        const usd = (asked * (price?.input ?? 0) + USUAL_ANSWER_TOKENS * (price?.output ?? 0)) / MILLION
        return { usd: usd * BATCH_SHARE, tokens: Math.ceil(asked + USUAL_ANSWER_TOKENS) }
      },
      hasPrice: price !== undefined,
      waitsForQuota: plan.onQuota.action === "wait"
    }
    return engine
  })

const readerOf = (
  { config }: AppInput,
  made: Pick<AnswerReader, "model" | "contract" | "earlierAttempts">
): AnswerReader => ({
  ...made,
  priceOf: priceLookup(config.settings.get("run.prices")),
  outcomeOf: (exit) => outcomeOf(exit, undefined)
})

/** For jobs that are there. How often their items were asked before stands in no journal. */
export const openReader = ({ contract, input }: Pick<ApiInput, "input" | "contract">, wanted: string) =>
  Effect.map(opened(input, { gcs: undefined, makesJobs: false, wanted }), ({ model, service }) => ({
    service,
    reader: readerOf(input, { model, contract, earlierAttempts: () => 0 })
  }))

const requestOf = (
  item: BatchItem,
  { common, cwd, fields }: { readonly cwd: string; readonly common: string; readonly fields: object }
): Either.Either<ItemRequest, string> =>
  Either.map(itemParts(item, cwd), (parts) => ({
    body: JSON.stringify({ contents: [{ role: "user", parts }], ...fields }),
    hash: requestHash(parts, common)
  }))

/** The service, and the model as it is sent. */
export const opened = Effect.fnUntraced(function* (
  input: AppInput,
  { gcs, makesJobs, wanted }: Pick<ServiceWish, "gcs" | "makesJobs" | "wanted">
) {
  const { config, facts, plan } = input
  const { configFor, source } = yield* serviceOf(ModelAccess, ground(input, runFacts(input)))
  const named = configFor(plan.model, { isRetry: false })
  const { config: settled, model } = plan.thinking === undefined ? named : withThinking(named, plan.thinking).resolved
  const service = yield* openService({
    config,
    platform: facts.platform,
    source,
    model,
    gcs,
    wanted,
    makesJobs
  })
  const auth = source._tag === "Network" && source.auth._tag !== "CodeAssist" ? source.auth : undefined
  const place =
    auth === undefined
      ? ({ api: "gemini", scope: undefined } as const)
      : endpointFor(auth, config.environment.variables.GOOGLE_GENAI_API_VERSION)
  return { service, model, settled, place }
})

/** For items that are asked live: the context is kept for them, too. */
export const liveCache = Effect.fnUntraced(function* (
  { context, contract, input, request }: ApiInput,
  start: LiveStart
) {
  if (context === undefined) return undefined
  const { model, service } = yield* opened(input, { gcs: undefined, makesJobs: false, wanted: "--cached-context" })
  const instruction = [request.appendSystemPrompt ?? "", contract?.instruction ?? ""]
  return yield* holdCache({
    service: service.cache,
    context,
    model,
    systemInstruction: instruction.filter((text) => text !== "").join("\n\n"),
    known: start.cache,
    note: start.note,
    isNeeded: Effect.succeed(false)
  })
})
