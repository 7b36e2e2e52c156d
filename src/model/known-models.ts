/** The models that are known without asking anybody: what they are called, hold, can do and cost, and who stands in. */
import { Either, Option } from "effect"
import type { Price } from "../config/setting-schema/model-config.ts"
import type { SettingsView } from "../config/settings.ts"
import type { AuthType } from "../protocol/modes.ts"
import type { TierWish } from "../protocol/usage.ts"
import { chatModelIds, resolveConfig, sourcesIn } from "./model-configs.ts"
import { isGemini2 } from "./model-features.ts"
import { isGemini3, sessionAccess, tokenLimit } from "./model-names.ts"
import { namedIn, namesFrom, tablesIn } from "./model-tables.ts"
import { priceLookup } from "./pricing.ts"
import { builtInNames } from "./session-names.ts"

export interface KnownModel {
  readonly id: string
  /** Other names that lead to it for this sign-in. */
  readonly aliases: ReadonlyArray<string>
  /** Tokens of the context window. */
  readonly window: number
  /** US dollars for a million tokens; `null`: not known. */
  readonly price: Price | null
  readonly tiers: ReadonlyArray<Exclude<TierWish, "auto">>
  readonly features: ReadonlyArray<Feature>
  /** Who answers instead where it cannot, in this order. */
  readonly fallbacks: ReadonlyArray<string>
}

type Feature = "tools" | "thinking-level" | "thinking-budget" | "media-in-tool-results"

const NAMES = ["auto", "pro", "flash", "flash-lite", "auto-gemini-3", "auto-gemini-2.5"]

export const knownModels = (settings: Pick<SettingsView, "get">, authType: AuthType): ReadonlyArray<KnownModel> => {
  const access = sessionAccess(authType)
  const builtIn = builtInNames(access)
  const tables = Option.getOrUndefined(Option.flatMap(tablesIn(settings), Either.getRight))
  const names = tables === undefined ? builtIn : namesFrom(tables, access, builtIn)
  const sources = sourcesIn(settings)
  const sent = (name: string): string => resolveConfig({ name: names.resolve(name), isRetry: false }, sources).model
  const own = namedIn(settings).map(({ value }) => value)
  const aliases = [...NAMES, ...own].map((name) => ({ name, id: sent(name) }))
  const ids = new Set([...chatModelIds, ...aliases.map(({ id }) => id)])
  const priceOf = priceLookup(settings.get("run.prices"))
  return [...ids].map((id) => ({
    id,
    aliases: [...new Set(aliases.filter((alias) => alias.id === id && alias.name !== id).map(({ name }) => name))],
    window: tokenLimit(id),
    price: priceOf(id) ?? null,
    tiers: hasTiers(id, authType) ? ["standard", "flex", "priority"] : ["standard"],
    features: featuresOf(id, names.takesMediaInResponses(id)),
    fallbacks: names
      .chainOf({ model: id, isAuto: false, isPlanMode: false })
      .map(({ model }) => model)
      .filter((model) => model !== id)
  }))
}

const hasTiers = (id: string, authType: AuthType): boolean =>
  (authType === "gemini-api-key" || authType === "vertex-ai") && id.startsWith("gemini-")

const featuresOf = (id: string, takesMedia: boolean): ReadonlyArray<Feature> => [
  "tools",
  ...(isGemini3(id) ? (["thinking-level"] as const) : []),
  ...(isGemini2(id) ? (["thinking-budget"] as const) : []),
  ...(takesMedia ? (["media-in-tool-results"] as const) : [])
]

/** What the service says of a model. */
export interface ListedModel {
  readonly id: string
  /** In tokens; `undefined`: it does not say. */
  readonly window: number | undefined
  readonly maxOutput: number | undefined
}

export interface ComparedModel extends KnownModel {
  /** The service has it; `false`: it is known here only. */
  readonly offered: boolean
}

export interface Comparison {
  readonly known: ReadonlyArray<ComparedModel>
  /** Offered, and not known here: they can be used by their ids. */
  readonly unknown: ReadonlyArray<ListedModel>
  /** The service names another window than the one that is known. */
  readonly differs: ReadonlyArray<{ readonly id: string; readonly known: number; readonly offered: number }>
}

/** What is known against what the service says. */
export const compareModels = (known: ReadonlyArray<KnownModel>, listed: ReadonlyArray<ListedModel>): Comparison => {
  const byId = new Map(listed.map((model) => [model.id, model]))
  const isKnown = new Set(known.map(({ id }) => id))
  return {
    known: known.map((model) => ({ ...model, offered: byId.has(model.id) })),
    unknown: listed.filter(({ id }) => !isKnown.has(id)),
    differs: known.flatMap(({ id, window }) => {
      const offered = byId.get(id)?.window
      return offered === undefined || offered === window ? [] : [{ id, known: window, offered }]
    })
  }
}
