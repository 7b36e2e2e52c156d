/**
 * What the model's requests need inside: keys and tokens that were found out here, for a token of an account one that ends
 * soon instead of the sign-in, and the hosts that requests go to.
 */
import { join } from "node:path"
import { Effect, Redacted } from "effect"
import type { AuthPlan } from "../auth/auth-plan.ts"
import { plannedAuth } from "../auth/from-config.ts"
import type { LoadedConfig } from "../config/load.ts"
import { lazy } from "../kernel/lazy.ts"
import { type DomainRule, parseDomainRule } from "../sandbox/domain-rules.ts"
import type { RunOptions } from "./run-options.ts"

export interface InsideCredentials {
  readonly variables: Readonly<Record<string, string>>
  readonly files: ReadonlyArray<string>
  readonly hosts: ReadonlyArray<DomainRule>
}

const NONE: InsideCredentials = { variables: {}, files: [], hosts: [] }

export const credentialsInside = Effect.fn("Cli.credentialsInside")(function* (
  config: LoadedConfig,
  options: RunOptions,
  { tell }: { readonly tell: (text: string) => Effect.Effect<void> }
) {
  if (options.demo || options.estimate || options.fakeResponses !== undefined) return NONE
  if (options.fakeResponsesNonStrict !== undefined) return NONE
  const plan = yield* plannedAuth(config)
  return { ...NONE, ...(yield* carried(plan, config, tell)), hosts: hostsOf(plan) }
})

const carried = Effect.fnUntraced(function* (
  plan: AuthPlan,
  config: LoadedConfig,
  tell: (text: string) => Effect.Effect<void>
) {
  switch (plan._tag) {
    case "ApiKey":
    case "Gateway":
      return keyAs("GEMINI_API_KEY", plan.key)
    case "VertexExpress":
      return keyAs("GOOGLE_API_KEY", plan.key)
    case "Vertex":
      return { files: [plan.credentialsFile ?? defaultCredentials(config)] }
    case "CodeAssist": {
      const { openAccount } = yield* lazy(() => import("../auth/google/account.ts"))
      const account = yield* openAccount(plan, config, { tell })
      return {
        variables: {
          GOOGLE_CLOUD_ACCESS_TOKEN: yield* account.tokens.current,
          ...(plan.authType === "oauth-personal" ? { GOOGLE_GENAI_USE_GCA: "true" } : {})
        }
      }
    }
  }
})

const keyAs = (name: string, key: Redacted.Redacted) => {
  const value = Redacted.value(key)
  return value === "" ? {} : { variables: { [name]: value } }
}

const defaultCredentials = ({ environment }: LoadedConfig): string =>
  join(environment.get("HOME") ?? environment.home ?? "/", ".config/gcloud/application_default_credentials.json")

const GOOGLE = ["*.googleapis.com", "googleapis.com"]

/** At an address that is no name, requests are refused inside, and say so. */
const hostsOf = (plan: AuthPlan): ReadonlyArray<DomainRule> => {
  const base = plan._tag === "CodeAssist" ? URL.parse(plan.server) : (plan.baseUrl ?? null)
  const own = base === null ? [] : [`${base.hostname}${base.port === "" ? "" : `:${base.port}`}`]
  return [...own, ...(base === null || plan._tag === "CodeAssist" ? GOOGLE : [])].flatMap(
    (text) => parseDomainRule(text) ?? []
  )
}
