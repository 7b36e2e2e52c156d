/** Folders that a typed beginning could become, for commands that take one or a list of them. */
import { readdirSync } from "node:fs"
import { join } from "node:path"
import type { CommandCompletion } from "../command.ts"

export interface FolderPlace {
  readonly cwd: string
  readonly home: string | undefined
  /** Stands between several. */
  readonly separator?: string
}

export const completeFolder = (typed: string, { cwd, home, separator }: FolderPlace): CommandCompletion => {
  const from = separator === undefined ? 0 : typed.lastIndexOf(separator) + 1
  const text = typed.slice(from).trimStart()
  const split = text.lastIndexOf("/") + 1
  const [parent, beginning] = [text.slice(0, split), text.slice(split)]
  const place = parent.startsWith("~/") ? join(home ?? "/", parent.slice(2)) : parent
  const names = foldersIn(place.startsWith("/") ? place : join(cwd, place))
  return {
    from: typed.length - text.length,
    candidates: names
      .filter((name) => name.startsWith(beginning) && (beginning.startsWith(".") || !name.startsWith(".")))
      .map((name) => ({ value: `${parent}${name}/` }))
  }
}

const foldersIn = (folder: string): ReadonlyArray<string> => {
  try {
    return readdirSync(folder, { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map(({ name }) => name)
      .toSorted()
  } catch {
    return []
  }
}
