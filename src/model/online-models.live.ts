/** What the service says of its models to whoever signs in like this run would. */
import { release } from "node:os"
import { Effect } from "effect"
import type { AuthPlan } from "../auth/auth-plan.ts"
import { httpOf } from "../config/http.ts"
import type { LoadedConfig } from "../config/load.ts"
import { version } from "../kernel/version.ts"
import type { ModelError } from "../retry/model-error.ts"
import { askerFor, dateFor } from "./backend-client.ts"
import { endpointFor, withoutScope } from "./gemini/endpoint.ts"
import { keyAuth } from "./gemini/gemini-client.ts"
import { listModels } from "./gemini/sdk-calls.live.ts"
import { googleAuth } from "./gemini/vertex-client.live.ts"
import type { ListedModel } from "./known-models.ts"
import type { ClientOptions } from "./load-client.ts"

/** The Code Assist server has no list. */
export type ListingPlan = Exclude<AuthPlan, { readonly _tag: "CodeAssist" }>

export const onlineModels = (
  plan: ListingPlan,
  config: LoadedConfig
): Effect.Effect<ReadonlyArray<ListedModel>, ModelError> => {
  const { backend, options } = serviceOf(plan, config)
  return listModels(backend.endpoint, askerFor(backend, options))
}

/** Whether the service has this model for whoever asks, and when it thinks it is. */
export const lookUpModel = (
  plan: ListingPlan,
  config: LoadedConfig,
  model: string
): Effect.Effect<{ readonly date: number | undefined }, ModelError> => {
  const { backend, options } = serviceOf(plan, config)
  const { api, url } = backend.endpoint
  const path = `${api === "vertex" ? "publishers/google/models" : "models"}/${encodeURIComponent(model)}`
  const wire = { url: url(path), method: "GET", headers: new Headers(), body: () => "" } as const
  return Effect.map(dateFor(backend, options)(wire, model), (date) => ({ date }))
}

const serviceOf = (plan: ListingPlan, config: LoadedConfig) => {
  const { environment } = config
  const options: ClientOptions = {
    identity: { version, platform: process.platform, arch: process.arch, osVersion: release(), surface: undefined },
    http: httpOf(config),
    variables: environment.variables
  }
  const endpoint = withoutScope(endpointFor(plan, environment.variables.GOOGLE_GENAI_API_VERSION))
  return { options, backend: { endpoint, auth: plan._tag === "Vertex" ? googleAuth(plan, options) : keyAuth(plan) } }
}
