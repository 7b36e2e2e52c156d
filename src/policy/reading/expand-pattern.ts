/**
 * The names that a pattern stands for now. Each folder that is looked into must be one that may be read, since the names
 * themselves are shown; links are followed as the kernel does it.
 */
import { readdirSync, statSync } from "node:fs"
import { kernelPath } from "../../files/real-path.ts"
import type { PlainWord } from "../../shell/plain/plain-script.ts"
import type { Argument } from "./program-table.ts"
import type { ReadingPlace } from "./reading.ts"

const MAX_NAMES = 500
const MAX_FOLDERS = 100

/** For each folder that it may be looked at from. `undefined`: it cannot be told, or may not be. */
export const expandPattern = (
  word: PlainWord,
  folders: ReadonlyArray<string> | undefined,
  { isReadable }: Pick<ReadingPlace, "isReadable">
): ReadonlyArray<ReadonlyArray<Argument>> | undefined => {
  const text = patternOf(word)
  if (folders === undefined || text === undefined) return undefined
  const alternatives: Array<ReadonlyArray<Argument>> = []
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
