/**
 * A lock between processes for a short change of one file. It is the folder `<file>.lock`, as the reference makes it,
 * so both respect each other; a note beside it names the owner's process and when that process began. A lock whose
 * owner is gone, or that is older than 10 seconds, is taken over: waiting always ends.
 */
import { mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs"
import { Clock, Duration, Effect, Option, Predicate, Schema } from "effect"
import { monotonicMillis } from "../kernel/monotonic-time.ts"
import { isRunning, startOf } from "./process-identity.ts"
import { statOrNone } from "./regular-file.ts"
import { StorageError } from "./storage-error.ts"

const STALE_AFTER = Duration.seconds(10)
const POLL_EVERY = Duration.millis(25)
const GIVE_UP_AFTER = Duration.seconds(20)

const Owner = Schema.parseJson(
  Schema.Struct({
    pid: Schema.Int,
    /** Start of the process in the system's own count; pids are reused, this pair is not. */
    started: Schema.optional(Schema.String),
    /** Ties the note to one making of the folder. */
    folder: Schema.String
  })
)

/** Runs `effect` while holding the lock of `file`; the lock goes away however it ends. */
export const withLock = <A, E, R>(
  file: string,
  effect: Effect.Effect<A, E, R>
): Effect.Effect<A, E | StorageError, R> =>
  Effect.acquireUseRelease(
    acquire(file),
    () => effect,
    () => Effect.sync(() => release(file))
  )

const acquire = Effect.fnUntraced(function* (file: string) {
  const began = yield* monotonicMillis
  while (true) {
    const attempt = yield* Effect.sync(() => tryAcquire(file))
    if (attempt === "held") return
    if (attempt !== "busy")
      return yield* new StorageError({ path: `${file}.lock`, kind: "write", detail: attempt.code })
    const now = yield* Clock.currentTimeMillis
    yield* Effect.sync(() => evictStale(file, now))
    if ((yield* monotonicMillis) - began > Duration.toMillis(GIVE_UP_AFTER)) {
      return yield* new StorageError({ path: `${file}.lock`, kind: "locked", detail: "waited 20 s" })
    }
    yield* Effect.interruptible(Effect.sleep(POLL_EVERY))
  }
})

const tryAcquire = (file: string): "held" | "busy" | { readonly code: string } => {
  try {
    mkdirSync(`${file}.lock`)
  } catch (error) {
    const code = Predicate.hasProperty(error, "code") ? String(error.code) : "unknown"
    return code === "EEXIST" ? "busy" : { code }
  }
  try {
    const note = Schema.encodeSync(Owner)({
      pid: process.pid,
      started: startOf(process.pid),
      folder: identity(`${file}.lock`) ?? ""
    })
    writeFileSync(`${file}.lock.owner`, note, { mode: 0o600 })
  } catch {
    // Without the note the lock is still good; only its age tells then that it was left behind.
  }
  return "held"
}

const release = (file: string): void => {
  rmSync(`${file}.lock.owner`, { force: true })
  rmSync(`${file}.lock`, { recursive: true, force: true })
}

/** Renames before removing: of several waiters that see the same dead lock, one gets it and the others try again. */
const evictStale = (file: string, now: number): void => {
  const folder = `${file}.lock`
  const seen = identity(folder)
  if (seen === undefined || !(isOld(folder, now) || isOwnerGone(file, seen))) return
  const aside = `${folder}.${process.pid}.stale`
  try {
    if (identity(folder) !== seen) return
    renameSync(folder, aside)
    rmSync(aside, { recursive: true, force: true })
  } catch {
    // Another waiter was faster.
  }
}

const isOld = (folder: string, now: number): boolean => {
  const stat = statOrNone(folder)
  return stat !== undefined && now - stat.mtimeMs > Duration.toMillis(STALE_AFTER)
}

const isOwnerGone = (file: string, folder: string): boolean =>
  Option.match(readOwner(file), {
    onNone: () => false,
    onSome: (owner) => owner.folder === folder && !isRunning(owner)
  })

const readOwner = (file: string): Option.Option<typeof Owner.Type> => {
  try {
    return Schema.decodeUnknownOption(Owner)(readFileSync(`${file}.lock.owner`, "utf8"))
  } catch {
    return Option.none()
  }
}

const identity = (folder: string): string | undefined => {
  const stat = statSync(folder, { throwIfNoEntry: false, bigint: true })
  return stat === undefined ? undefined : `${stat.ino}:${stat.birthtimeNs}:${stat.mtimeNs}`
}
