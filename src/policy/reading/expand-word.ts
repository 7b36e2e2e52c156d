/**
 * The arguments that a word becomes: every alternative that is possible, each a list, since a pattern becomes many words.
 * What a variable, a loop or a pattern stands for is worked out where it can be; the rest is known by how it begins.
 */
import type { PlainWord, WordPart } from "../../shell/plain/plain-script.ts"
import { expandPattern } from "./expand-pattern.ts"
import type { Argument } from "./program-table.ts"
import type { ReadingPlace } from "./reading.ts"
import { type ShellState, UNKNOWN, type Values } from "./shell-state.ts"

const MAX_VALUES = 32
/** Survives unquoted: it is not split, and no pattern. */
export const PLAIN_VALUE = /^[\w@%+=:,./-]+$/

/** `undefined`: it is not known how many words it becomes. */
export const expandWord = (
  word: PlainWord,
  state: ShellState,
  place: ReadingPlace,
  printsPlainly: (part: Extract<WordPart, { readonly _tag: "Substitution" }>) => boolean
): ReadonlyArray<ReadonlyArray<Argument>> | undefined => {
  if (word.parts.some((part) => part._tag === "Wildcard"))
    return state.areNamesFixed ? expandPattern(word, state.folders, place) : undefined
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
