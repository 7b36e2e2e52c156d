/**
 * The file that a `replace` call means. A relative path that leads nowhere is looked for below the workspace folders:
 * models often leave out the first folders of a path. Only a single find counts.
 */
import { existsSync, readdirSync } from "node:fs"
import { basename, isAbsolute, join, normalize, resolve, sep } from "node:path"
import { Effect } from "effect"
import { FileFilter } from "../../files/file-filter.ts"
import type { IgnoreRules } from "../../files/ignore-rules.ts"
import { Workspace } from "../../files/workspace.ts"
import { resolveTarget } from "./edit-target.ts"

const MAX_FOLDERS = 50
/** Never worth a look, ignore files or not. */
const SKIPPED_FOLDERS = new Set(["node_modules", ".git", "bower_components", ".svn", ".hg"])

export const locateTarget = Effect.fnUntraced(function* (filePath: string) {
  const workspace = yield* Workspace
  const filter = yield* FileFilter
  if (isAbsolute(filePath) || filePath.startsWith("file://") || existsSync(resolve(workspace.targetDir, filePath))) {
    return yield* resolveTarget(filePath)
  }
  const roots = yield* workspace.roots
  const places = yield* Effect.forEach(roots, (folder) =>
    Effect.map(filter.rules(folder), (rules) => ({ folder, rules }))
  )
  const [found, ...others] = findBySuffix(places, normalize(filePath))
  return yield* resolveTarget(found !== undefined && others.length === 0 ? found : filePath)
})

interface Place {
  readonly folder: string
  readonly rules: IgnoreRules
}

/** Breadth first, at most 50 folders in all. */
const findBySuffix = (roots: ReadonlyArray<Place>, suffix: string): ReadonlyArray<string> => {
  const name = basename(suffix)
  const found = new Set<string>()
  const queue = [...roots]
  for (let visited = 0; visited < MAX_FOLDERS; visited++) {
    const place = queue.shift()
    if (place === undefined) break
    const { folder, rules } = place
    for (const entry of entriesOf(folder)) {
      const path = join(folder, entry.name)
      const isFolder = entry.isDirectory() && !SKIPPED_FOLDERS.has(entry.name)
      const isMeant = entry.isFile() && entry.name === name && path.endsWith(sep + suffix)
      if ((!isFolder && !isMeant) || rules.ignores(path, isFolder)) continue
      if (isFolder) queue.push({ folder: path, rules })
      else found.add(path)
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
