/**
 * Where undoing keeps its data, below the project's folder of history. Contents of the user's files are enciphered with
 * a key of the project's own: copies of files that hold credentials must not be found by whoever searches, indexes or
 * backs up the home folder. Whoever can read the key can read the files themselves.
 */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"

export interface UndoStore {
  /** A folder for each run. */
  readonly runs: string
  /** What is known of the workspace. */
  readonly cache: string
  /** Made at the first use. Throws where it cannot be read or made. */
  readonly key: () => Uint8Array
}

const KEY_BYTES = 32

export const undoStore = (historyDir: string): UndoStore => {
  const folder = join(historyDir, "undo")
  return { runs: join(folder, "runs"), cache: join(folder, "cache"), key: () => keyIn(folder) }
}

const keyIn = (folder: string): Uint8Array => {
  const file = join(folder, "key")
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  try {
    writeFileSync(file, crypto.getRandomValues(new Uint8Array(KEY_BYTES)), { flag: "wx", mode: 0o600 })
  } catch {
    // It is there already.
  }
  const key = readFileSync(file)
  if (key.length !== KEY_BYTES) throw new RangeError(`${file} is damaged`)
  return key
}
