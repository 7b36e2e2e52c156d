/**
 * Whether changing a path gives power (`power-table.ts` says which files do, and why). Pure: names are compared with the
 * table, and places are compared with what was found out about this machine (`power-facts.ts`).
 *
 * Names are compared in a form in which no file system tells them apart: a folder that is `.gemini` on one that ignores
 * case, or that drops marks nobody sees, is `.gemini` here. Where the system does tell them apart this asks about a file
 * that nobody has.
 */
import { basename, dirname, join, relative, sep } from "node:path"
import { isInside } from "../files/containment.ts"
import {
  HARMLESS_NAMES,
  OWN_DATA,
  OWN_SESSION_DATA,
  OWN_STATE,
  POWER_ROWS,
  type PowerGroup,
  type PowerKind,
  type PowerRow,
  SYSTEM_FOLDERS
} from "./power-table.ts"

export interface Power {
  readonly kind: PowerKind
  /** What the file does, to complete "it changes X, which …". */
  readonly does: string
}

/** A file, or a folder with everything below it, that has the power of a name which it does not bear. */
export interface PowerPlace extends Power {
  /** Real path. */
  readonly path: string
}

export interface PowerFacts {
  /** Real paths of the workspace folders. */
  readonly roots: ReadonlyArray<string>
  /** Real path of the user's own folder of this program. */
  readonly userDir: string | undefined
  /** Real path of the project's folder for data. */
  readonly tempDir: string | undefined
  /** Real path of the folder of plans. */
  readonly plansDir: string | undefined
  /** Real path of this user's home, where the workspace holds it. */
  readonly openHome: string | undefined
  /** Names of context files, which models write as they write notes. */
  readonly memoryNames: ReadonlyArray<string>
  readonly places: ReadonlyArray<PowerPlace>
  /** That the settings ask for. */
  readonly groups: ReadonlySet<PowerGroup>
  /** Files that the settings name, as patterns of real paths. */
  readonly named: ReadonlyArray<RegExp>
  /** Whether something is there. */
  readonly has: (path: string) => boolean
  /** How many names the file has; 0 where there is none. */
  readonly names: (path: string) => number
  /** Paths that a pattern of the shell stands for, as it would give them. */
  readonly expand: (pattern: string, folder: string) => ReadonlyArray<string>
  /** The first file below a folder whose name gives power wherever the folder is put. */
  readonly below: (folder: string) => PowerPlace | undefined
}

/** Nothing is known of the machine: names alone count. */
export const NO_POWER_FACTS: PowerFacts = {
  roots: [],
  userDir: undefined,
  tempDir: undefined,
  plansDir: undefined,
  openHome: undefined,
  memoryNames: ["GEMINI.md"],
  places: [],
  groups: new Set(),
  named: [],
  has: () => false,
  names: () => 0,
  expand: () => [],
  below: () => undefined
}

/** `path`: absolute and real, of something that may not exist yet. */
export const powerOf = (path: string, facts: PowerFacts): Power | undefined => {
  const own = ownData(path, facts)
  if (own !== undefined) return own === "open" ? undefined : own
  if (isNote(path, facts)) return undefined
  return (
    facts.places.find((place) => isInside(place.path, path)) ??
    powerOfNames(path, facts.groups) ??
    homePower(path, facts) ??
    systemPower(path, facts) ??
    repositoryPower(path, facts) ??
    (facts.named.some((pattern) => pattern.test(path))
      ? { kind: "named", does: "security.powerFiles names" }
      : undefined)
  )
}

/** By the names in the path alone. */
export const powerOfNames = (path: string, groups: ReadonlySet<PowerGroup> = new Set()): Power | undefined => {
  const names = path.split(/[/\\]/).filter((name) => name !== "")
  const folded = names.map(foldedName)
  if (HARMLESS.some((pattern) => matchesAt(pattern, folded, folded.length - pattern.length))) return undefined
  const row = ROWS.find(
    ({ group, patterns }) =>
      (group === undefined || groups.has(group)) &&
      patterns.some((pattern) => folded.some((_, index) => matchesAt(pattern, folded, index)))
  )
  return row === undefined ? undefined : { kind: row.kind, does: row.does }
}

/** The rest of each name in the table that begins with this one: `.config` leads to `fish`, `git` and others. */
export const powerBelow = (name: string): ReadonlyArray<Power & { readonly rest: ReadonlyArray<string> }> => {
  const folded = foldedName(name)
  return ROWS.filter(({ group }) => group === undefined).flatMap(({ does, kind, patterns }) =>
    patterns
      .filter(([first]) => first !== undefined && matchesName(first, folded))
      .map((pattern) => ({ kind, does, rest: pattern.slice(1) }))
  )
}

/** Names of folders, and the last of a file or folder. */
type Pattern = ReadonlyArray<string>

const patternsOf = (names: ReadonlyArray<string>): ReadonlyArray<Pattern> => names.map((name) => name.split("/"))

const ROWS: ReadonlyArray<PowerRow & { readonly patterns: ReadonlyArray<Pattern> }> = POWER_ROWS.map((row) => ({
  ...row,
  patterns: patternsOf(row.names)
}))
const HARMLESS = patternsOf(HARMLESS_NAMES)

