/** Which batch service there is for the credentials of a run. None is loaded before it is asked for. */
import { release } from "node:os"
import { Effect } from "effect"
import { httpOf } from "../../config/http.ts"
import type { LoadedConfig } from "../../config/load.ts"
import { lazy } from "../../kernel/lazy.ts"
import { version } from "../../kernel/version.ts"
import type { ClientOptions } from "../../model/load-client.ts"
import type { ModelSource } from "../../model/model-access.ts"
import { type BatchError, badInput } from "../batch-error.ts"
import type { BatchService } from "./batch-service.ts"

export interface ServiceWish {
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

export const openService = Effect.fnUntraced(function* ({
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
