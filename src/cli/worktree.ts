/**
 * `--worktree`: a run in a git worktree of its own under `.gemini/worktrees` of the repository. It is made where it is
 * missing, entered where it is there, and removed after the run unless something in it would be lost.
 */
import { existsSync, realpathSync } from "node:fs"
import { dirname, join } from "node:path"
import { Effect } from "effect"
import { Stderr } from "../output/stderr.ts"
import { ExitCode } from "../protocol/exit-code.ts"
import { childVariables } from "../system/child-variables.ts"
import { runProgram } from "../system/programs.ts"
import { UsageError } from "./usage-error.ts"

export interface Worktree {
  readonly folder: string
  readonly repository: string
  readonly branch: string
  readonly isNew: boolean
}

const NAME = /^[A-Za-z0-9][\w.-]{0,63}$/
const ADJECTIVES = ["amber", "brisk", "calm", "dusky", "eager", "fresh", "green", "quiet", "rapid", "sunny"]
const NOUNS = ["birch", "cedar", "delta", "ember", "fjord", "grove", "heron", "inlet", "maple", "ridge"]

/** Variables as the program got them. */
type Env = Readonly<Record<string, string | undefined>>

export const enterWorktree = Effect.fn("App.enterWorktree")(function* (given: string, cwd: string, env: Env) {
  const name = given === "" ? madeUpName() : given
  if (!NAME.test(name)) {
    return yield* inputError(`--worktree cannot be "${name}"`, "Letters, digits, - . and _ may stand in a name.")
  }
  const repository = yield* git(env, cwd, ["rev-parse", "--show-toplevel"]).pipe(
    Effect.mapError(() => usage(`--worktree: ${cwd} is not in a git repository`, "Start it in one."))
  )
  const folder = join(repository.trim(), ".gemini", "worktrees", name)
  const places = dirname(folder)
  if (existsSync(places) && realpathSync(places) !== join(realpathSync(repository.trim()), ".gemini", "worktrees")) {
    return yield* usage(`--worktree: ${places} leads out of the repository`, "Remove the link.")
  }
  const branch = `worktree-${name}`
  const isNew = !existsSync(join(folder, ".git"))
  if (isNew) {
    const hasBranch = yield* Effect.isSuccess(
      git(env, cwd, ["rev-parse", "--verify", "--quiet", `refs/heads/${branch}`])
    )
    yield* git(env, repository.trim(), ["worktree", "add", folder, ...(hasBranch ? [branch] : ["-b", branch, "HEAD"])])
  }
  return { folder: realpathSync(folder), repository: repository.trim(), branch, isNew } satisfies Worktree as Worktree
})

/** Nothing is removed that cannot be had again: changes, new files and commits keep it. */
export const leaveWorktree = Effect.fn("App.leaveWorktree")(function* (
  { branch, folder, repository }: Worktree,
  env: Env
) {
  const stderr = yield* Stderr
  const kept = Effect.gen(function* () {
    const changes = yield* git(env, folder, ["status", "--porcelain"])
    if (changes.trim() !== "") return "it has changes"
    const commits = yield* git(env, folder, [
      "log",
      "--oneline",
      "-1",
      branch,
      "--not",
      "--exclude",
      branch,
      "--branches"
    ])
    if (commits.trim() !== "") return "it has commits"
    process.chdir(repository)
    yield* git(env, repository, ["worktree", "remove", folder])
    yield* Effect.ignore(git(env, repository, ["branch", "-D", branch]))
    return undefined
  })
  const reason = yield* Effect.orElseSucceed(kept, () => "it could not be removed")
  yield* stderr.notice(
    reason === undefined
      ? `[INFO] the worktree ${folder} was left without changes and is removed`
      : `[INFO] the worktree ${folder} is kept: ${reason} (branch ${branch})`
  )
})

const madeUpName = (): string => {
  const bytes = crypto.getRandomValues(new Uint8Array(3))
  const pick = (words: ReadonlyArray<string>, index: number): string =>
    words[(bytes[index] ?? 0) % words.length] ?? "tree"
  return `${pick(ADJECTIVES, 0)}-${pick(NOUNS, 1)}-${(bytes[2] ?? 0).toString(16).padStart(2, "0")}`
}

const git = Effect.fnUntraced(function* (env: Env, cwd: string, args: ReadonlyArray<string>) {
  const { exitCode, stderr, stdout } = yield* runProgram({
    // Hooks of the repository are not ours to run.
    argv: ["git", "-c", "core.hooksPath=/dev/null", ...args],
    notIn: cwd,
    cwd,
    env: childVariables({ inherits: defined(env) }),
    timeout: "60 seconds",
    maxOutputBytes: 1024 * 1024,
    onTooMuch: "drop",
    reach: "group",
    leftovers: "end",
    grace: "2 seconds"
  }).pipe(Effect.mapError(({ message }) => usage(`--worktree: ${message}`)))
  if (exitCode !== 0) return yield* inputError(`--worktree: git ${args[0]}: ${stderr.trim().split("\n").at(-1) ?? ""}`)
  return stdout
})

const defined = (env: Env): Record<string, string> =>
  Object.fromEntries(Object.entries(env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])))

const usage = (message: string, hint = "See gemini --help."): UsageError =>
  new UsageError({ message, hint, exitCode: ExitCode.input })
const inputError = (message: string, hint?: string) => Effect.fail(usage(message, hint))
