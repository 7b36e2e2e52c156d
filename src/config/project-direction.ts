/**
 * What the settings of a project may do to those of its user. A project that is trusted has a say in how work is done in
 * it; what guards the user it can only make stricter. Each such setting has a direction: it says which values of a project
 * count, given what weaker files and the default say, and what is left of them otherwise.
 */
import { Duration, Equal, Option, Predicate } from "effect"
import { durationFromText } from "../kernel/duration-text.ts"

export interface Direction {
  /** For people, behind the words "a project may". */
  readonly says: string
  readonly apply: (low: unknown, high: unknown, grounds: ProjectGrounds) => Tightened
}

export interface Tightened {
  /** What counts, as if it were all that the project says; `low` where nothing of it counts. */
  readonly value: unknown
  /** What does not count, for people. */
  readonly refused?: string
}

export interface ProjectGrounds {
  /** The folder belongs to the project, or the user trusts it as well; as written in the settings. */
  readonly mayJoin: (folder: string) => boolean
}

const refuse = (low: unknown, high: unknown): Tightened =>
  Equal.equals(low, high) || JSON.stringify(low) === JSON.stringify(high)
    ? { value: low }
    : { value: low, refused: JSON.stringify(high) }

const switchTo = (wanted: boolean): Direction => ({
  says: `only turn it ${wanted ? "on" : "off"}`,
  apply: (low, high) => (high === wanted ? { value: high } : refuse(low ?? !wanted, high))
})

export const turnsOn = switchTo(true)
export const turnsOff = switchTo(false)

/** Lists of what is forbidden, or asked about. */
export const addsOnly: Direction = {
  says: "only add to it",
  apply: (low, high) => ({ value: [...new Set([...listOf(low), ...listOf(high)])] })
}

/** Lists of what is permitted, where no list permits everything. */
export const takesAway: Direction = {
  says: "only take away from it",
  apply: (low, high) => (low === undefined ? { value: high } : within(listOf(low), listOf(high)))
}

/** Lists of what is permitted, where no list permits nothing. */
export const addsNothing: Direction = {
  says: "only take away from it",
  apply: (low, high) => (low === undefined ? refuse(low, high) : within(listOf(low), listOf(high)))
}

/** Limits; none, or a negative one, is no limit. */
export const lowersOnly: Direction = {
  says: "only lower it",
  apply: (low, high) => (amountOf(high) <= amountOf(low) ? { value: high } : refuse(low, high))
}

/** Words from strict to loose. */
export const stricter = (...words: ReadonlyArray<string>): Direction => ({
  says: `only choose what is stricter (from strict to loose: ${words.join(", ")})`,
  apply: (low, high) =>
    words.indexOf(String(high)) <= words.indexOf(String(low)) ? { value: high } : refuse(low, high)
})

export const usersOnly: Direction = { says: "not set it", apply: refuse }

/** Programs, which are confirmed in their present form before they run (`config/programs`). */
export const whenConfirmed: Direction = {
  says: "set it, and it counts once you have confirmed it",
  apply: (_, high) => ({ value: high })
}

/** Objects of switches, of which a project may turn these off and set nothing else. */
export const turnsPartsOff = (...parts: ReadonlyArray<string>): Direction => ({
  says: `only turn off ${parts.join(", ")}`,
  apply: (low, high) => {
    const entries = Predicate.isReadonlyRecord(high) ? Object.entries(high) : []
    const before = Predicate.isReadonlyRecord(low) ? low : {}
    const [counted, rest] = [true, false].map((counts) =>
      entries.filter(([name, value]) => (value === false && parts.includes(name)) === counts)
    )
    const refused = (rest ?? []).filter(([name, value]) => before[name] !== value)
    const value = Object.fromEntries(counted ?? [])
    return refused.length === 0 ? { value } : { value, refused: JSON.stringify(Object.fromEntries(refused)) }
  }
})

/** A sandbox where there was none. Which one the user has chosen is not the project's to change. */
export const sandboxesOnly: Direction = {
  says: "only ask for one where you have none",
  apply: (low, high) => (isSandbox(low) || !isSandbox(high) ? refuse(low, high) : { value: high })
}

export const joinsTrustedFolders: Direction = {
  says: "only name folders in itself, and folders that you trust",
  apply: (_, high, { mayJoin }) => {
    const refused = listOf(high).filter((folder) => !mayJoin(folder))
    const value = listOf(high).filter(mayJoin)
    return refused.length === 0 ? { value } : { value, refused: JSON.stringify(refused) }
  }
}

const listOf = (value: unknown): ReadonlyArray<string> => (Array.isArray(value) ? value.map(String) : [])

/** `run_shell_command` covers `run_shell_command(git)`. Names are compared as everywhere: trimmed, without case. */
const within = (low: ReadonlyArray<string>, high: ReadonlyArray<string>): Tightened => {
  const permitted = low.map(comparable)
  const isPermitted = (entry: string) =>
    permitted.some((one) => comparable(entry) === one || comparable(entry).startsWith(`${one}(`))
  const refused = high.filter((entry) => !isPermitted(entry))
  const value = high.filter(isPermitted)
  return refused.length === 0 ? { value } : { value, refused: JSON.stringify(refused) }
}

const comparable = (entry: string): string => entry.trim().toLowerCase()

const amountOf = (value: unknown): number => {
  const amount = typeof value === "string" ? Option.map(durationFromText(value), Duration.toMillis) : Option.none()
  if (Option.isSome(amount)) return amount.value
  return typeof value === "number" && value >= 0 ? value : Number.POSITIVE_INFINITY
}

const isSandbox = (value: unknown): boolean =>
  value === true ||
  typeof value === "string" ||
  (Predicate.isReadonlyRecord(value) && value.enabled !== false && Object.keys(value).length > 0)
