/**
 * Files that a back end hands to the programs it starts: filters, lists of arguments, empty stand-ins. They lie in a
 * folder of their own that nobody inside can see, and go with the session. One text is one file, however often it is used.
 */
import { accessSync, constants, existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect } from "effect"
import { setFileMode } from "../system/file-mode.ts"
import { isWithin } from "./profile.ts"
import { SandboxFault } from "./sandbox.ts"

export interface PrivateFiles {
  readonly folder: string
  /** A file with this content; its path. */
  readonly holding: (content: string | Uint8Array) => string
  /** A program with this content; `canRun`: whether it can be started from here. */
  readonly program: (content: Uint8Array) => { readonly path: string; readonly canRun: boolean }
  /** An empty file that nobody may read. */
  readonly closedFile: string
  readonly closedFolder: string
  /** A folder for the temporary files of programs. */
  readonly temp: string
}

/** Older ones have been read long ago. */
const MOST_KEPT = 64

/**
 * `changed`: folders that commands can change. What is in here decides about the walls of the next command, so it lies in
 * none of them, also where the temporary folder does.
 */
export const makePrivateFiles = (changed: ReadonlyArray<string>) =>
  Effect.map(
    Effect.acquireRelease(
      Effect.try({
        try: () => mkdtempSync(join(placeOutside(changed), "gemini-sandbox-")),
        catch: (cause) => new SandboxFault({ detail: cause instanceof Error ? cause.message : String(cause) })
      }),
      (folder) => Effect.sync(() => rmSync(folder, { recursive: true, force: true }))
    ),
    filesIn
  )

const placeOutside = (changed: ReadonlyArray<string>): string => {
  const places = [tmpdir(), "/tmp", "/var/tmp", "/dev/shm"].filter((folder) => existsSync(folder))
  const place = places.map((folder) => realpathSync(folder)).find((folder) => !isWithin(changed, folder))
  if (place === undefined) throw new Error("every folder for temporary files can be changed by commands")
  return place
}

const filesIn = (folder: string): PrivateFiles => {
  const [closedFile, closedFolder, temp] = [join(folder, "closed"), join(folder, "closed.d"), join(folder, "tmp")]
  writeFileSync(closedFile, "", { mode: 0o000 })
  mkdirSync(closedFolder, { mode: 0o500 })
  mkdirSync(temp, { mode: 0o700 })
  setFileMode(closedFile, 0o000)
  const kept: Array<string> = []
  const hold = (content: string | Uint8Array, mode: number): string => {
    const file = join(folder, new Bun.CryptoHasher("sha256").update(content).digest("hex"))
    if (existsSync(file)) return file
    writeFileSync(file, content, { mode })
    kept.push(file)
    const oldest = kept.length > MOST_KEPT ? kept.shift() : undefined
    if (oldest !== undefined) rmSync(oldest, { force: true })
    return file
  }
  return {
    folder,
    closedFile,
    closedFolder,
    temp,
    holding: (content) => hold(content, 0o600),
    program: (content) => {
      const path = hold(content, 0o700)
      return { path, canRun: mayRun(path) }
    }
  }
}

/** Not where the folder is on a file system that nothing is run from. */
const mayRun = (file: string): boolean => {
  try {
    accessSync(file, constants.X_OK)
    return true
  } catch {
    return false
  }
}
