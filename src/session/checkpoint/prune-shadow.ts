/**
 * Keeps the checkpoints of a project bounded in age and size. The history of the shadow repository is cut at the oldest
 * snapshot that a checkpoint needs (git's list of shallow commits), and what lies before it is collected. Objects of the
 * last hour stay: another process may be about to refer to them.
 */
import { readdirSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { Clock, Effect, Either } from "effect"
import { errnoOf } from "../../files/file-error.ts"
import { ageOfMark, isMarkOlder } from "../../kernel/time-mark.ts"
import { statOrNone } from "../../system/regular-file.ts"
import { checkpointNames, readCheckpoint, removeCheckpoint, removeOldCheckpoints } from "./checkpoint-record.ts"
import { runGit, ShadowError, type ShadowPlace } from "./shadow-git.ts"

export interface ShadowLimits {
  /** Older checkpoints go. */
  readonly maxAgeMs: number
  /** Of the repository; the older half of the checkpoints goes where it is larger. */
  readonly maxBytes: number
}

const GRACE = "1.hour.ago"
const EVERY_MS = 24 * 3_600_000

/** Its time tells when this was last done. */
const MARK = ".pruned"

/** At most once a day, because it may take seconds; the first day of a repository counts as done. */
export const isPruningDue = (historyDir: string, now: number): boolean => {
  const age = ageOfMark(join(historyDir, MARK), now)
  if (age !== undefined) return isMarkOlder(age, EVERY_MS)
  markPruned(historyDir)
  return false
}

const markPruned = (historyDir: string): void => {
  try {
    writeFileSync(join(historyDir, MARK), "", { mode: 0o600 })
  } catch {
    // Then it is looked for again the next time.
  }
}

export const pruneShadow = Effect.fn("Checkpoint.pruneShadow")(function* (
  place: ShadowPlace,
  checkpoints: string,
  { maxAgeMs, maxBytes }: ShadowLimits
) {
  const now = yield* Clock.currentTimeMillis
  const { historyDir } = place
  removeOldCheckpoints(checkpoints, maxAgeMs, now)
  removeDamaged(historyDir, now - maxAgeMs)
  yield* collect(place, checkpoints)
  if (sizeOf(join(historyDir, ".git", "objects")) > maxBytes) {
    const names = checkpointNames(checkpoints)
    for (const name of names.slice(0, Math.ceil(names.length / 2))) removeCheckpoint(checkpoints, name)
    yield* collect(place, checkpoints)
  }
  markPruned(historyDir)
})

const collect = Effect.fnUntraced(function* (place: ShadowPlace, checkpoints: string) {
  const first = yield* firstNeeded(place, checkpoints)
  if (first === undefined) return
  const list = join(place.historyDir, ".git", "shallow")
  yield* written(() => {
    writeFileSync(`${list}.new`, `${first}\n`, { mode: 0o600 })
    renameSync(`${list}.new`, list)
  })
  yield* runGit(place, ["reflog", "expire", "--expire=now", "--all"])
  yield* runGit(place, ["gc", "--quiet", `--prune=${GRACE}`])
})

/** The commit of the oldest checkpoint, or the newest commit where there is none. */
const firstNeeded = Effect.fnUntraced(function* (place: ShadowPlace, checkpoints: string) {
  for (const name of checkpointNames(checkpoints)) {
    const hash = readCheckpoint(checkpoints, name)?.commitHash ?? ""
    if (!/^[0-9a-f]{40}$/.test(hash)) continue
    // Those of a repository that was put aside stand outside of this history.
    const found = yield* runGit(place, ["merge-base", "--is-ancestor", hash, "HEAD"])
    if (found.exitCode === 0) return hash
  }
  const head = yield* runGit(place, ["rev-parse", "-q", "--verify", "HEAD"])
  return head.exitCode === 0 ? head.stdout.trim() : undefined
})

/** Repositories that were put aside. */
const removeDamaged = (historyDir: string, before: number): void => {
  for (const name of entriesOf(historyDir)) {
    const [, at] = /^\.git\.damaged-(\d+)$/.exec(name) ?? []
    if (at !== undefined && Number(at) < before) rmSync(join(historyDir, name), { recursive: true, force: true })
  }
}

const sizeOf = (folder: string): number =>
  entriesOf(folder, { recursive: true }).reduce((sum, name) => {
    const stat = statOrNone(join(folder, name))
    return sum + (stat?.isFile() === true ? stat.size : 0)
  }, 0)

const entriesOf = (folder: string, { recursive = false } = {}): ReadonlyArray<string> =>
  Either.getOrElse(
    Either.try(() => readdirSync(folder, { recursive, encoding: "utf8" })),
    () => []
  )

const written = (write: () => void) =>
  Effect.try({ try: write, catch: (cause) => new ShadowError({ kind: "write", detail: errnoOf(cause) }) })
