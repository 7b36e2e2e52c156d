/**
 * The parts of a repository through which a command could act later, outside: hooks, configuration, and the files that
 * say where these are. And where the data of a repository really lies, for a linked worktree or a submodule, whose own
 * `.git` is a file.
 */
import { constants, existsSync, readdirSync, readFileSync, realpathSync } from "node:fs"
import { dirname, join, resolve } from "node:path"
import { statOrNone } from "../system/regular-file.ts"

export interface GitFolders {
  /** Real paths of data outside the place of `.git`, which commits write to. */
  readonly data: ReadonlyArray<string>
  /** Existing real paths that stay as they are. */
  readonly guarded: ReadonlyArray<string>
  /** Paths that do not exist, and would act on whoever uses git here later. There is nothing to guard yet. */
  readonly absent: ReadonlyArray<string>
}

/** `dotGit`: the real path of a folder or a file named `.git`. */
export const gitFoldersOf = (dotGit: string): GitFolders => {
  if (isFolder(dotGit)) return { data: [], guarded: guardedIn(dotGit), absent: absentIn(dotGit) }
  const own = pointerIn(dotGit)
  if (own === undefined) return { data: [], guarded: [dotGit], absent: [] }
  const common = commonOf(own)
  return {
    data: [common],
    guarded: [dotGit, ...new Set([...guardedIn(own), ...guardedIn(common)])],
    absent: [...new Set([...absentIn(own), ...absentIn(common)])]
  }
}

/**
 * Hooks run; where a folder says that its common data is elsewhere, the configuration is there too; and there may be
 * configuration of one working folder, or in files that others include.
 */
const ACTS_LATER = ["hooks", "commondir", "config.worktree"]

const absentIn = (folder: string): ReadonlyArray<string> =>
  existsSync(join(folder, "HEAD"))
    ? [...ACTS_LATER.map((name) => join(folder, name)), ...includedIn(folder)].filter((path) => !existsSync(path))
    : []

/** Absolute. What is included from the home folder is closed anyway. */
const includedIn = (folder: string): ReadonlyArray<string> =>
  ["config", "config.worktree"].flatMap((name) => {
    const lines = (textOf(join(folder, name)) ?? "").split("\n")
    let isInclude = false
    return lines.flatMap((line) => {
      const [, section] = /^\s*\[([^\]]*)\]/.exec(line) ?? []
      if (section !== undefined) isInclude = /^include(?:if\b|$)/i.test(section.trim())
      const [, quoted, plain] = /(?:^|\])\s*path\s*=\s*(?:"([^"]*)"|([^#;]*?))\s*(?:[#;].*)?$/i.exec(line) ?? []
      const path = quoted ?? plain
      return isInclude && path !== undefined && path !== "" && !path.startsWith("~") ? [resolve(folder, path)] : []
    })
  })

const GUARDED = ["hooks", "config", "config.worktree", "commondir", "gitdir", "info/attributes"]

const guardedIn = (folder: string): ReadonlyArray<string> => [
  ...GUARDED.map((name) => join(folder, name)).filter((path) => existsSync(path)),
  ...includedIn(folder).flatMap(realOf),
  ...["modules", "worktrees"].flatMap((name) => partsBelow(join(folder, name), 0))
]

const DEEPEST_MODULE = 8

/** A module may lie some folders deep: its name is its path. */
const partsBelow = (folder: string, depth: number): ReadonlyArray<string> =>
  namesIn(folder).flatMap((name) => {
    const path = join(folder, name)
    if (!isFolder(path)) return []
    return existsSync(join(path, "HEAD")) ? guardedIn(path) : depth < DEEPEST_MODULE ? partsBelow(path, depth + 1) : []
  })

/**
 * Where a `.git` file leads, if the place says so too. A command can write such a file; what lies outside its reach does
 * not point back, and so is not opened to it.
 */
const pointerIn = (file: string): string | undefined => {
  try {
    const [, target] = /^gitdir: (.+?)\s*$/.exec(textOf(file) ?? "") ?? []
    if (target === undefined) return undefined
    const real = realpathSync(resolve(dirname(file), target))
    return existsSync(join(real, "HEAD")) && pointsBack(real, file) ? real : undefined
  } catch {
    return undefined
  }
}

/** A worktree's data names its `.git` file, a submodule's its working folder. */
const pointsBack = (own: string, file: string): boolean => {
  const back = textOf(join(own, "gitdir"))?.trim()
  if (back !== undefined) return resolve(own, back) === file
  const [, worktree] = /^\s*worktree\s*=\s*(.+?)\s*$/m.exec(textOf(join(own, "config")) ?? "") ?? []
  return worktree !== undefined && resolve(own, worktree) === dirname(file)
}

/** The data that worktrees share, which holds their own. */
const commonOf = (own: string): string => {
  const named = textOf(join(own, "commondir"))?.trim()
  if (named === undefined) return own
  try {
    const common = realpathSync(resolve(own, named))
    return own.startsWith(join(common, "worktrees/")) ? common : own
  } catch {
    return own
  }
}

const realOf = (path: string): ReadonlyArray<string> => {
  try {
    return [realpathSync(path)]
  } catch {
    return []
  }
}

/** A command may have put anything in a file's place: nobody waits for a FIFO. */
const textOf = (file: string): string | undefined => {
  if (statOrNone(file)?.isFile() !== true) return undefined
  try {
    return readFileSync(file, { encoding: "utf8", flag: constants.O_RDONLY | constants.O_NONBLOCK })
  } catch {
    return undefined
  }
}

const isFolder = (path: string): boolean => statOrNone(path)?.isDirectory() === true

const namesIn = (folder: string): ReadonlyArray<string> => {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}
