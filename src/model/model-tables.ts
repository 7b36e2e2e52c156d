/**
 * Names, tiers and fallback chains of models as the settings state them: `modelConfigs.modelDefinitions`,
 * `modelIdResolutions`, `classifierIdResolutions` and `modelChains`. They are asked first and the built-in rules answer
 * what they leave out, so that a table of one row is enough. Loaded with `experimental.dynamicModelConfiguration` only.
 */
import { Either, Option, ParseResult, Schema } from "effect"
import type { SettingsView } from "../config/settings.ts"
import type { AuthType } from "../protocol/modes.ts"
import { chainNameOf, inMode, type PolicyChain, rotated } from "../retry/availability/policy-chain.ts"
import { resolveConfig, sourcesIn } from "./model-configs.ts"
import { type SessionAccess, sessionAccess } from "./model-names.ts"
import { builtInNames, type ChainRequest, type ModelNames } from "./session-names.ts"

/** A field that may be left out. */
const given = <A, I>(value: Schema.Schema<A, I>) => Schema.optionalWith(value, { exact: true })

/** What holds for this session; a condition that is not named always holds. */
const Condition = Schema.Struct({
  hasAccessToPreview: given(Schema.Boolean),
  useGemini3_1: given(Schema.Boolean),
  useCustomTools: given(Schema.Boolean),
  useGemini3_5Flash: given(Schema.Boolean),
  /** Names, one of which the person asked for. */
  requestedModels: given(Schema.Array(Schema.String))
})
type Condition = typeof Condition.Type

/** The first context whose condition holds decides. */
const Resolution = Schema.Struct({
  default: Schema.String,
  contexts: given(Schema.Array(Schema.Struct({ condition: Condition, target: Schema.String })))
})
type Resolution = typeof Resolution.Type

const Definition = Schema.Struct({
  displayName: given(Schema.String),
  /** `false`: in no list, but it can be named. */
  isVisible: given(Schema.Boolean),
  features: given(Schema.Struct({ multimodalToolUse: given(Schema.Boolean) }))
})

const Action = Schema.Literal("silent", "prompt")
const Transition = Schema.Literal("terminal", "sticky_retry")
const byKind = <A, I>(value: Schema.Schema<A, I>, otherwise: A) =>
  Schema.optionalWith(
    Schema.Struct({
      terminal: Schema.optionalWith(value, { exact: true, default: () => otherwise }),
      transient: Schema.optionalWith(value, { exact: true, default: () => otherwise }),
      not_found: Schema.optionalWith(value, { exact: true, default: () => otherwise }),
      unknown: Schema.optionalWith(value, { exact: true, default: () => otherwise })
    }),
    {
      exact: true,
      default: () => ({ terminal: otherwise, transient: otherwise, not_found: otherwise, unknown: otherwise })
    }
  )

const Chain = Schema.NonEmptyArray(
  Schema.Struct({
    model: Schema.String,
    isLastResort: Schema.optionalWith(Schema.Boolean, { exact: true, default: () => false }),
    maxAttempts: given(Schema.Number.pipe(Schema.int(), Schema.between(1, 10))),
    actions: byKind(Action, "prompt"),
    stateTransitions: byKind(Transition, "terminal")
  })
)

const tableOf = <A, I>(row: Schema.Schema<A, I>) =>
  Schema.optionalWith(Schema.Record({ key: Schema.String, value: row }), { exact: true, default: () => ({}) })

const Tables = Schema.Struct({
  modelDefinitions: tableOf(Definition),
  modelIdResolutions: tableOf(Resolution),
  classifierIdResolutions: tableOf(Resolution),
  modelChains: tableOf(Chain)
})
export type ModelTables = typeof Tables.Type

/** `Left`: what is wrong, each with its place, such as `modelChains.lite.0.model`. */
export const readTables = (given: unknown): Either.Either<ModelTables, ReadonlyArray<string>> =>
  Either.mapLeft(Schema.decodeUnknownEither(Tables, { errors: "all" })(given), (error) =>
    ParseResult.ArrayFormatter.formatErrorSync(error).map(
      ({ message, path }) => `modelConfigs.${path.map(String).join(".")}: ${message}`
    )
  )

