/**
 * The arguments that a word becomes: every alternative that is possible, each a list, since a pattern becomes many words.
 * What a variable, a loop or a pattern stands for is worked out where it can be; the rest is known by how it begins.
 */
import { readdirSync } from "node:fs"
import { kernelPath } from "../../files/real-path.ts"
import type { PlainWord, WordPart } from "../../shell/plain/plain-script.ts"
import type { Argument } from "./program-table.ts"
import type { Doubt, ReadingPlace } from "./reading.ts"

/** Values that a variable may have. */
export type Values = ReadonlyArray<Argument>

export interface ShellState {
  /** Every folder that may be the working folder, as the shell names it; `undefined`: not known. */
  readonly folders: ReadonlyArray<string> | undefined
  readonly variables: ReadonlyMap<string, Values>
  /** What makes every later command doubtful: names may mean something else by now. */
  readonly doubt: Doubt | undefined
  /** No command of the line makes files: what a pattern matches now is what it will match. */
  readonly areNamesFixed: boolean
}

const MAX_VALUES = 32
const MAX_NAMES = 500
/** Survives unquoted: it is not split, and no pattern. */
export const PLAIN_VALUE = /^[\w@%+=:,./-]+$/

export const UNKNOWN: Argument = { text: "", isExact: false }

/** `undefined`: it is not known how many words it becomes. */
export const expandWord = (
  word: PlainWord,
  state: ShellState,
  place: ReadingPlace,
  printsPlainly: (part: Extract<WordPart, { readonly _tag: "Substitution" }>) => boolean
): ReadonlyArray<ReadonlyArray<Argument>> | undefined => {
  if (word.parts.some((part) => part._tag === "Wildcard")) return expandPattern(word, state, place)
  const [whole] = word.parts
  if (whole?._tag === "Words") return [whole.texts.map((text) => ({ text, isExact: true }))]
  let values: Values = [{ text: "", isExact: true }]
  for (const part of word.parts) {
    const added = valuesOf(part, state, place, printsPlainly)
    if (added === undefined) return undefined
    values = joined(values, added)
    if (values.length > MAX_VALUES) return undefined
  }
  const words = values.map((value) => [value])
  const [only, ...more] = word.parts
  // What prints nothing leaves no word behind.
  const mayVanish = only?._tag === "Substitution" && !only.isQuoted && more.length === 0
  return mayVanish ? [...words, []] : words
}

const joined = (before: Values, after: Values): Values =>
  before.flatMap((one) =>
    one.isExact ? after.map((other) => ({ text: one.text + other.text, isExact: other.isExact })) : [one]
  )

const valuesOf = (
  part: WordPart,
  state: ShellState,
  place: ReadingPlace,
  printsPlainly: (part: Extract<WordPart, { readonly _tag: "Substitution" }>) => boolean
): Values | undefined => {
  switch (part._tag) {
    case "Text":
      return [{ text: part.text, isExact: true }]
    case "Home":
      return place.home === undefined ? undefined : [{ text: place.home, isExact: true }]
    case "Number":
      return [UNKNOWN]
    case "ProcessOutput":
      return [{ text: "/dev/fd/63", isExact: true }]
    case "Substitution":
      return part.isQuoted || printsPlainly(part) ? [UNKNOWN] : undefined
    case "Variable": {
      const values = variableValues(part.name, state, place)
      if (part.isQuoted) return values ?? [UNKNOWN]
      const isWhole = values?.every((value) =>
        value.isExact ? PLAIN_VALUE.test(value.text) : /^[#?$]$/.test(part.name)
      )
      return isWhole === true ? values : undefined
    }
    case "Wildcard":
    case "Words":
      return undefined
  }
}

/** Numbers of the shell, what the line itself has set, what the environment holds and gives nothing away. */
const SHOWN = new Set(["HOME", "PWD", "USER", "LOGNAME", "SHELL", "LANG", "TERM", "HOSTNAME", "TMPDIR"])

export const variableValues = (name: string, state: ShellState, place: ReadingPlace): Values | undefined => {
  if (/^[#?$]$/.test(name)) return [UNKNOWN]
  const set = state.variables.get(name)
  if (set !== undefined) return set
  if (name === "PWD") return state.folders?.map((text) => ({ text, isExact: true }))
  if (name === "HOME") return place.home === undefined ? undefined : [{ text: place.home, isExact: true }]
  const given = SHOWN.has(name) ? place.variables[name] : undefined
  return given === undefined ? undefined : [{ text: given, isExact: true }]
}

/** `src/*.ts`: the names that match now, for each folder that it may be looked at from. */
const expandPattern = (
  word: PlainWord,
  state: ShellState,
  { isReadable }: ReadingPlace
): ReadonlyArray<ReadonlyArray<Argument>> | undefined => {
  if (state.folders === undefined || !state.areNamesFixed) return undefined
  let text = ""
  for (const part of word.parts) {
    if (part._tag === "Text") text += part.text.replace(/[\\*?[\]]/g, "\\$&")
    else if (part._tag === "Wildcard") text += part.text
    else return undefined
  }
  // Quoted pattern characters are told apart by their backslash; one in a folder's name is too rare to follow.
  const slash = text.lastIndexOf("/")
  const [folder, pattern] = [text.slice(0, slash + 1), text.slice(slash + 1)]
  if (/[\\*?[\]]/.test(folder) || !/^[^.\\]/.test(pattern) || pattern.includes("\\")) return undefined
  const alternatives: Array<ReadonlyArray<Argument>> = []
  for (const base of state.folders) {
    const real = kernelPath(base, folder === "" ? "." : folder)
    const names = real === undefined || !isReadable(real) ? undefined : matchesIn(real, pattern)
    if (names === undefined) return undefined
    // Without a match the pattern itself is the argument.
    const found = (names.length === 0 ? [pattern] : names).map((name) => ({ text: folder + name, isExact: true }))
    alternatives.push(found.length === 1 ? found : found.map((name) => ({ ...name, isUnordered: true as const })))
  }
  return alternatives
}

/** `undefined`: it cannot be told, or depends on the language of the shell. */
const matchesIn = (folder: string, pattern: string): ReadonlyArray<string> | undefined => {
  const names = namesIn(folder).filter((name) => !name.startsWith("."))
  // What is one character for `?` depends on it.
  if (pattern.includes("?") && names.some((name) => !/^[ -~]*$/.test(name))) return undefined
  const matcher = new RegExp(
    `^${pattern
      .replace(/[.+^${}()|]/g, "\\$&")
      .replaceAll("*", ".*")
      .replaceAll("?", ".")}$`,
    "su"
  )
  const matching = names.filter((name) => matcher.test(name))
  return matching.length > MAX_NAMES || matching.some((name) => name.includes("\ufffd")) ? undefined : matching
}

const namesIn = (folder: string): ReadonlyArray<string> => {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}
