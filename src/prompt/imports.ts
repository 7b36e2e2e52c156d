/**
 * `@path` in a context file brings in another file. Pure but for the given reader.
 *
 * An import never leads out of the project, never repeats inside its own chain, goes five levels deep and no further,
 * and all imports of one file together have an upper size. A word like `@alice` in prose stays as it is: only what
 * exists, or looks like a path, is taken for an import.
 */
import { frameName } from "../kernel/prompt-frames.ts"
import { codeRegions, type Region } from "./code-regions.ts"

export type ImportFormat = "tree" | "flat"

export interface ImportedFile {
  readonly kind: "file"
  /** Absolute, as named: what its own imports start from. */
  readonly path: string
  /** The same for all names of one file. */
  readonly identity: string
  readonly text: string
}

/** Why a file is not brought in; `missing` when there is none. */
export interface ImportFault {
  readonly kind: "missing" | "outside" | "refused"
  readonly reason: string
}

/** Finds what `name` means in the file with the path `from`, within the border of the project. */
export type ImportReader = (name: string, from: string) => ImportedFile | ImportFault

export interface ImportInput {
  readonly format: ImportFormat
  readonly file: ImportedFile
  readonly read: ImportReader
}

export interface ImportResult {
  readonly text: string
  /** Every file that was brought in, once. */
  readonly imported: ReadonlyArray<string>
  /** For the person: imports that failed, as `@path: reason`. */
  readonly faults: ReadonlyArray<string>
}

const MAX_DEPTH = 5
/** Names that are looked for on behalf of one context file; from then on an `@` is text. */
const MAX_LOOKUPS = 500
/** Of all imports of one context file, with the lines around them. */
export const MAX_IMPORTED_LENGTH = 2 * 1024 * 1024

export const resolveImports = (input: ImportInput): ImportResult =>
  input.format === "flat" ? flat(input) : tree(input)

interface Progress {
  readonly read: ImportReader
  readonly imported: Map<string, string>
  readonly faults: Set<string>
  length: number
  lookups: number
}

const progressOf = ({ read }: ImportInput): Progress => ({
  read,
  imported: new Map(),
  faults: new Set(),
  length: 0,
  lookups: 0
})

const resultOf = (text: string, progress: Progress): ImportResult => ({
  text,
  imported: [...progress.imported.values()],
  faults: [...progress.faults]
})

const tree = (input: ImportInput): ImportResult => {
  const progress = progressOf(input)
  return resultOf(expanded(input.file, [], progress), progress)
}

/** The text of a file with its imports in place. `chain`: identities of the files that led here. */
const expanded = (file: ImportedFile, chain: ReadonlyArray<string>, progress: Progress): string => {
  if (chain.length >= MAX_DEPTH) return file.text
  const within = [...chain, file.identity]
  let result = ""
  let end = 0
  for (const mention of mentionsIn(file.text)) {
    const found = lookUp(mention.name, file.path, progress)
    if (found === null) continue
    result += file.text.slice(end, mention.start) + inPlace(found, within, progress)
    end = mention.start + 1 + found.name.length
  }
  return result + file.text.slice(end)
}

const inPlace = ({ file, name }: Found, chain: ReadonlyArray<string>, progress: Progress): string => {
  if (file.kind !== "file") return failure(name, file.reason, progress)
  if (chain.includes(file.identity)) return counted(`<!-- File already processed: ${frameName(name)} -->`, progress)
  if (!admits(file, progress)) return failure(name, TOO_MUCH, progress)
  const start = counted(`<!-- Imported from: ${frameName(name)} -->`, progress)
  const end = counted(`<!-- End of import from: ${frameName(name)} -->`, progress)
  return `${start}\n${expanded(file, chain, progress)}\n${end}`
}

const TOO_MUCH = "the imports of this file are too large together"

/** Counts the file in. The first that does not fit is the last that is looked at. */
const admits = (file: ImportedFile, progress: Progress): boolean => {
  progress.length += file.text.length
  if (progress.length > MAX_IMPORTED_LENGTH) return false
  progress.imported.set(file.identity, file.path)
  return true
}

const failure = (name: string, reason: string, progress: Progress): string => {
  progress.faults.add(`@${name}: ${reason}`)
  return counted(`<!-- Import failed: ${frameName(name)} - ${frameName(reason)} -->`, progress)
}

const counted = (text: string, progress: Progress): string => {
  progress.length += text.length
  return text
}

const flat = (input: ImportInput): ImportResult => {
  const progress = progressOf(input)
  const seen = new Set([input.file.identity])
  const blocks: Array<string> = []
  const visit = (file: ImportedFile, depth: number): void => {
    blocks.push(
      `--- File: ${frameName(file.path)} ---\n${file.text.trim()}\n--- End of File: ${frameName(file.path)} ---`
    )
    if (depth >= MAX_DEPTH) return
    for (const mention of mentionsIn(file.text)) {
      const found = lookUp(mention.name, file.path, progress)
      if (found === null) continue
      const { file: next, name } = found
      if (next.kind !== "file") progress.faults.add(`@${name}: ${next.reason}`)
      else if (!seen.has(next.identity)) {
        seen.add(next.identity)
        if (admits(next, progress)) visit(next, depth + 1)
        else progress.faults.add(`@${name}: ${TOO_MUCH}`)
      }
    }
  }
  visit(input.file, 0)
  return resultOf(blocks.join("\n\n"), progress)
}

interface Found {
  /** As much of the word as is the name. */
  readonly name: string
  readonly file: ReturnType<ImportReader>
}

/** `null` for a word of prose, and for everything once the imports are as many or as large as they may be. */
const lookUp = (word: string, from: string, progress: Progress): Found | null => {
  if (progress.length > MAX_IMPORTED_LENGTH || progress.lookups++ >= MAX_LOOKUPS) return null
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(word))
    return { name: word, file: { kind: "refused", reason: "addresses are not imported" } }
  const whole = progress.read(word, from)
  if (whole.kind === "file") return { name: word, file: whole }
  // "See @docs/style.md." ends a sentence, not the name of a file.
  const name = word.replace(/[.,;:!?)\]}'"]+$/, "")
  if (name === "") return null
  const file = name === word ? whole : progress.read(name, from)
  return file.kind === "file" || looksLikePath(name) ? { name, file } : null
}

const looksLikePath = (word: string): boolean => /[./]/.test(word)

/** Longer names do not exist on any system. */
const MAX_NAME_LENGTH = 4096

interface Mention {
  /** Position of the `@`. */
  readonly start: number
  readonly name: string
}

function* mentionsIn(text: string): Generator<Mention> {
  if (!text.includes("@")) return
  const regions = codeRegions(text)
  let next = 0
  for (const match of text.matchAll(/(?<=^|\s)@([./A-Za-z]\S*)/g)) {
    const name = match[1] ?? ""
    while (isBefore(regions[next], match.index)) next++
    if (name.length <= MAX_NAME_LENGTH && !contains(regions[next], match.index)) yield { start: match.index, name }
  }
}

const isBefore = (region: Region | undefined, position: number): boolean =>
  region !== undefined && region.end <= position

const contains = (region: Region | undefined, position: number): boolean =>
  region !== undefined && region.start <= position && position < region.end
