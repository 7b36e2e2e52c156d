/** The models that the service offers to whoever signs in like this run would. One request, or one for each page. */
import { release } from "node:os"
import type { Effect } from "effect"
import type { AuthPlan } from "../auth/auth-plan.ts"
import { httpOf } from "../config/http.ts"
import type { LoadedConfig } from "../config/load.ts"
import { version } from "../kernel/version.ts"
import type { ModelError } from "../retry/model-error.ts"
import { askerFor } from "./backend-client.ts"
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
  const { environment } = config
  const options: ClientOptions = {
    identity: { version, platform: process.platform, arch: process.arch, osVersion: release(), surface: undefined },
    http: httpOf(config),
    variables: environment.variables
  }
  const endpoint = withoutScope(endpointFor(plan, environment.variables.GOOGLE_GENAI_API_VERSION))
  const auth = plan._tag === "Vertex" ? googleAuth(plan, options) : keyAuth(plan)
  return listModels(endpoint, askerFor({ auth, endpoint }, options))
}
