/** One process works on an output: a note beside it says which. A note whose process is gone is taken over. */
import { linkSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { hostname } from "node:os"
import { Effect, Option, Schema, type Scope } from "effect"
import { withLock } from "../../system/lock.ts"
import { isRunning, startOf } from "../../system/process-identity.ts"
import { BatchError, storageFault } from "../batch-error.ts"

const Owner = Schema.parseJson(
  Schema.Struct({
    pid: Schema.Int,
    started: Schema.optional(Schema.String),
    /** A folder may be shared by machines, and pids are not. */
    host: Schema.String
  })
)

/** Held until the scope closes. */
export const holdOutput = (output: string): Effect.Effect<void, BatchError, Scope.Scope> =>
  Effect.asVoid(Effect.acquireRelease(take(output), () => Effect.sync(() => rmSync(lockOf(output), { force: true }))))

const lockOf = (output: string): string => `${output}.lock`

/** Whoever takes over from a process that is gone does so alone: two would take the note from each other. */
const take = (output: string): Effect.Effect<void, BatchError> =>
  withLock(
    lockOf(output),
    Effect.suspend(() => takeNow(output))
  ).pipe(
    Effect.catchTag("StorageError", ({ detail }) =>
      storageFault(output, "write", Object.assign(new Error(detail), { code: detail }))
    )
  )

const takeNow = (output: string): Effect.Effect<void, BatchError> => {
  const lock = lockOf(output)
  const own = `${lock}.${process.pid}`
  try {
    writeFileSync(own, noteOf())
    if (!isLinked(own, lock)) {
      const owner = ownerOf(lock)
      if (owner !== undefined && isAlive(owner)) return busy(output, owner)
      rmSync(lock, { force: true })
      linkSync(own, lock)
    }
    return Effect.void
  } catch (cause) {
    return storageFault(output, "write", cause)
  } finally {
    rmSync(own, { force: true })
  }
}

const noteOf = (): string => {
  const started = startOf(process.pid)
  return Schema.encodeSync(Owner)({ pid: process.pid, host: hostname(), ...(started === undefined ? {} : { started }) })
}

const isLinked = (own: string, lock: string): boolean => {
  try {
    linkSync(own, lock)
    return true
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "EEXIST") return false
    throw error
  }
}

const ownerOf = (lock: string): typeof Owner.Type | undefined => {
  try {
    return Option.getOrUndefined(Schema.decodeUnknownOption(Owner)(readFileSync(lock, "utf8")))
  } catch {
    return undefined
  }
}

/** Of another machine nothing can be known. */
const isAlive = (owner: typeof Owner.Type): boolean => owner.host !== hostname() || isRunning(owner)

const busy = (output: string, owner: typeof Owner.Type): BatchError => {
  const where = owner.host === hostname() ? "" : ` on ${owner.host}`
  return new BatchError({
    kind: "busy",
    message: `process ${owner.pid}${where} works on ${output}`,
    hint:
      where === ""
        ? "Wait for it, or end it: what it has done is kept."
        : `Wait for it; if it is gone, remove ${lockOf(output)}.`
  })
}