/** The tables of these settings; none where they are not turned on. */
export const tablesIn = ({
  get
}: Pick<SettingsView, "get">): Option.Option<Either.Either<ModelTables, ReadonlyArray<string>>> =>
  get("experimental.dynamicModelConfiguration")
    ? Option.some(
        readTables({
          modelDefinitions: get("modelConfigs.modelDefinitions"),
          modelIdResolutions: get("modelConfigs.modelIdResolutions"),
          classifierIdResolutions: get("modelConfigs.classifierIdResolutions"),
          modelChains: get("modelConfigs.modelChains")
        })
      )
    : Option.none()

/** Names that these settings bring, for lists: models, other names for models, presets of the person's own. */
export const namedIn = (settings: Pick<SettingsView, "get">): ReadonlyArray<NamedModel> => {
  const tables = Option.getOrUndefined(Option.flatMap(tablesIn(settings), Either.getRight))
  const definitions = Object.entries(tables?.modelDefinitions ?? {})
  const presets = { ...settings.get("modelConfigs.aliases"), ...settings.get("modelConfigs.customAliases") }
  return [
    ...definitions.flatMap(([value, { displayName, isVisible }]) =>
      isVisible === false ? [] : [{ value, hint: displayName ?? "of the settings" }]
    ),
    ...Object.entries(tables?.modelIdResolutions ?? {}).map(([value, row]) => ({ value, hint: row.default })),
    ...Object.keys(presets).map((value) => ({ value, hint: "own preset" }))
  ]
}

export interface NamedModel {
  readonly value: string
  /** What it is, in a few words. */
  readonly hint: string
}

/** The id that a run would send for a name. Tables that cannot be read change nothing, as in a run. */
export const idIn = (settings: Pick<SettingsView, "get">, name: string, authType: AuthType): string => {
  const access = sessionAccess(authType)
  const builtIn = builtInNames(access)
  const tables = Option.getOrUndefined(Option.flatMap(tablesIn(settings), Either.getRight))
  const names = tables === undefined ? builtIn : namesFrom(tables, access, builtIn)
  return resolveConfig({ name: names.resolve(name), isRetry: false }, sourcesIn(settings)).model
}

export const namesFrom = (tables: ModelTables, access: SessionAccess, builtIn: ModelNames): ModelNames => {
  const resolve = (name: string): string => {
    const id = name.replace(/^models\//, "")
    const row = rowOf(tables.modelIdResolutions, id)
    return row === undefined ? builtIn.resolve(id) : targetOf(row, access, id)
  }
  return {
    resolve,
    ofTier: (tier, configured) => {
      const row = rowOf(tables.classifierIdResolutions, tier)
      // What the table names may be a name of the other table.
      return row === undefined ? builtIn.ofTier(tier, configured) : resolve(targetOf(row, access, configured))
    },
    chainOf: (request) => chainIn(tables, request, resolve) ?? builtIn.chainOf(request),
    takesMediaInResponses: (id) =>
      rowOf(tables.modelDefinitions, id)?.features?.multimodalToolUse ?? builtIn.takesMediaInResponses(id)
  }
}

const rowOf = <A>(table: Readonly<Record<string, A>>, key: string): A | undefined =>
  Object.hasOwn(table, key) ? table[key] : undefined

const targetOf = (
  { contexts = [], default: otherwise }: Resolution,
  access: SessionAccess,
  requested: string
): string => contexts.find(({ condition }) => holds(condition, access, requested))?.target ?? otherwise

const holds = ({ requestedModels, ...wanted }: Condition, access: SessionAccess, requested: string): boolean =>
  (requestedModels?.includes(requested.replace(/^models\//, "")) ?? true) &&
  isOr(wanted.hasAccessToPreview, access.preview === true) &&
  isOr(wanted.useGemini3_1, access.gemini31) &&
  isOr(wanted.useCustomTools, access.customTools) &&
  isOr(wanted.useGemini3_5Flash, access.flash35)

const isOr = (wanted: boolean | undefined, fact: boolean): boolean => wanted === undefined || wanted === fact

/** The chain with the name that the built-in rules would use, or any other that holds the model. */
const chainIn = (
  { modelChains }: ModelTables,
  request: ChainRequest,
  resolve: (name: string) => string
): PolicyChain | undefined => {
  const named = rowOf(modelChains, chainNameOf(request))
  const candidates = [...(named === undefined ? [] : [named]), ...Object.values(modelChains)]
  for (const candidate of candidates) {
    const chain = candidate.map(({ model, stateTransitions, ...policy }): PolicyChain[number] => ({
      ...policy,
      model: resolve(model),
      transitions: stateTransitions
    }))
    if (chain.some(({ model }) => model === request.model)) return inMode(rotated(chain, request), request)
  }
  return undefined
}
