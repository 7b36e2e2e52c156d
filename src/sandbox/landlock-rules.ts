/**
 * A profile as rules of Landlock, the kernel's own way to restrict a process without any rights or namespaces.
 *
 * Rules only add: what holds for a folder holds for all in it. So a folder with a secret in it is opened entry by entry
 * for reading, and as a whole for writing: a new file can be made there, and read by the next command. What is guarded
 * inside a writable folder cannot be guarded this way, and the report says so. Pure, given what is in a folder.
 */
import type { SandboxProfile } from "./profile.ts"

/** Rights by the number of their bit. */
const RIGHT = {
  execute: 1 << 0,
  writeFile: 1 << 1,
  readFile: 1 << 2,
  readFolder: 1 << 3,
  removeFolder: 1 << 4,
  removeFile: 1 << 5,
  makeFolder: 1 << 7,
  makeFile: 1 << 8,
  makeSocket: 1 << 9,
  makePipe: 1 << 10,
  makeLink: 1 << 12,
  /** Moving between folders; from version 2 on. */
  refer: 1 << 13,
  /** From version 3 on. */
  truncate: 1 << 14,
  /** From version 5 on. */
  deviceControl: 1 << 15
} as const

const READ = RIGHT.execute | RIGHT.readFile | RIGHT.readFolder
const CHANGE =
  RIGHT.writeFile |
  RIGHT.removeFolder |
  RIGHT.removeFile |
  RIGHT.makeFolder |
  RIGHT.makeFile |
  RIGHT.makeSocket |
  RIGHT.makePipe |
  RIGHT.makeLink |
  RIGHT.refer |
  RIGHT.truncate

/** Those that a file can have. */
export const FILE_RIGHTS = RIGHT.execute | RIGHT.writeFile | RIGHT.readFile | RIGHT.truncate | RIGHT.deviceControl

/** All that a kernel of this version decides about. Making devices is never granted. */
export const handledRights = (version: number): number => {
  const first = (1 << 13) - 1
  return (
    first |
    (version >= 2 ? RIGHT.refer : 0) |
    (version >= 3 ? RIGHT.truncate : 0) |
    (version >= 5 ? RIGHT.deviceControl : 0)
  )
}

export interface LandlockRule {
  readonly path: string
  readonly rights: number
}

export interface LandlockEntry {
  readonly name: string
  readonly isLink: boolean
}

/** Not `/dev/pts`: the person's other terminals are there. New ones are had through `ptmx`, without their name. */
const DEVICES = ["/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom", "/dev/tty", "/dev/ptmx"]

export const landlockRules = (
  profile: SandboxProfile,
  entriesOf: (folder: string) => ReadonlyArray<LandlockEntry>
): ReadonlyArray<LandlockRule> => {
  const hidden = new Set(profile.hidden.map(({ path }) => path))
  const above = new Set([...hidden].flatMap(foldersAbove))
  const readRules = (path: string): ReadonlyArray<LandlockRule> => {
    if (hidden.has(path)) return []
    if (!above.has(path)) return [{ path, rights: READ }]
    return [
      { path, rights: RIGHT.readFolder },
      // A link leads to a file that has a place, and a rule, of its own.
      ...entriesOf(path)
        .filter(({ isLink }) => !isLink)
        .flatMap(({ name }) => readRules(path === "/" ? `/${name}` : `${path}/${name}`))
    ]
  }
  return [
    ...[...profile.readable, ...profile.writable].flatMap(readRules),
    ...profile.writable.map((path) => ({ path, rights: CHANGE })),
    { path: "/proc", rights: RIGHT.readFile | RIGHT.readFolder },
    ...DEVICES.map((path) => ({
      path,
      rights: RIGHT.readFile | RIGHT.writeFile | RIGHT.deviceControl | RIGHT.truncate | RIGHT.readFolder
    }))
  ]
}

const foldersAbove = (path: string): ReadonlyArray<string> => {
  const parts = path.split("/")
  return parts.slice(1).map((_, index) => parts.slice(0, index + 1).join("/") || "/")
}
