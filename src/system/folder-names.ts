/** What a folder holds, for whoever can do without: a folder that is missing or cannot be read holds nothing. */
import { readdirSync } from "node:fs"

/** Without the path, in no particular order. */
export const namesIn = (folder: string): ReadonlyArray<string> => {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}
