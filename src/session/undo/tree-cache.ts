/**
 * The cache of the workspace's content: the table of what was last seen, and the content itself. One process at a time
 * owns it; a second one in the same folder makes a cache of its own, which goes when it ends. Too old or too large to
 * be worth keeping, it is dropped, and the next snapshot reads everything again.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { Effect, Schema } from "effect"
import { isRunning, startOf } from "../../system/process-identity.ts"
import { type ContentLog, openContentLog } from "./content-log.ts"
import { NotCovered } from "./file-state.ts"
import { appendRecords, encodeEntry, readTable, rewriteTable, type TreeEntry, type TreeTable } from "./tree-table.ts"
import type { UndoStore } from "./undo-store.ts"

export interface TreeCache {
  readonly table: TreeTable
  readonly contents: ContentLog
  /** Paths whose entries differ from what is saved. */
  readonly touched: Set<string>
  /** Keeps the touched entries for the next run. */
  readonly save: () => void
}

const SHARED = "shared"
/** Outdated content that is not worth reading the whole workspace again. */
const SPARE_BYTES = 256 * 1024 * 1024

/** Released with the scope. Fails where the folder cannot be written. */
export const openTreeCache = ({ cache: folder, key }: UndoStore) =>
  Effect.acquireRelease(
    Effect.try({
      try: () => {
        removeAbandoned(folder)
        const shared = join(folder, SHARED)
        const isOwner = claim(shared)
        const place = isOwner ? shared : join(folder, `${process.pid}-${crypto.randomUUID()}`)
        if (!isOwner) claim(place)
        return { isOwner, place, cache: open(place, key()) }
      },
      catch: NotCovered.fromSystem
    }),
    ({ cache, isOwner, place }) =>
      Effect.sync(() => {
        cache.contents.close()
        rmSync(isOwner ? join(place, OWNER) : place, { recursive: true, force: true })
      })
  ).pipe(Effect.map(({ cache }): TreeCache => cache))

const open = (place: string, key: Uint8Array): TreeCache => {
  const tableFile = join(place, "table")
  const contentFile = join(place, "contents")
  const table = load(tableFile, contentFile)
  if (table === undefined) for (const file of [tableFile, contentFile]) rmSync(file, { force: true })
  const known = table ?? new Map<string, TreeEntry>()
  const contents = openContentLog(contentFile, key)
  const touched = new Set<string>()
  return {
    table: known,
    contents,
    touched,
    save: () => {
      // The content goes first: a kill in between leaves content without an entry, never the opposite.
      contents.flush()
      appendRecords(
        tableFile,
        [...touched].map((path) => encodeEntry(path, known.get(path)))
      )
      touched.clear()
    }
  }
}

const load = (tableFile: string, contentFile: string): TreeTable | undefined => {
  try {
    const read = readTable(tableFile)
    if (read === undefined) return undefined
    let live = 0
    let end = 0
    for (const { place } of read.table.values()) {
      live += place?.size ?? 0
      end = Math.max(end, place?.block ?? 0)
    }
    const stored = statSync(contentFile).size
    // Packed content is smaller than what it holds, so this is a cautious measure.
    if (stored > live + SPARE_BYTES || (live > 0 && end >= stored)) return undefined
    if (read.needsRewriting) rewriteTable(tableFile, read.table)
    return read.table
  } catch {
    return undefined
  }
}

const OWNER = "owner"
const Owner = Schema.parseJson(Schema.Struct({ pid: Schema.Int, started: Schema.optional(Schema.String) }))

/** `false`: another process that is still there works with this folder. */
const claim = (folder: string): boolean => {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const file = join(folder, OWNER)
  const note = Schema.encodeSync(Owner)({ pid: process.pid, started: startOf(process.pid) })
  for (let attempt = 0; attempt < 2; attempt++) {
    try {
      writeFileSync(file, note, { flag: "wx", mode: 0o600 })
      return true
    } catch {
      if (isOwned(folder)) return false
      rmSync(file, { force: true })
    }
  }
  return false
}

const isOwned = (folder: string): boolean => {
  try {
    return isRunning(Schema.decodeSync(Owner)(readFileSync(join(folder, OWNER), "utf8")))
  } catch {
    return false
  }
}

/** Caches of second processes that were killed. */
const removeAbandoned = (folder: string): void => {
  if (!existsSync(folder)) return
  for (const name of readdirSync(folder)) {
    if (name !== SHARED && !isOwned(join(folder, name))) rmSync(join(folder, name), { recursive: true, force: true })
  }
}
