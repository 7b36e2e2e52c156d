/** The model of a run: the one door through which `app/` reaches the clients, none of which it loads before use. */
import { Effect } from "effect"
import type { AuthPlan } from "../auth/auth-plan.ts"
import type { HttpClient } from "../system/http/http.ts"
import type { ModelClient } from "./model-client.ts"
import type { ClientIdentity, VertexRouting } from "./request-headers.ts"

export interface ClientOptions {
  readonly identity: ClientIdentity
  readonly http: HttpClient
  /** Of the run: custom headers, API version. */
  readonly variables: Readonly<Record<string, string | undefined>>
  /** Setting `billing.vertexAi`. */
  readonly vertexRouting?: VertexRouting | undefined
}

export const loadClient = (plan: AuthPlan, options: ClientOptions): Effect.Effect<ModelClient["Type"]> =>
  Effect.promise(async () =>
    plan._tag === "Vertex"
      ? (await import("./gemini/vertex-client.live.ts")).make(plan, options)
      : (await import("./gemini/gemini-client.ts")).make(plan, options)
  )
