/**
 * Snapshots of the project as commits of the shadow repository, and the way back. A repository that is damaged is put
 * aside and a new one begun: an old checkpoint may then be lost, but never the work of the user.
 */
import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { Clock, Duration, Effect } from "effect"
import { errnoOf } from "../../files/file-error.ts"
import { monotonicMillis } from "../../kernel/monotonic-time.ts"
import { copyToNewFile } from "../../system/file-mode.ts"
import { statOrNone } from "../../system/regular-file.ts"
import { type GitEnd, IDENTITY, runGit, ShadowError, type ShadowPlace } from "./shadow-git.ts"

/** The files as they are now, as a commit; the last one where nothing changed. */
export const takeSnapshot = Effect.fn("Checkpoint.takeSnapshot")(function* (place: ShadowPlace, message: string) {
  return yield* commitAll(place, message).pipe(
    Effect.catchIf(
      ({ kind }) => kind === "damaged",
      () => Effect.zipRight(putAside(place), commitAll(place, message))
    )
  )
})

const commitAll = Effect.fnUntraced(function* (place: ShadowPlace, message: string) {
  yield* prepare(place)
  yield* addAll(place)
  const tree = yield* expectLine(yield* runGit(place, ["write-tree"]))
  const head = yield* runGit(place, ["rev-parse", "-q", "--verify", "HEAD"])
  const last = head.exitCode === 0 ? head.stdout.trim() : yield* firstCommit(place)
  const same = yield* runGit(place, ["rev-parse", "-q", "--verify", `${last}^{tree}`])
  if (same.exitCode === 0 && same.stdout.trim() === tree) return last
  return yield* commit(place, tree, ["-p", last, "-m", message])
})

const firstCommit = Effect.fnUntraced(function* (place: ShadowPlace) {
  const empty = yield* expectLine(yield* runGit(place, ["mktree"], ""))
  return yield* commit(place, empty, ["-m", "Initial commit"])
})

const commit = Effect.fnUntraced(function* (place: ShadowPlace, tree: string, args: ReadonlyArray<string>) {
  const hash = yield* expectLine(yield* runGit(place, ["commit-tree", tree, ...args]))
  yield* expectLine(yield* runGit(place, ["update-ref", "refs/heads/main", hash]))
  return hash
})

const BUSY = /index\.lock.*File exists/s
const BUSY_POLL = Duration.millis(100)
const BUSY_LIMIT_MS = 5000
/** No command of ours takes that long: whoever made the lock is gone. */
const STALE_LOCK_MS = 90_000

const addAll = Effect.fnUntraced(function* (place: ShadowPlace) {
  const began = yield* monotonicMillis
  while (true) {
    const end = yield* runGit(place, ["add", "-A", "--ignore-errors", "."])
    // 1: single files or nested repositories could not be added; the others were.
    if (end.exitCode <= 1) return
    if (!BUSY.test(end.stderr)) return yield* damaged(end)
    const now = yield* Clock.currentTimeMillis
    if (removeStaleLock(join(place.historyDir, ".git", "index.lock"), now)) continue
    if ((yield* monotonicMillis) - began > BUSY_LIMIT_MS) return yield* new ShadowError({ kind: "busy", detail: "" })
    yield* Effect.sleep(BUSY_POLL)
  }
})

const removeStaleLock = (lock: string, now: number): boolean => {
  const stat = statOrNone(lock)
  if (stat === undefined || now - stat.mtimeMs < STALE_LOCK_MS) return false
  rmSync(lock, { force: true })
  return true
}

/** What git needs to find a repository, without starting it; and settings that outrank those of the project. */
const prepare = (place: ShadowPlace) =>
  Effect.try({
    try: () => {
      const { historyDir, workTree } = place
      const repository = join(historyDir, ".git")
      for (const folder of ["objects/info", "objects/pack", "refs/heads", "info"])
        mkdirSync(join(repository, folder), { recursive: true, mode: 0o700 })
      writeOnce(join(repository, "HEAD"), "ref: refs/heads/main\n")
      writeOnce(
        join(repository, "config"),
        "[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n\tbare = false\n"
      )
      writeOnce(join(repository, "info/attributes"), "* -text -filter -ident -working-tree-encoding\n")
      writeOnce(join(historyDir, ".gitconfig"), IDENTITY)
      if (existsSync(join(workTree, ".gitignore"))) {
        rmSync(join(historyDir, ".gitignore"), { force: true })
        copyToNewFile(join(workTree, ".gitignore"), join(historyDir, ".gitignore"))
      }
    },
    catch: (cause) => new ShadowError({ kind: "write", detail: errnoOf(cause) })
  })

const writeOnce = (file: string, text: string): void => {
  if (!existsSync(file)) writeFileSync(file, text, { mode: 0o600 })
}

const putAside = Effect.fnUntraced(function* ({ historyDir }: ShadowPlace) {
  const now = yield* Clock.currentTimeMillis
  yield* Effect.try({
    try: () => renameSync(join(historyDir, ".git"), join(historyDir, `.git.damaged-${now}`)),
    catch: (cause) => new ShadowError({ kind: "write", detail: errnoOf(cause) })
  })
})

const damaged = ({ stderr }: GitEnd) =>
  new ShadowError({
    kind: /no space left|disk full|quota/i.test(stderr) ? "write" : "damaged",
    detail: stderr.trim().split("\n").at(-1)?.slice(0, 200) ?? ""
  })

const expectLine = (end: GitEnd) => (end.exitCode === 0 ? Effect.succeed(end.stdout.trim()) : damaged(end))

export interface RestorePlan {
  readonly commit: string
  /** Changed or deleted since: they come back. Relative to the project. */
  readonly restored: ReadonlyArray<string>
  /** Made since: they go only when that is wanted. */
  readonly made: ReadonlyArray<string>
}

/** What differs between the files now and those of a commit. The files now are kept in the repository as well. */
export const planRestore = Effect.fn("Checkpoint.planRestore")(function* (place: ShadowPlace, hash: string) {
  const found = yield* runGit(place, ["cat-file", "-e", `${hash}^{tree}`])
  if (found.exitCode !== 0) return yield* new ShadowError({ kind: "no-commit", detail: hash })
  yield* addAll(place)
  const listed = yield* runGit(place, ["diff-index", "--cached", "--no-renames", "--name-status", "-z", hash])
  if (listed.exitCode !== 0) return yield* damaged(listed)
  const fields = listed.stdout.split("\0")
  const pairs = fields.flatMap((status, index) => (index % 2 === 0 ? [[status, fields[index + 1] ?? ""] as const] : []))
  const named = pairs.filter(([, path]) => path !== "")
  return {
    commit: hash,
    restored: named.flatMap(([status, path]) => (status === "A" ? [] : [path])),
    made: named.flatMap(([status, path]) => (status === "A" ? [path] : []))
  } satisfies RestorePlan
})

/** Writes the files of the commit. Files that were made since are not touched here. */
export const restoreFiles = Effect.fn("Checkpoint.restoreFiles")(function* (place: ShadowPlace, plan: RestorePlan) {
  if (plan.restored.length === 0) return
  const paths = plan.restored.map((path) => `:(top,literal)${path}`).join("\0")
  const end = yield* runGit(
    place,
    ["restore", `--source=${plan.commit}`, "--worktree", "--pathspec-from-file=-", "--pathspec-file-nul"],
    paths
  )
  if (end.exitCode !== 0) return yield* damaged(end)
})
