/**
 * Looks through the workspace and brings the table up to date: what the system says was not touched is taken as it is
 * known, everything else is read and kept. What differs from the table is the result. The work is done in slices, so
 * that a time limit or an interruption comes through; what was read until then stays known.
 */
import type { Stats } from "node:fs"
import { sep } from "node:path"
import { Clock, Effect } from "effect"
import { monotonicMillis } from "../../kernel/monotonic-time.ts"
import { namesIn } from "../../system/folder-names.ts"
import { lstatOrNone } from "../../system/regular-file.ts"
import { type Cover, isRulesName } from "./cover.ts"
import { isSameState, NotCovered, seeStat, written } from "./file-state.ts"
import type { TreeCache } from "./tree-cache.ts"
import { entryOf, isUntouched, type TreeEntry } from "./tree-table.ts"

export interface TreeChange {
  readonly path: string
  /** `undefined`: there was nothing. */
  readonly before: TreeEntry | undefined
  /** `undefined`: it is gone. */
  readonly after: TreeEntry | undefined
}

export interface TreeLimits {
  readonly maxEntries: number
  /** Content that is read in one look. */
  readonly maxBytes: number
  readonly maxMs: number
}

export const TREE_LIMITS: TreeLimits = { maxEntries: 300_000, maxBytes: 2 * 1024 ** 3, maxMs: 15_000 }

export interface RefreshOptions {
  readonly cache: TreeCache
  readonly covers: ReadonlyArray<Cover>
  readonly limits: TreeLimits
  /** The first look of a run settles which ignore rules hold for all of it. */
  readonly isFirst: boolean
}

const FOLDERS_IN_SLICE = 64

export const refreshTree = Effect.fn("Undo.refreshTree")(function* (options: RefreshOptions) {
  const { covers, limits } = options
  const began = yield* monotonicMillis
  const look = startLook(options, yield* Clock.currentTimeMillis)
  for (const cover of covers) {
    const folders = yield* written(() => look.begin(cover))
    for (let index = 0; index < folders.length; index++) {
      const excess = yield* written(() => look.visit(cover, folders, index))
      if (excess !== undefined) return yield* new NotCovered({ why: excess })
      if (index % FOLDERS_IN_SLICE > 0) continue
      yield* Effect.yieldNow()
      const elapsed = (yield* monotonicMillis) - began
      if (elapsed > limits.maxMs) return yield* new NotCovered({ why: tooSlow(limits) })
    }
  }
  look.dropMissing()
  return look.changes
})

const tooMany = ({ maxEntries }: TreeLimits): string => `the folder has more than ${maxEntries} files`
const tooMuch = ({ maxBytes }: TreeLimits): string =>
  `the folder has more than ${Math.round(maxBytes / 1024 ** 2)} MiB to keep`
const tooSlow = ({ maxMs }: TreeLimits): string =>
  `looking through the folder takes longer than ${Math.round(maxMs / 1000)} s`

/** The state of one look through the workspace. */
const startLook = ({ cache, isFirst, limits }: RefreshOptions, now: number) => {
  const { contents, table, touched } = cache
  const changes: Array<TreeChange> = []
  /** Entries that were met carry the mark of this look. */
  const mark = Symbol("look")
  let count = 0
  let bytes = 0

  const take = (path: string, stat: Stats, before: TreeEntry | undefined): void => {
    count += 1
    if (before !== undefined && isUntouched(before, stat)) {
      before.met = mark
      return
    }
    const { content, state } = seeStat(path, stat)
    if (state.kind === "absent") return
    const isSame = before !== undefined && isSameState(before.state, state)
    const place = isSame ? before.place : content === undefined ? undefined : contents.add(content)
    bytes += content?.length ?? 0
    const after = { ...entryOf(state, stat, place, now), met: mark }
    table.set(path, after)
    touched.add(path)
    if (!isSame) changes.push({ path, before, after })
  }

  /** Folders in it are added to the list. Says which limit was passed, if one was. */
  const visit = (cover: Cover, folders: Array<string>, index: number): string | undefined => {
    const folder = folders[index] ?? cover.root
    const start = folder.endsWith(sep) ? folder : folder + sep
    const names = namesIn(folder)
    if (isFirst && names.some(isRulesName)) cover.readRules(folder)
    for (const name of names) {
      const path = start + name
      const stat = lstatOrNone(path)
      if (stat === undefined) continue
      const isFolder = stat.isDirectory()
      const known = table.get(path)
      if ((isFirst || known === undefined) && cover.leavesOut(path, name, isFolder)) continue
      take(path, stat, known)
      if (isFolder) folders.push(path)
    }
    if (count > limits.maxEntries) return tooMany(limits)
    return bytes > limits.maxBytes ? tooMuch(limits) : undefined
  }

  const dropMissing = (): void => {
    for (const [path, before] of table) {
      if (before.met === mark) continue
      table.delete(path)
      touched.add(path)
      changes.push({ path, before, after: undefined })
    }
  }

  const begin = ({ root }: Cover): Array<string> => {
    const stat = lstatOrNone(root)
    if (stat === undefined) return []
    take(root, stat, table.get(root))
    return [root]
  }
  return { begin, changes, dropMissing, visit }
}

/** Takes what stands at a path as known: the change belongs to a call that was recorded otherwise. */
export const acknowledge = ({ contents, table, touched }: TreeCache, path: string, now: number): void => {
  touched.add(path)
  const stat = lstatOrNone(path)
  const seen = stat === undefined ? undefined : seeStat(path, stat)
  if (stat === undefined || seen === undefined || seen.state.kind === "absent") return void table.delete(path)
  const place = seen.content === undefined ? undefined : contents.add(seen.content)
  table.set(path, entryOf(seen.state, stat, place, now))
}
