/**
 * Chains of models that may stand in for each other, and what each failure of a member means. Data and pure functions:
 * which chain a model belongs to, and where in it the model stands.
 *
 * A model is matched by its tier, not by its exact id: `gemini-3.5-flash` takes the place of the flash member, so that
 * an id which is newer than the table has a fallback too.
 */

export type FailureKind =
  /** A quota that does not come back within the run. */
  | "terminal"
  /** A limit that passes. */
  | "transient"
  | "not_found"
  | "unknown"

/** `prompt`: a person is asked first. */
export type FallbackAction = "silent" | "prompt"

export type Transition = "terminal" | "sticky_retry"

export interface ModelPolicy {
  readonly model: string
  /** Used when nothing else is available, whatever is known of it. */
  readonly isLastResort: boolean
  /** Attempts for one request; absent: as many as the settings allow. */
  readonly maxAttempts?: number
  readonly actions: Readonly<Record<FailureKind, FallbackAction>>
  readonly transitions: Readonly<Record<FailureKind, Transition>>
}

export type PolicyChain = ReadonlyArray<ModelPolicy>

/** The members' ids for this account. */
export interface ChainModels {
  readonly previewPro: string
  readonly previewFlash: string
  readonly defaultPro: string
  readonly defaultFlash: string
  readonly flashLite: string
}

export type ChainName = "preview" | "auto-preview" | "default" | "auto-default" | "lite" | "single"

export interface ChainQuestion {
  /** The id that is to be asked. */
  readonly model: string
  /** The user left the choice to the program. */
  readonly isAuto: boolean
  readonly isPlanMode: boolean
  readonly models: ChainModels
}

/** The chain of a model, beginning with the model itself. */
export const chainFor = (question: ChainQuestion): PolicyChain =>
  inMode(rotated(membersOf(chainNameOf(question), question), question), question)

/** The members from the model on. Those before it follow where the user did not insist on this one. */
export const rotated = (
  members: PolicyChain,
  { isAuto, model }: Pick<ChainQuestion, "model" | "isAuto">
): PolicyChain => {
  const start = members.findIndex((member) => member.model === model)
  if (start === -1) return singleChain(model)
  const wraps = isAuto || generationOf(model) === 3
  return wraps ? [...members.slice(start), ...members.slice(0, start)] : members.slice(start)
}

export const chainNameOf = ({ isAuto, model }: Pick<ChainQuestion, "model" | "isAuto">): ChainName => {
  const generation = generationOf(model)
  if (generation === undefined || tierOf(model) === undefined) return "single"
  if (tierOf(model) === "lite") return "lite"
  const family = generation === 3 ? "preview" : "default"
  return isAuto ? `auto-${family}` : family
}

export type ModelTier = "pro" | "flash" | "lite"

export const tierOf = (model: string): ModelTier | undefined => {
  if (/flash-lite/.test(model)) return "lite"
  if (/flash/.test(model)) return "flash"
  return /pro/.test(model) ? "pro" : undefined
}

/** `undefined` for everything that is neither Gemini 2 nor 3. */
export const generationOf = (model: string): 2 | 3 | undefined => {
  if (/^gemini-3(\.|-|$)/.test(model)) return 3
  return /^gemini-2(\.|$)/.test(model) ? 2 : undefined
}

const SILENT: ModelPolicy["actions"] = {
  terminal: "silent",
  transient: "silent",
  not_found: "silent",
  unknown: "silent"
}
const ASKING: ModelPolicy["actions"] = {
  terminal: "prompt",
  transient: "prompt",
  not_found: "prompt",
  unknown: "prompt"
}
const FINAL: ModelPolicy["transitions"] = {
  terminal: "terminal",
  transient: "terminal",
  not_found: "terminal",
  unknown: "terminal"
}

/** Attempts of the first member of an automatic chain, which may be tried again in the next turn. */
const FIRST_ATTEMPTS = 3
const LAST_ATTEMPTS = 10

const membersOf = (name: ChainName, { model, models }: ChainQuestion): PolicyChain => {
  const standing = (member: string) => (tierOf(member) === tierOf(model) ? model : member)
  switch (name) {
    case "preview":
      return pairChain(standing(models.previewPro), standing(models.previewFlash), { isAuto: false })
    case "auto-preview":
      return pairChain(standing(models.previewPro), standing(models.previewFlash), { isAuto: true })
    case "default":
      return pairChain(standing(models.defaultPro), standing(models.defaultFlash), { isAuto: false })
    case "auto-default":
      return pairChain(standing(models.defaultPro), standing(models.defaultFlash), { isAuto: true })
    case "lite":
      return [
        { model: standing(models.flashLite), isLastResort: false, actions: SILENT, transitions: FINAL },
        { model: models.defaultFlash, isLastResort: false, actions: SILENT, transitions: FINAL },
        { model: models.defaultPro, isLastResort: true, actions: SILENT, transitions: FINAL }
      ]
    case "single":
      return singleChain(model)
  }
}

const pairChain = (first: string, last: string, { isAuto }: { readonly isAuto: boolean }): PolicyChain => [
  isAuto
    ? {
        model: first,
        isLastResort: false,
        maxAttempts: FIRST_ATTEMPTS,
        actions: { ...ASKING, transient: "silent" },
        transitions: { ...FINAL, transient: "sticky_retry" }
      }
    : { model: first, isLastResort: false, actions: ASKING, transitions: FINAL },
  { model: last, isLastResort: true, maxAttempts: LAST_ATTEMPTS, actions: ASKING, transitions: FINAL }
]

const singleChain = (model: string): PolicyChain => [{ model, isLastResort: true, actions: ASKING, transitions: FINAL }]

/** While planning nothing is asked. */
export const inMode = (chain: PolicyChain, { isPlanMode }: Pick<ChainQuestion, "isPlanMode">): PolicyChain =>
  isPlanMode ? chain.map((policy) => ({ ...policy, actions: SILENT })) : chain
