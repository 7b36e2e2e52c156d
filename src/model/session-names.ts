/** What the names of models mean in a session: by the built-in rules, or by tables of the settings that are asked first. */
import { type ChainQuestion, chainFor, type PolicyChain } from "../retry/availability/policy-chain.ts"
import { takesMediaInResponses } from "./model-features.ts"
import { chainModels, modelOfTier, resolveModel, type SessionAccess } from "./model-names.ts"

export interface ModelNames {
  /** The id to send. */
  readonly resolve: (name: string) => string
  /** What the router means by its two tiers, when the person asked for `configured`. */
  readonly ofTier: (tier: "pro" | "flash", configured: string) => string
  /** The models that may stand in for one, beginning with it. */
  readonly chainOf: (request: ChainRequest) => PolicyChain
  /** Images and documents may stand inside a function response; otherwise they go beside it. */
  readonly takesMediaInResponses: (id: string) => boolean
}

export type ChainRequest = Omit<ChainQuestion, "models">

export const builtInNames = (access: SessionAccess): ModelNames => ({
  resolve: (name) => resolveModel(name, access),
  ofTier: (tier, configured) => modelOfTier(tier, configured, access),
  chainOf: (request) => chainFor({ ...request, models: chainModels(access) }),
  takesMediaInResponses
})
