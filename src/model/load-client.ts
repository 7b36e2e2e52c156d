/** The model of a run: the one door through which `app/` reaches the clients, none of which it loads before use. */
import { type Duration, Effect } from "effect"
import type { AuthPlan } from "../auth/auth-plan.ts"
import type { CodeAssistAccount } from "../auth/google/account.ts"
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
  /** How long a server may take for its first line, where it says so itself. */
  readonly openingWithin?: Duration.Duration | undefined
}

/** What an account is used for; its requests say so. */
export interface AccountUse {
  readonly account: CodeAssistAccount
  readonly sessionId: string
  /** A person is there, who asks more than once. */
  readonly isInteractive: boolean
  /** A line for the person. */
  readonly say: (line: string) => Effect.Effect<void>
}

/** An account that is signed in, or what stands in its place. */
export type ModelPlan = Exclude<AuthPlan, { readonly _tag: "CodeAssist" }> | AccountUse

export const loadClient = (plan: ModelPlan, options: ClientOptions): Effect.Effect<ModelClient["Type"]> =>
  Effect.promise(async () => {
    if ("account" in plan) return (await import("./code-assist/code-assist-client.ts")).make(plan, options)
    return plan._tag === "Vertex"
      ? (await import("./gemini/vertex-client.live.ts")).make(plan, options)
      : (await import("./gemini/gemini-client.ts")).make(plan, options)
  })
