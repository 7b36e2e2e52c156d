/** Vertex AI with Google credentials: the same client, with a token in front of every request. */
import { Effect } from "effect"
import type { AuthPlan } from "../auth/auth-plan.ts"
import { type CredentialsError, makeCredentialHeaders } from "../auth/google-credentials.live.ts"
import { classifyFailure } from "../retry/classify.ts"
import { ModelError } from "../retry/model-error.ts"
import { networkFailureOf } from "../retry/network-error.ts"
import * as GeminiClient from "./gemini-client.live.ts"
import type { ClientOptions } from "./load-client.ts"

export const make = (plan: Extract<AuthPlan, { readonly _tag: "Vertex" }>, options: ClientOptions) => {
  const headers = makeCredentialHeaders({ ...plan, http: options.http })
  return GeminiClient.make(plan, options, (model) => Effect.mapError(headers, (error) => asModelError(error, model)))
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
