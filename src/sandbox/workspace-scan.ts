/**
 * What must be hidden or guarded inside the folders that a command may use: secrets by name, and the repositories. All of
 * a folder is looked through, once; afterwards only folders whose entries changed are read again, because this comes
 * before every command.
 *
 * A secret that was seen stays one: under another name it is known by its number on the disk.
 */
import { type Dirent, lstatSync, readdirSync, realpathSync, statSync } from "node:fs"
import { join } from "node:path"
import { isSecretName } from "./secret-names.ts"

export interface ScanResult {
  /** Real paths of files. */
  readonly secrets: ReadonlyArray<string>
  /** Real paths of `.git`, folders and files alike. */
  readonly repositories: ReadonlyArray<string>
  /** Real paths of `.gemini` folders. */
  readonly ownFolders: ReadonlyArray<string>
}

interface Folder {
  readonly changedAt: bigint
  readonly folders: ReadonlyArray<string>
  readonly secrets: ReadonlyArray<string>
  readonly repositories: ReadonlyArray<string>
  readonly ownFolders: ReadonlyArray<string>
}

export interface WorkspaceScan {
  readonly of: (root: string) => ScanResult
}

/** What was seen before. */
interface Memory {
  readonly folders: Map<string, Folder>
  /** Secrets by their numbers on the disk. */
  readonly numbers: Set<string>
  /** Nanoseconds since 1970. */
  readonly now: () => bigint
}

/** `now`: milliseconds since 1970. */
export const makeWorkspaceScan = (now: () => number): WorkspaceScan => {
  const memory: Memory = {
    folders: new Map(),
    numbers: new Set(),
    now: () => BigInt(Math.trunc(now())) * 1_000_000n
  }
  return { of: (root) => walk(root, memory) }
}

const walk = (root: string, memory: Memory): ScanResult => {
  const secrets: Array<string> = []
  const repositories: Array<string> = []
  const ownFolders: Array<string> = []
  const waiting = [root]
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    const folder = look(path, memory)
    if (folder === undefined) continue
    secrets.push(...folder.secrets)
    repositories.push(...folder.repositories)
    ownFolders.push(...folder.ownFolders)
    waiting.push(...folder.folders)
  }
  // A link leads to what is guarded as well, and opens nothing that lies elsewhere.
  const isHere = (path: string) => path.startsWith(root.endsWith("/") ? root : `${root}/`)
  return {
    secrets: [...new Set(secrets)],
    repositories: [...new Set(repositories)].filter(isHere),
    ownFolders: [...new Set(ownFolders)].filter(isHere)
  }
}

/** A change within the grain of the clock is not missed: what changed just now is read again the next time. */
const SETTLED_NS = 2_000_000_000n

const look = (path: string, memory: Memory): Folder | undefined => {
  const { folders: known } = memory
  try {
    const { mtimeNs } = lstatSync(path, { bigint: true })
    const before = known.get(path)
    if (before !== undefined && before.changedAt === mtimeNs) return before
    const entries = readdirSync(path, { withFileTypes: true })
    const folder = { ...sorted(path, entries, memory.numbers), changedAt: mtimeNs }
    if (memory.now() - mtimeNs > SETTLED_NS) known.set(path, folder)
    else known.delete(path)
    return folder
  } catch {
    // Gone meanwhile, or not ours to read: then no command of ours can read it either.
    known.delete(path)
    return undefined
  }
}

/** Packages of others bring test keys along; what a project keeps in there are its variables. */
const OF_PACKAGES = /\/(?:node_modules|\.venv|site-packages)(?:\/|$)/

const sorted = (path: string, entries: ReadonlyArray<Dirent>, numbers: Set<string>): Omit<Folder, "changedAt"> => {
  const folders: Array<string> = []
  const secrets: Array<string> = []
  const repositories: Array<string> = []
  const ownFolders: Array<string> = []
  const isSecret = OF_PACKAGES.test(path) ? (name: string) => /^\.env/i.test(name) && isSecretName(name) : isSecretName
  for (const entry of entries) {
    const full = join(path, entry.name)
    if (entry.name === ".git") repositories.push(...(entry.isSymbolicLink() ? linkedFolder(full) : [full]))
    else if (entry.name === ".gemini" && !entry.isFile())
      ownFolders.push(...(entry.isSymbolicLink() ? linkedFolder(full) : [full]))
    if (entry.isDirectory()) {
      if (entry.name !== ".git") folders.push(full)
    } else if (isSecret(entry.name)) secrets.push(...secretAt(full, entry, numbers))
    else if (numbers.size > 0 && entry.isFile() && numbers.has(numberOf(full))) secrets.push(full)
  }
  return { folders, secrets, repositories, ownFolders }
}

const linkedFolder = (path: string): ReadonlyArray<string> => {
  try {
    const real = realpathSync(path)
    return statSync(real).isDirectory() ? [real] : []
  } catch {
    return []
  }
}

/** Behind a link it is the target that holds the secret. */
const secretAt = (path: string, entry: Dirent, numbers: Set<string>): ReadonlyArray<string> => {
  try {
    const real = entry.isSymbolicLink() ? realpathSync(path) : path
    if (!statSync(real).isFile()) return []
    numbers.add(numberOf(real))
    return [real]
  } catch {
    return []
  }
}

const numberOf = (path: string): string => {
  try {
    const { dev, ino } = lstatSync(path, { bigint: true })
    return `${dev}:${ino}`
  } catch {
    return ""
  }
}
