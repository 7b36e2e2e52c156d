/**
 * A bounded walk over a folder, breadth first: what is near the top comes before what lies deep, so a cut-off result is
 * still a useful picture. Links are not followed, so a loop cannot trap it; unreadable folders are passed over.
 */
import { type Dirent, readdirSync } from "node:fs"
import { join } from "node:path"
import { Effect } from "effect"

export interface WalkEntry {
  /** Absolute. */
  readonly path: string
  readonly name: string
  readonly isDirectory: boolean
}

export interface WalkOptions {
  readonly root: string
  /** Whether an entry is left out; a folder that is left out is not entered. */
  readonly skips: (entry: WalkEntry) => boolean
  /** Called for each file and folder that is not left out; `false` ends the walk. */
  readonly visit: (entry: WalkEntry) => boolean
  readonly maxDirectories?: number
}

const FOLDERS_BETWEEN_YIELDS = 64

/** `true` when everything was seen. */
export const walk = Effect.fn("walk")(function* (options: WalkOptions) {
  const queue = [options.root]
  const limit = options.maxDirectories ?? Number.POSITIVE_INFINITY
  for (let index = 0; index < queue.length; index++) {
    if (index >= limit) return false
    const folder = queue[index]
    if (folder === undefined || !visitFolder(folder, queue, options)) return false
    // Lets an interruption or a time limit through.
    if (index % FOLDERS_BETWEEN_YIELDS === 0) yield* Effect.yieldNow()
  }
  return true
})

const visitFolder = (folder: string, queue: Array<string>, options: WalkOptions): boolean => {
  for (const child of entriesOf(folder)) {
    if (!child.isFile() && !child.isDirectory()) continue
    const entry = { path: join(folder, child.name), name: child.name, isDirectory: child.isDirectory() }
    if (options.skips(entry)) continue
    if (!options.visit(entry)) return false
    if (entry.isDirectory) queue.push(entry.path)
  }
  return true
}

const entriesOf = (folder: string): ReadonlyArray<Dirent> => {
  try {
    return readdirSync(folder, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1))
  } catch {
    return []
  }
}
