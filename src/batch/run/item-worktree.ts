/**
 * A copy of the repository for each item, so that what one of them edits is nothing to the others, and the difference as
 * a patch. A copy begins with what is committed and with changes of tracked files; what git ignores is not in it.
 */
import { rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, relative } from "node:path"
import { Effect, type Scope } from "effect"
import { type ChildVariables, childVariables } from "../../system/child-variables.ts"
import { type ProgramEnd, runProgram } from "../../system/programs.ts"
import { BatchError, badInput } from "../batch-error.ts"

export interface ItemCopies {
  /** One more; it is gone with the scope. */
  readonly open: Effect.Effect<ItemCopy, BatchError, Scope.Scope>
}

export interface ItemCopy {
  /** The folder that stands for the one in which the batch was started. */
  readonly cwd: string
  /** What was changed in it so far; empty: nothing. */
  readonly patch: Effect.Effect<string, BatchError>
}

export interface CopiesInput {
  readonly cwd: string
  readonly variables: Readonly<Record<string, string>>
  /** Of the batch: copies of an earlier start that was killed are known by it. */
  readonly output: string
}

const GIT_WITHIN = "10 minutes"
const MAX_PATCH_BYTES = 64 * 1024 * 1024

export const itemCopies = ({ cwd, output, variables }: CopiesInput): Effect.Effect<ItemCopies, BatchError> =>
  Effect.gen(function* () {
    const run = git(childVariables({ inherits: variables }))
    const top = yield* run(cwd, ["rev-parse", "--show-toplevel"]).pipe(
      Effect.catchTag("BatchError", () =>
        badInput(`--worktree-per-item needs a git repository, and ${cwd} is in none`, "Start it in the repository.")
      )
    )
    const root = top.stdout.trim()
    const head = yield* run(root, ["rev-parse", "--verify", "-q", "HEAD"]).pipe(
      Effect.catchTag("BatchError", () => badInput(`${root} has no commit yet`, "Commit something first."))
    )
    const changed = (yield* run(root, ["stash", "create"])).stdout.trim()
    const base = changed === "" ? head.stdout.trim() : changed
    const prefix = join(tmpdir(), `gemini-item-${Bun.hash(output).toString(36)}-`)
    const remove = (path: string) =>
      Effect.zipRight(
        Effect.ignore(run(root, ["worktree", "remove", "--force", "--force", path])),
        Effect.sync(() => rmSync(path, { recursive: true, force: true }))
      )
    // The output is held: nobody else has copies of this name.
    const listed = (yield* run(root, ["worktree", "list", "--porcelain"])).stdout
    const left = [...listed.matchAll(/^worktree (.*)$/gm)].flatMap(([, path = ""]) =>
      path.startsWith(prefix) ? [path] : []
    )
    yield* Effect.forEach(left, remove, { discard: true })
    // Two at once would wait for the same lock of git.
    const turn = yield* Effect.makeSemaphore(1)
    const place = relative(root, cwd)

    return {
      open: Effect.gen(function* () {
        const path = `${prefix}${crypto.randomUUID().slice(0, 8)}`
        yield* Effect.acquireRelease(
          turn.withPermits(1)(run(root, ["worktree", "add", "--quiet", "--detach", path, base])),
          () => turn.withPermits(1)(remove(path))
        )
        const patch = Effect.gen(function* () {
          yield* run(path, ["add", "--all"])
          return (yield* run(path, ["diff", "--cached", "--binary", "--no-color", "--no-ext-diff", base])).stdout
        })
        return { cwd: join(path, place), patch }
      })
    }
  })

/** Hooks of the repository are for people who commit. */
const OWN = ["-c", "core.hooksPath=/dev/null", "-c", "core.fsmonitor=false", "-c", "commit.gpgSign=false"]

const git =
  (env: ChildVariables) =>
  (cwd: string, args: ReadonlyArray<string>): Effect.Effect<ProgramEnd, BatchError> =>
    runProgram({
      argv: ["git", ...OWN, ...args],
      notIn: cwd,
      cwd,
      env,
      timeout: GIT_WITHIN,
      maxOutputBytes: MAX_PATCH_BYTES,
      reach: "group",
      leftovers: "end",
      grace: "2 seconds"
    }).pipe(
      Effect.mapError(({ code, detail }) =>
        fault(code === "ENOENT" ? "git is not installed, or the folder is gone" : `git ${detail}`)
      ),
      Effect.flatMap((end) =>
        end.exitCode === 0
          ? Effect.succeed(end)
          : Effect.fail(fault(`git ${args[0]}: ${end.stderr.trim().split("\n").at(-1) ?? "failed"}`))
      )
    )

const fault = (message: string): BatchError =>
  new BatchError({ kind: "storage", message: `--worktree-per-item: ${message}`, hint: "What is done is kept." })
