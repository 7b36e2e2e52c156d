/**
 * The file that a `replace` call means. A relative path that leads nowhere is looked for below the workspace folders:
 * models often leave out the first folders of a path. Only a single find counts.
 */
import { existsSync, readdirSync } from "node:fs"
import { basename, isAbsolute, join, normalize, resolve, sep } from "node:path"
import { Effect } from "effect"
import { Workspace } from "../../files/workspace.ts"
import { resolveTarget } from "./edit-target.ts"

const MAX_FOLDERS = 50
/** Never worth a look, ignore files or not. */
const SKIPPED_FOLDERS = new Set(["node_modules", ".git", "bower_components", ".svn", ".hg"])

export const locateTarget = Effect.fnUntraced(function* (filePath: string) {
  const workspace = yield* Workspace
  if (isAbsolute(filePath) || filePath.startsWith("file://") || existsSync(resolve(workspace.targetDir, filePath))) {
    return yield* resolveTarget(filePath)
  }
  const roots = yield* workspace.roots
  const found = findBySuffix(roots, normalize(filePath))
  return yield* resolveTarget(found.length === 1 ? (found[0] ?? filePath) : filePath)
})

/** Breadth first, at most 50 folders in all. */
export const findBySuffix = (roots: ReadonlyArray<string>, suffix: string): ReadonlyArray<string> => {
  const name = basename(suffix)
  const found = new Set<string>()
  const queue = [...roots]
  for (let visited = 0; visited < MAX_FOLDERS; visited++) {
    const folder = queue.shift()
    if (folder === undefined) break
    for (const entry of entriesOf(folder)) {
      const path = join(folder, entry.name)
      if (entry.isDirectory() && !SKIPPED_FOLDERS.has(entry.name)) queue.push(path)
      else if (entry.isFile() && entry.name === name && path.endsWith(sep + suffix)) found.add(path)
    }
  }
  return [...found]
}

const entriesOf = (folder: string) => {
  try {
    return readdirSync(folder, { withFileTypes: true })
  } catch {
    return []
  }
}
