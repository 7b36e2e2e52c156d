/** Vertex AI with Google credentials: the same client, with a token in front of every request. */
import { Effect } from "effect"
import type { AuthPlan } from "../../auth/auth-plan.ts"
import { type CredentialsError, makeCredentialHeaders } from "../../auth/google-credentials.live.ts"
import { classifyFailure } from "../../retry/classify.ts"
import { ModelError } from "../../retry/model-error.ts"
import { networkFailureOf } from "../../retry/network-error.ts"
import type { BackendAuth } from "../backend.ts"
import type { ClientOptions } from "../load-client.ts"
import { makeWith } from "./gemini-client.ts"

type VertexPlan = Extract<AuthPlan, { readonly _tag: "Vertex" }>

export const make = (plan: VertexPlan, options: ClientOptions) => makeWith(plan, options, googleAuth(plan, options))

export const googleAuth = (plan: VertexPlan, { http }: Pick<ClientOptions, "http">): BackendAuth => {
  const credentials = makeCredentialHeaders({ ...plan, http })
  return {
    authType: plan.authType,
    headers: (model) => Effect.mapError(credentials, (error) => asModelError(error, model)),
    secrets: []
  }
}

/** A token endpoint that cannot be reached is a matter of the network; everything else is one of the credentials. */
const asModelError = (error: CredentialsError, model: string): ModelError => {
  const context = { phase: "open", model } as const
  if (error.isTimeout) {
    return new ModelError({ ...context, kind: "timeout", detail: error.detail, errorType: "ETIMEDOUT" })
  }
  if (networkFailureOf(error.cause).kind !== "unknown") return classifyFailure(error.cause, context)
  return new ModelError({ ...context, kind: "auth", detail: error.detail, errorType: "CREDENTIALS", cause: error })
}
