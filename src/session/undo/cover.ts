/**
 * Which files of the workspace a snapshot covers: all that git tracks, and all but version control data, installed
 * packages, what the ignore files name, and our own data. It is settled when the run begins: a run that writes an ignore
 * file does not thereby hide from undo what it makes.
 */
import { existsSync, readFileSync, statSync } from "node:fs"
import { dirname, join, resolve } from "node:path"
import { isInside } from "../../files/containment.ts"
import { CORE_FOLDERS } from "../../files/excludes.ts"
import { ignoreRules } from "../../files/ignore-rules.ts"

export interface Cover {
  readonly root: string
  /** Whether an entry of a folder is left out. */
  readonly leavesOut: (path: string, name: string, isFolder: boolean) => boolean
  /** Reads the ignore files of a folder. Those of folders that were never named here do not count. */
  readonly readRules: (folder: string) => void
}

const NEVER: ReadonlySet<string> = new Set(CORE_FOLDERS)

/**
 * What the user's git tracks, read from its index: a tracked file is not ignored, whatever the ignore files say. Only
 * read, without git; an index that is not understood tracks nothing.
 */
interface TrackedPaths {
  /** Of a folder: whether something in it is tracked. */
  readonly has: (path: string) => boolean
}

const NOTHING: TrackedPaths = { has: () => false }

/** Larger repositories are beyond what is recorded anyway. */
const MAX_INDEX_BYTES = 256 * 1024 * 1024

export const trackedPaths = (folder: string): TrackedPaths => {
  try {
    const repository = repositoryOf(folder)
    const index = repository === undefined ? undefined : indexOf(join(repository, ".git"))
    if (repository === undefined || index === undefined || statSync(index).size > MAX_INDEX_BYTES) return NOTHING
    const paths = new Set<string>()
    for (const name of namesIn(readFileSync(index))) {
      const path = join(repository, name)
      paths.add(path)
      for (let above = dirname(path); above !== repository && !paths.has(above); above = dirname(above))
        paths.add(above)
    }
    return paths
  } catch {
    return NOTHING
  }
}

const repositoryOf = (folder: string): string | undefined => {
  if (existsSync(join(folder, ".git"))) return folder
  const parent = dirname(folder)
  return parent === folder ? undefined : repositoryOf(parent)
}

/** In a linked work tree or a submodule, `.git` is a file that says where the data is. */
const indexOf = (git: string): string | undefined => {
  if (statSync(git).isDirectory()) return join(git, "index")
  const place = /^gitdir: (.+)$/m.exec(readFileSync(git, "utf8"))?.[1]
  return place === undefined ? undefined : join(resolve(dirname(git), place.trim()), "index")
}

/** Times, owner, size, mode and the hash of an entry, up to its flags. */
const FIXED_BYTES = 60
const EXTENDED = 0x4000

/** Names of all entries, from the root of the repository. Versions 2 to 4 of the format. */
export const namesIn = (index: Buffer): ReadonlyArray<string> => {
  const version = index.readUInt32BE(4)
  if (index.toString("latin1", 0, 4) !== "DIRC" || version < 2 || version > 4) return []
  const names: Array<string> = []
  let previous = Buffer.alloc(0)
  let at = 12
  for (let left = index.readUInt32BE(8); left > 0; left--) {
    const flags = index.readUInt16BE(at + FIXED_BYTES)
    let start = at + FIXED_BYTES + ((flags & EXTENDED) === 0 ? 2 : 4)
    let kept = 0
    if (version === 4) {
      const dropped = readVarint(index, start)
      start = dropped.next
      kept = previous.length - dropped.value
    }
    const end = index.indexOf(0, start)
    previous = Buffer.concat([previous.subarray(0, kept), index.subarray(start, end)])
    names.push(previous.toString())
    // Older versions pad each entry with 1 to 8 zero bytes to a multiple of 8.
    at = version === 4 ? end + 1 : at + ((end - at + 8) & ~7)
  }
  return names
}

const readVarint = (bytes: Buffer, start: number): { readonly value: number; readonly next: number } => {
  let at = start
  let byte = bytes.readUInt8(at++)
  let value = byte & 127
  while ((byte & 128) !== 0) {
    byte = bytes.readUInt8(at++)
    value = (value + 1) * 128 + (byte & 127)
  }
  return { value, next: at }
}

/** `ownData` is the folder of our own files, which may lie in the workspace when that is the home folder. */
export const coverOf = (root: string, ownData: string): Cover => {
  const counting = new Set<string>()
  const rules = ignoreRules({
    root,
    respectGitIgnore: true,
    respectGeminiIgnore: false,
    customFiles: [],
    countsRulesOf: (folder) => counting.has(folder) || !isInside(root, folder)
  })
  const tracked = trackedPaths(root)
  return {
    root,
    leavesOut: (path, name, isFolder) =>
      name === ".git" || path === ownData || ((NEVER.has(name) || rules.ignores(path, isFolder)) && !tracked.has(path)),
    readRules: (folder) => {
      counting.add(folder)
      rules.ignores(join(folder, "entry"), false)
    }
  }
}

/** Folders with one of these have rules of their own. */
export const isRulesName = (name: string): boolean => name === ".gitignore" || name === ".git"
