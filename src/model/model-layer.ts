/** The model of a run: the one door through which `app/` reaches the clients, none of which it loads before use. */
import type { Layer } from "effect"
import type { AuthPlan } from "../auth/auth-plan.ts"
import { lazyLayer } from "../kernel/lazy-layer.ts"
import type { ModelClient } from "./model-client.ts"
import type { ClientIdentity, VertexRouting } from "./request-headers.ts"

export interface ClientOptions {
  readonly identity: ClientIdentity
  /** Variables of the process: proxies, custom headers, API version. */
  readonly variables: Readonly<Record<string, string | undefined>>
  /** Setting `billing.vertexAi`. */
  readonly vertexRouting?: VertexRouting | undefined
  /** Certificates to trust (PEM) where the runtime does not know them: it reads `NODE_EXTRA_CA_CERTS` of the process itself, but not of a `.env` file. */
  readonly certificates?: ReadonlyArray<string> | undefined
}

export const layerFor = (plan: AuthPlan, options: ClientOptions): Layer.Layer<ModelClient> =>
  plan._tag === "Vertex"
    ? lazyLayer(() => import("./vertex-client.live.ts").then((module) => module.layer(plan, options)))
    : lazyLayer(() => import("./gemini-client.live.ts").then((module) => module.layer(plan, options)))
