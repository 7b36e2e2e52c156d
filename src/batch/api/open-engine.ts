/** The batch service with all that its requests and answers need, from the configuration and what the command line says. */

import { release } from "node:os"
import { Effect, Either } from "effect"
import type { OutputContract } from "../../chat/structured/output-contract.ts"
import { httpOf } from "../../config/http.ts"
import type { LoadedConfig } from "../../config/load.ts"
import { lazy } from "../../kernel/lazy.ts"
import { version } from "../../kernel/version.ts"
import { bodyFields } from "../../model/gemini/config-fields.ts"
import { endpointFor } from "../../model/gemini/endpoint.ts"
import type { ClientOptions } from "../../model/load-client.ts"
import { ModelAccess, type ModelSource } from "../../model/model-access.ts"
import { priceLookup } from "../../model/pricing.ts"
import { type ThinkingWish, withThinking } from "../../model/thinking.ts"
import { type BatchError, badInput } from "../batch-error.ts"
import type { BatchRequest } from "../batch-request.ts"
import type { BatchItem } from "../input/batch-item.ts"
import { itemParts, requestHash } from "../run/item-files.ts"
import type { LiveStart } from "../run-batch.ts"
import type { ApiEngine, ApiStart } from "./answer-by-jobs.ts"
import type { BatchService } from "./batch-service.ts"
import { holdCache, type SharedContext } from "./cached-context.ts"
import type { AnswerReader } from "./job-answer.ts"
import type { ItemRequest } from "./submit-jobs.ts"

/** The model that is meant, and how it is asked. */
export interface ModelWish {
  readonly config: LoadedConfig
  readonly platform: string
  /** A name or an alias. */
  readonly model: string
  readonly thinking: ThinkingWish | undefined
  readonly outcomeOf: AnswerReader["outcomeOf"]
}

export interface EngineInput {
  readonly wish: ModelWish
  readonly waitsForQuota: boolean
  readonly request: BatchRequest
  readonly contract: OutputContract | undefined
  readonly context: SharedContext | undefined
}

/** Characters of a request for each token, roughly; and tokens of an answer where nothing says how long it may be. */
const BYTES_PER_TOKEN = 4
const USUAL_ANSWER_TOKENS = 500
const BATCH_SHARE = 0.5
const MILLION = 1_000_000

export const startApi = ({ context, contract, request, waitsForQuota, wish }: EngineInput, start: ApiStart) =>
  Effect.gen(function* () {
    const { config } = wish
    const { model, place, service, settled } = yield* opened(wish, {
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
      reader: readerOf(wish, { model, contract, earlierAttempts: start.earlierAttempts }),
      requestOf: (item) => requestOf(item, { cwd: config.environment.cwd, common: start.common, fields }),
      estimate: (bytes) => {
        const asked = bytes / BYTES_PER_TOKEN
        const usd = (asked * (price?.input ?? 0) + USUAL_ANSWER_TOKENS * (price?.output ?? 0)) / MILLION
        return { usd: usd * BATCH_SHARE, tokens: Math.ceil(asked + USUAL_ANSWER_TOKENS) }
      },
      hasPrice: price !== undefined,
      waitsForQuota
    }
    return engine
  })

const readerOf = (
  { config, outcomeOf }: ModelWish,
  made: Pick<AnswerReader, "model" | "contract" | "earlierAttempts">
): AnswerReader => ({
  ...made,
  priceOf: priceLookup(config.settings.get("run.prices")),
  outcomeOf
})

/** For jobs that are there. How often their items were asked before stands in no journal. */
export const openReader = ({ contract, wish }: Pick<EngineInput, "wish" | "contract">, wanted: string) =>
  Effect.map(opened(wish, { gcs: undefined, makesJobs: false, wanted }), ({ model, service }) => ({
    service,
    reader: readerOf(wish, { model, contract, earlierAttempts: () => 0 })
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
const opened = Effect.fnUntraced(function* (
  { config, model: named, platform, thinking }: ModelWish,
  { gcs, makesJobs, wanted }: Pick<ServiceWish, "gcs" | "makesJobs" | "wanted">
) {
  const { configFor, source } = yield* ModelAccess
  const resolved = configFor(named, { isRetry: false })
  const { config: settled, model } = thinking === undefined ? resolved : withThinking(resolved, thinking).resolved
  const service = yield* openService({
    config,
    platform,
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
  { context, contract, request, wish }: EngineInput,
  start: LiveStart
) {
  if (context === undefined) return undefined
  const { model, service } = yield* opened(wish, { gcs: undefined, makesJobs: false, wanted: "--cached-context" })
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

interface ServiceWish {
  readonly config: LoadedConfig
  readonly platform: string
  readonly source: ModelSource
  /** The id that is sent. */
  readonly model: string
  /** Where Vertex AI reads and writes. */
  readonly gcs: string | undefined
  /** What it is wanted for, as it is written: `--via api`. */
  readonly wanted: string
  /** Jobs are made, and not only looked after. */
  readonly makesJobs: boolean
}

/** Which batch service there is for the credentials of a run. None is loaded before it is asked for. */
const openService = Effect.fnUntraced(function* ({
  config,
  gcs,
  makesJobs,
  model,
  platform,
  source,
  wanted
}: ServiceWish): Effect.fn.Return<BatchService, BatchError> {
  const options: ClientOptions = {
    identity: { version, platform, arch: process.arch, osVersion: release() },
    http: httpOf(config),
    variables: config.environment.variables
  }
  const auth = source._tag === "Network" ? source.auth : undefined
  switch (auth?._tag) {
    case "ApiKey":
    case "Gateway": {
      if (gcs !== undefined) return yield* badInput("--gcs is for Vertex AI, and an API key is used", "Leave it out.")
      const { make } = yield* lazy(() => import("./gemini-service.live.ts"))
      return make(auth, model, options)
    }
    case "Vertex": {
      if (gcs === undefined && makesJobs) {
        return yield* badInput(
          "Vertex AI reads and writes batches in Cloud Storage",
          "Name a place: --gcs gs://BUCKET/FOLDER."
        )
      }
      const { make } = yield* lazy(() => import("./vertex-service.live.ts"))
      return make(auth, model, gcs ?? "", options)
    }
    default:
      return yield* badInput(
        `${wanted} needs a key of the Gemini API, or a project of Vertex AI`,
        "Set GEMINI_API_KEY, or GOOGLE_CLOUD_PROJECT and GOOGLE_CLOUD_LOCATION with GOOGLE_GENAI_USE_VERTEXAI=true."
      )
  }
})
