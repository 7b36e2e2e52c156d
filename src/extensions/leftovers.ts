/**
 * Changes of extensions are made aside, in a folder of `~/.gemini/extensions` with a dot before its name, and become real
 * by a rename. Whatever a process leaves there when it dies half way is put right by the next one that looks: the old copy
 * comes back where it was taken away, and the rest is removed.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmdirSync, rmSync, writeFileSync } from "node:fs"
import { basename, dirname, join } from "node:path"
import { Option, Schema } from "effect"
import { isRunning, startOf } from "../system/process-identity.ts"

const PREFIX = ".change-"
const OWNER_IN_NAME = /^\.change-(\d+)-/

const Owner = Schema.parseJson(
  Schema.Struct({
    pid: Schema.Int,
    started: Schema.optional(Schema.String),
    /** The extension whose old copy may stand in `old`. */
    name: Schema.optional(Schema.String)
  })
)

/** A folder of one change: `new` is built in it, `old` is put aside in it. */
export interface Workshop {
  readonly root: string
  readonly fresh: string
  readonly old: string
}

/** Throws the system's error. */
export const openWorkshop = (extensionsDir: string): Workshop => {
  // The name says whose it is until the note inside does: another process may look between the two.
  const root = join(extensionsDir, `${PREFIX}${process.pid}-${crypto.randomUUID()}`)
  makeFolder(root)
  const workshop = { root, fresh: join(root, "new"), old: join(root, "old") }
  claimWorkshop(workshop, undefined)
  return workshop
}

/** Again where another process removed the empty folder above just then. */
const makeFolder = (folder: string, attempts = 5): void => {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
  } catch (cause) {
    if (attempts === 1) throw cause
    makeFolder(folder, attempts - 1)
  }
}

/** Says whose old copy is about to be put aside. */
export const claimWorkshop = ({ root }: Pick<Workshop, "root">, name: string | undefined): void => {
  const owner = { pid: process.pid, started: startOf(process.pid), name }
  writeFileSync(join(root, "owner.json"), Schema.encodeSync(Owner)(owner), { mode: 0o600 })
}

/** Removes it, and the folders above too if they were made for nothing. What cannot be removed is left to the next one. */
export const closeWorkshop = ({ root }: Pick<Workshop, "root">, extensionsDir: string): void => {
  try {
    rmSync(root, { recursive: true, force: true })
  } catch {
    return
  }
  removeIfEmpty(extensionsDir)
  removeIfEmpty(dirname(extensionsDir))
}

const removeIfEmpty = (folder: string): void => {
  try {
    rmdirSync(folder)
  } catch {
    // It holds something, or is gone already.
  }
}

/** Cheap where nothing was left behind; never fails. */
export const recoverLeftovers = (extensionsDir: string): void => {
  for (const name of namesIn(extensionsDir)) {
    if (name.startsWith(PREFIX)) recover(extensionsDir, join(extensionsDir, name))
  }
}

const recover = (extensionsDir: string, root: string): void => {
  try {
    const owner = ownerOf(root)
    if (owner !== undefined && isRunning(owner)) return
    const target = owner?.name === undefined ? undefined : join(extensionsDir, owner.name)
    const [fresh, old] = [join(root, "new"), join(root, "old")]
    // While the new copy still waits here, it has not taken the place of the old one.
    if (target !== undefined && existsSync(old) && existsSync(fresh) && !existsSync(target)) renameSync(old, target)
    closeWorkshop({ root }, extensionsDir)
  } catch {
    // Another process was faster, or the disk does not let us; the next one tries again.
  }
}

/** From the note; from the name where that is not there yet, or half written. */
const ownerOf = (root: string): typeof Owner.Type | undefined => {
  const noted = Option.liftThrowable(() => readFileSync(join(root, "owner.json"), "utf8"))()
  const inName = Option.fromNullable(OWNER_IN_NAME.exec(basename(root))?.[1])
  return noted.pipe(
    Option.flatMap(Schema.decodeUnknownOption(Owner)),
    Option.orElse(() => Option.map(inName, (pid) => ({ pid: Number(pid) }))),
    Option.getOrUndefined
  )
}

const namesIn = (folder: string): ReadonlyArray<string> => {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}