const matchesAt = (pattern: Pattern, names: ReadonlyArray<string>, at: number): boolean =>
  at >= 0 &&
  pattern.every((part, index) => {
    const name = names[at + index]
    return name !== undefined && matchesName(part, name)
  })

/** At most one `*` stands in a pattern. */
const matchesName = (pattern: string, name: string): boolean => {
  if (pattern === name) return true
  const star = pattern.indexOf("*")
  if (star === -1) return name.includes("~") && isShortName(pattern, name)
  return (
    name.length >= pattern.length - 1 &&
    name.startsWith(pattern.slice(0, star)) &&
    name.endsWith(pattern.slice(star + 1))
  )
}

/** The short form of a name in older file systems: `gemini~1`. */
const isShortName = (pattern: string, name: string): boolean =>
  pattern.startsWith(".") && /^(.{1,6})~\d+$/.exec(name)?.[1] === pattern.replace(/[^a-z0-9_]/g, "").slice(0, 6)

/** Marks that some file systems drop from names. */
const IGNORED_MARKS = /\p{Default_Ignorable_Code_Point}/gu

/** One form for all spellings of a name: case, composition, unseen marks, streams, dots and spaces at the end. */
const foldedName = (name: string): string => {
  if (/^[a-z0-9._-]*[a-z0-9_-]$/.test(name)) return name
  const plain = name.normalize("NFKC").replace(IGNORED_MARKS, "").split(":")[0] ?? ""
  const bare = plain.replace(/[ .]+$/, "").toLowerCase()
  return bare === "" ? name.toLowerCase() : bare
}

const OWN: Power = { kind: "own", does: "gemini keeps for itself" }

/** What the program keeps, and, within its folders, what is the model's to write. */
const ownData = (path: string, { tempDir, userDir }: PowerFacts): Power | "open" | undefined => {
  if (tempDir !== undefined && isInside(tempDir, path)) return dataOf(namesBelow(tempDir, path))
  if (userDir === undefined || !isInside(userDir, path)) return undefined
  const [first = ""] = namesBelow(userDir, path)
  return includes(OWN_STATE, first) ? OWN : undefined
}

const dataOf = ([first = "", second = ""]: ReadonlyArray<string>): Power | "open" => {
  if (first === "" || includes(OWN_DATA, first) || includes(OWN_SESSION_DATA, second)) return OWN
  return first === "memory" && second === ".inbox" ? OWN : "open"
}

const namesBelow = (folder: string, path: string): ReadonlyArray<string> =>
  relative(folder, path).split(sep).map(foldedName)

const includes = (patterns: ReadonlyArray<string>, name: string): boolean =>
  patterns.some((pattern) => matchesName(pattern, name))

/** A plan, or a context file: models write them as they write notes. */
const isNote = (path: string, { groups, memoryNames, plansDir }: PowerFacts): boolean => {
  if (!path.endsWith(".md")) return false
  const folder = dirname(path)
  if (basename(folder) === ".gemini" && memoryNames.includes(basename(path))) return true
  if (plansDir === undefined || folder !== plansDir) return false
  // A project may say where plans are kept, and must not thereby open a folder of commands, agents or hooks.
  return powerOfNames(plansDir, groups) === undefined || basename(plansDir) === "plans"
}

/**
 * Where somebody works in their home, what is hidden at its top belongs to their programs, and nobody has a list of all that
 * take orders from there.
 */
const homePower = (path: string, { openHome }: PowerFacts): Power | undefined =>
  openHome !== undefined && path !== openHome && isInside(openHome, path) && relative(openHome, path).startsWith(".")
    ? { kind: "start", does: "holds settings of programs of yours" }
    : undefined

/** Outside the workspace, or above it. A project may well live in a folder of the system. */
const systemPower = (path: string, { roots }: PowerFacts): Power | undefined => {
  const folder = SYSTEM_FOLDERS.map((name) => join(sep, name)).find((one) => isInside(one, path))
  if (folder === undefined || roots.some((root) => isInside(folder, root) && isInside(root, path))) return undefined
  return { kind: "system", does: "belongs to the system" }
}

/** Without these git takes a folder for no repository. */
const REPOSITORY_PARTS = ["HEAD", "objects", "refs"]
/** Entries of a repository that decide what git does; beside them people keep working trees in it. */
const REPOSITORY_ENTRIES = new Set(
  ["head", "objects", "refs", "config", "config.worktree", "hooks", "info", "commondir", "gitdir"].concat([
    "packed-refs",
    "worktrees",
    "modules",
    "branches",
    "logs",
    "index",
    "shallow"
  ])
)

/**
 * A folder with certain parts is a repository to git, whatever it is called, and its configuration names programs. Two of
 * the three are enough to ask: the third may be on its way. A file `HEAD` has no other use.
 */
const repositoryPower = (path: string, { has }: PowerFacts): Power | undefined => {
  const power: Power = { kind: "repository", does: "makes or changes a repository, whose settings name programs" }
  if (basename(path) === "HEAD") return power
  for (let child = path, folder = dirname(path); folder !== child; child = folder, folder = dirname(folder)) {
    const name = foldedName(basename(child))
    if (!REPOSITORY_ENTRIES.has(name)) continue
    const there = REPOSITORY_PARTS.filter((part) => part.toLowerCase() === name || has(join(folder, part)))
    if (there.length > 1) return power
  }
  return undefined
}
