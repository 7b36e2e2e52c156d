/** The model of a run: the one door through which `app/` reaches the clients, none of which it loads before use. */
import { Effect } from "effect"
import type { AuthPlan } from "../auth/auth-plan.ts"
import type { ModelClient } from "./model-client.ts"
import type { ClientIdentity, VertexRouting } from "./request-headers.ts"

export interface ClientOptions {
  readonly identity: ClientIdentity
  /** Variables of the process: proxies, custom headers, API version. */
  readonly variables: Readonly<Record<string, string | undefined>>
  /** Setting `billing.vertexAi`. */
  readonly vertexRouting?: VertexRouting | undefined
  /** Everything that is trusted (PEM); absent: what the runtime trusts. */
  readonly certificates?: ReadonlyArray<string> | undefined
}

export interface LoadOptions extends Omit<ClientOptions, "certificates"> {
  /** `NODE_EXTRA_CA_CERTS`, where it comes from a `.env` file: the runtime reads only that of the process itself. */
  readonly extraCertificates?: string | undefined
}

export const loadClient = (plan: AuthPlan, options: LoadOptions): Effect.Effect<ModelClient["Type"]> =>
  Effect.promise(async () => {
    const certificates = await certificatesIn(options.extraCertificates)
    if (plan._tag !== "Vertex") {
      return (await import("./gemini-client.live.ts")).make(plan, { ...options, certificates })
    }
    return (await import("./vertex-client.live.ts")).make(plan, { ...options, certificates })
  })

const certificatesIn = async (file: string | undefined) =>
  file === undefined ? undefined : (await import("./trusted-certificates.ts")).trustedCertificates(file)
