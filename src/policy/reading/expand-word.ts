/**
 * The arguments that a word becomes: every alternative that is possible, each a list, since a pattern becomes many words.
 * What a variable, a loop or a pattern stands for is worked out where it can be; the rest is known by how it begins.
 */

import { readdirSync, statSync } from "node:fs"
import { kernelPath } from "../../files/real-path.ts"
import type { PlainWord, WordPart } from "../../shell/plain/plain-script.ts"
import type { CallWord } from "./program-table.ts"
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
): ReadonlyArray<ReadonlyArray<CallWord>> | undefined => {
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

/**
 * The names that a pattern stands for now. Each folder that is looked into must be one that may be read, since the names
 * themselves are shown; links are followed as the kernel does it.
 */
const MAX_NAMES = 500

const MAX_FOLDERS = 100

/** For each folder that it may be looked at from. `undefined`: it cannot be told, or may not be. */
export const expandPattern = (
  word: PlainWord,
  folders: ReadonlyArray<string> | undefined,
  { isReadable }: Pick<ReadingPlace, "isReadable">
): ReadonlyArray<ReadonlyArray<CallWord>> | undefined => {
  const text = patternOf(word)
  if (folders === undefined || text === undefined) return undefined
  const alternatives: Array<ReadonlyArray<CallWord>> = []
  for (const base of folders) {
    const names = matches(text, base, isReadable)
    if (names === undefined) return undefined
    // Without a match the pattern itself is the argument.
    const found = (names.length === 0 ? [text] : names).map((name) => ({ text: name, isExact: true }))
    alternatives.push(found.length === 1 ? found : found.map((name) => ({ ...name, isUnordered: true as const })))
  }
  return alternatives
}

/** Its text, where nothing of it but `*` and `?` is a pattern; quoted ones are too rare to follow. */
const patternOf = ({ parts }: PlainWord): string | undefined => {
  let text = ""
  for (const part of parts) {
    if (part._tag !== "Text" && part._tag !== "Wildcard") return undefined
    if (part._tag === "Text" && /[\\*?[\]]/.test(part.text)) return undefined
    text += part.text
  }
  return text
}

const matches = (
  text: string,
  base: string,
  isReadable: ReadingPlace["isReadable"]
): ReadonlyArray<string> | undefined => {
  const first = text.search(/[*?]/)
  const from = text.lastIndexOf("/", first) + 1
  const segments = text.slice(from).split("/")
  let found = [text.slice(0, from)]
  for (const [index, segment] of segments.entries()) {
    const isLast = index === segments.length - 1
    // `*//x` and `*/../x`: rare, and not what anybody means.
    if ((segment === "" && !isLast) || /^\./.test(segment)) return undefined
    if (index > 0) found = found.filter((path) => isFolder(base, path)).map((path) => `${path}/`)
    if (found.length > MAX_FOLDERS && !(isLast && segment === "")) return undefined
    const next = segment === "" ? found : namesIn(segment, found, base, isReadable)
    if (next === undefined || next.length > MAX_NAMES) return undefined
    found = [...next]
  }
  return found
}

const namesIn = (
  segment: string,
  folders: ReadonlyArray<string>,
  base: string,
  isReadable: ReadingPlace["isReadable"]
): ReadonlyArray<string> | undefined => {
  const found: Array<string> = []
  for (const folder of folders) {
    const real = kernelPath(base, folder === "" ? "." : folder)
    const names = real === undefined || !isReadable(real) ? undefined : matchesIn(real, segment)
    if (names === undefined) return undefined
    found.push(...names.map((name) => folder + name))
  }
  return found
}

/** `undefined`: it cannot be told, or depends on the language of the shell. */
const matchesIn = (folder: string, pattern: string): ReadonlyArray<string> | undefined => {
  const names = entriesOf(folder).filter((name) => !name.startsWith("."))
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
  return matching.some((name) => name.includes("\ufffd")) ? undefined : matching
}

const entriesOf = (folder: string): ReadonlyArray<string> => {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}

const isFolder = (base: string, path: string): boolean => {
  const real = kernelPath(base, path)
  try {
    return real !== undefined && statSync(real, { throwIfNoEntry: false })?.isDirectory() === true
  } catch {
    return false
  }
}
