/**
 * The index of a repository: which paths it names as repositories inside (`git status` and `git diff` start a git of its own
 * in each of them, with the configuration that it has there), in which folders its files lie, and which of them are closed.
 */

import { type Dirent, existsSync, readdirSync } from "node:fs"
import { join } from "node:path"
import { blockedSegment, isInside } from "../../files/containment.ts"
import { kernelPath } from "../../files/real-path.ts"
import type { TrackedNames } from "./git-closed.ts"

const LINK_MODE = 0o160000
const LINK_BYTES = Buffer.from([0x00, 0x00, 0xe0, 0x00])
/** Before the name of an object: times, device, inode, mode, owner, size. */
const STAT_BYTES = 40
const MODE_AT = 24
const HAS_MORE_FLAGS = 0x4000

/** `undefined`: it cannot be read. `idBytes`: 20, or 32 in a repository with SHA-256. */
export const linksInIndex = (index: Buffer, idBytes: number): ReadonlyArray<string> | undefined => {
  // Most have none, and looking for four bytes is quicker than reading a hundred thousand names.
  if (!index.includes(LINK_BYTES)) return []
  const links: Array<string> = []
  const isRead = eachEntry(index, idBytes, (name, mode) => {
    if ((mode & 0o170000) === LINK_MODE) links.push(Buffer.from(name, "latin1").toString("utf8"))
  })
  return isRead ? links : undefined
}

/** Folders in which entries lie, without the top; `undefined`: it cannot be read. */
export const foldersInIndex = (index: Buffer, idBytes: number): ReadonlySet<string> | undefined => {
  const folders = new Set<string>()
  let before = ""
  const isRead = eachEntry(index, idBytes, (name) => {
    const end = name.lastIndexOf("/")
    const folder = end === -1 ? "" : name.slice(0, end)
    if (folder === before) return
    before = folder
    folders.add(Buffer.from(folder, "latin1").toString("utf8"))
  })
  folders.delete("")
  return isRead ? folders : undefined
}

const NONE: TrackedNames = { closed: [], ids: [], attributes: new Set() }
/** Of what `blockedSegment` closes; where names are not shortened, an index without these letters tracks none. */
const CLOSED_LETTERS = /\.env|gha-creds-/i

/** Entries that may not be read; `undefined`: it cannot be read. */
export const closedInIndex = (index: Buffer, idBytes: number): TrackedNames | undefined => {
  const isShortened = index.length >= 8 && index.readUInt32BE(4) > 3
  if (!isShortened && !CLOSED_LETTERS.test(index.toString("latin1"))) return NONE
  const closed: Array<string> = []
  const ids: Array<string> = []
  const attributes = new Set<string>()
  const isRead = eachEntry(index, idBytes, (name, _, idAt) => {
    if (name.endsWith(".gitattributes")) attributes.add(Buffer.from(name, "latin1").toString("utf8"))
    if (blockedSegment(name, "read") === null) return
    closed.push(Buffer.from(name, "latin1").toString("utf8"))
    ids.push(index.toString("hex", idAt, idAt + idBytes))
  })
  return isRead ? { closed, ids, attributes } : undefined
}

/** Names are bytes, one a character. `false`: it is none, or ends early. */
const eachEntry = (
  index: Buffer,
  idBytes: number,
  visit: (name: string, mode: number, idAt: number) => void
): boolean => {
  if (index.length < 12 || index.toString("latin1", 0, 4) !== "DIRC") return false
  const version = index.readUInt32BE(4)
  if (version < 2 || version > 4) return false
  let at = 12
  let before = ""
  for (let left = index.readUInt32BE(8); left > 0; left--) {
    const flagsAt = at + STAT_BYTES + idBytes
    if (flagsAt + 2 > index.length) return false
    const mode = index.readUInt32BE(at + MODE_AT)
    const hasMore = (index.readUInt16BE(flagsAt) & HAS_MORE_FLAGS) !== 0
    const nameAt = flagsAt + (hasMore ? 4 : 2)
    const name = version === 4 ? shortenedName(index, nameAt, before) : wholeName(index, nameAt, at)
    if (name === undefined) return false
    visit(name.text, mode, at + STAT_BYTES)
    before = name.text
    at = name.end
  }
  return true
}

interface Name {
  /** Bytes, one a character. */
  readonly text: string
  readonly end: number
}

const wholeName = (index: Buffer, from: number, entryAt: number): Name | undefined => {
  const nul = index.indexOf(0, from)
  if (nul === -1) return undefined
  // Entries are filled up with one to eight zeros to a multiple of eight.
  return { text: index.toString("latin1", from, nul), end: entryAt + ((nul - entryAt + 8) & ~7) }
}

/** Version 4: how much of the name before is dropped, and what is put in its place. */
const shortenedName = (index: Buffer, from: number, before: string): Name | undefined => {
  let at = from
  let byte = index[at++] ?? 0
  let dropped = byte & 0x7f
  while ((byte & 0x80) !== 0) {
    byte = index[at++] ?? 0
    dropped = (dropped + 1) * 128 + (byte & 0x7f)
  }
  const nul = index.indexOf(0, at)
  if (nul === -1 || dropped > before.length) return undefined
  return { text: before.slice(0, before.length - dropped) + index.toString("latin1", at, nul), end: nul + 1 }
}

/** Where files lie of which git prints something. Of those below `refs` and `logs` it takes only names of objects. */
const LOOKED_INTO = [
  ...["", "info", "objects", "objects/info", "objects/pack"],
  ...["rebase-merge", "rebase-apply", "sequencer", "worktrees"]
]

/**
 * What of a repository's own folder leads out of it. Git follows a link there like any other: it would print lines of a file
 * behind `rebase-merge/done`, or the history of another repository behind `objects`. Files that came with somebody's
 * archive can hold such links, and no git makes them.
 * `undefined`: it keeps to itself.
 */
export const leadsElsewhere = (gitDir: string): string | undefined => {
  if (existsSync(join(gitDir, "objects/info/alternates")))
    return `\`${gitDir}\` shows objects of another repository as well`
  for (const name of LOOKED_INTO) {
    const folder = name === "" ? gitDir : join(gitDir, name)
    for (const entry of entriesOf(folder)) {
      const path = join(folder, entry.name)
      const stray = name === "worktrees" && entry.isDirectory() ? strayIn(path, gitDir) : strayOf(entry, path, gitDir)
      if (stray !== undefined) return `\`${stray}\` leads out of the repository`
    }
  }
  return undefined
}

const strayIn = (folder: string, gitDir: string): string | undefined => {
  for (const entry of entriesOf(folder)) {
    const stray = strayOf(entry, join(folder, entry.name), gitDir)
    if (stray !== undefined) return stray
  }
  return undefined
}

const strayOf = (entry: Dirent, path: string, gitDir: string): string | undefined => {
  if (!entry.isSymbolicLink()) return undefined
  const real = kernelPath("/", path)
  return real !== undefined && isInside(gitDir, real) ? undefined : path
}

const entriesOf = (folder: string): ReadonlyArray<Dirent> => {
  try {
    // Most of them are not there, and an error takes longer than a question.
    return existsSync(folder) ? readdirSync(folder, { withFileTypes: true }) : []
  } catch {
    return []
  }
}
