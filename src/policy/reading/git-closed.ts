/**
 * Files that may not be read, and that the repository tracks all the same: `git diff` would print them. Lines that only read
 * get an environment in which git says of such a file that it differs, and not how (`unasked-environment.ts`). Here it is
 * looked for what could undo that: attributes of the repository, which stand above those of the environment.
 */
import { dirname, join } from "node:path"

/** What the index says: names that are closed, and all files of attributes. */
export interface TrackedNames {
  readonly closed: ReadonlyArray<string>
  /** The names of their contents, in the same order. */
  readonly ids: ReadonlyArray<string>
  readonly attributes: ReadonlySet<string>
}

export interface AttributePlaces {
  readonly top: string
  /** Those of the repository itself. */
  readonly own: ReadonlyArray<string>
  /** `undefined`: there is none; `null`: it cannot be read. */
  readonly textOf: (file: string) => string | null | undefined
}

/** Why git may show one of them. `isPassedOver`: in an environment that keeps it from that, where it can. */
export const shownDoubt = (
  tracked: TrackedNames,
  isPassedOver: boolean,
  places: AttributePlaces
): string | undefined => {
  const [first] = tracked.closed
  if (first !== undefined && !isPassedOver) return `\`${first}\` is tracked, and may not be read unasked`
  return attributesDoubt(tracked, places)
}

/** By the name of its content a file is read whatever it is called; `given`: how such names begin. */
export const namedDoubt = ({ closed, ids }: TrackedNames, given: ReadonlyArray<string>): string | undefined => {
  const at = ids.findIndex((id) => given.some((start) => id.startsWith(start)))
  return at === -1 ? undefined : `the object is the content of \`${closed[at]}\`, which may not be read unasked`
}

/** Why the environment may not keep git from showing them; `undefined`: it does, or there are none. */
const attributesDoubt = (
  { attributes, closed }: TrackedNames,
  { own, textOf, top }: AttributePlaces
): string | undefined => {
  for (const name of closed) {
    const beside = foldersOf(name).map((folder) => (folder === "" ? ATTRIBUTES : `${folder}/${ATTRIBUTES}`))
    for (const file of [...own, ...beside.map((one) => join(top, one))]) {
      const text = textOf(file)
      if (text === null || (text !== undefined && mayShow(text, name)))
        return `\`${file}\` may say that \`${name}\` is shown, which may not be read unasked`
    }
    // Where it is gone from the folder, the one of the index counts.
    const gone = beside.find((one) => attributes.has(one) && textOf(join(top, one)) === undefined)
    if (gone !== undefined) return `\`${gone}\` of the index may say that \`${name}\` is shown`
  }
  return undefined
}

const ATTRIBUTES = ".gitattributes"

/** From the top down to where it lies; `""` is the top. */
const foldersOf = (name: string): ReadonlyArray<string> => {
  const folders = [""]
  for (let folder = dirname(name); folder !== "."; folder = dirname(folder)) folders.push(folder)
  return folders
}

/** Whether an attribute file may have the content of this one shown. Macros may say anything. */
const mayShow = (text: string, name: string): boolean =>
  text.split(/\r?\n/).some((line) => {
    const [pattern = "", ...words] = line.trim().split(/[ \t]+/)
    if (pattern === "" || pattern.startsWith("#")) return false
    if (/^(?:\[attr\]|")/.test(pattern)) return true
    return mayMatch(pattern, name) && !words.every((word) => KEEPS.test(word))
  })

/** The last part of a pattern has to match the last part of a name. */
const mayMatch = (pattern: string, name: string): boolean => {
  const last = pattern.slice(pattern.lastIndexOf("/") + 1)
  if (/[[\\]/.test(last)) return true
  const source = last
    .replace(/[.+^${}()|]/g, "\\$&")
    .replaceAll(/\*+/g, ".*")
    .replaceAll("?", ".")
  return new RegExp(`^${source}$`, "isu").test(name.slice(name.lastIndexOf("/") + 1))
}

/** Attributes of git and of those who host repositories that have nothing to do with what is shown, or hide it. */
const KEEPS =
  /^(?:-diff|binary|[-!]?(?:text|eol|crlf|merge|ident|whitespace|delta|encoding|working-tree-encoding|filter|lockable|conflict-marker-size|export-ignore|export-subst|(?:linguist|gitlab)-[\w-]+)(?:=.*)?)$/
