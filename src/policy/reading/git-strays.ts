/**
 * What of a repository's own folder leads out of it. Git follows a link there like any other: it would print lines of a file
 * behind `rebase-merge/done`, or the history of another repository behind `objects`. Files that came with somebody's
 * archive can hold such links, and no git makes them.
 */
import { type Dirent, existsSync, readdirSync } from "node:fs"
import { join } from "node:path"
import { isInside } from "../../files/containment.ts"
import { kernelPath } from "../../files/real-path.ts"

/** Where files lie of which git prints something. Of those below `refs` and `logs` it takes only names of objects. */
const LOOKED_INTO = [
  ...["", "info", "objects", "objects/info", "objects/pack"],
  ...["rebase-merge", "rebase-apply", "sequencer", "worktrees"]
]

/** `undefined`: it keeps to itself. */
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
