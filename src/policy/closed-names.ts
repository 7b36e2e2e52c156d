/** Looks for names that may not be read below a folder: a recursive search would read them with the rest. */
import { readdirSync } from "node:fs"
import { join } from "node:path"
import { blockedSegment } from "../files/containment.ts"

const MAX_ENTRIES = 5_000

/** A tree too large to look through counts as holding some. Links are not followed, and what is no folder holds none. */
export const holdsClosedNames = (folder: string): boolean => {
  const open = [folder]
  let seen = 0
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    for (const entry of entriesOf(next)) {
      seen++
      if (seen > MAX_ENTRIES || blockedSegment(entry.name, "read") !== null) return true
      if (entry.isDirectory()) open.push(join(next, entry.name))
    }
  }
  return false
}

const entriesOf = (folder: string) => {
  try {
    return readdirSync(folder, { withFileTypes: true })
  } catch {
    return []
  }
}
