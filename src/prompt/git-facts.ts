/**
 * What git says of the working folder: files that differ, and the last commits. Git is started while the rest of the run
 * is made, starts nothing that the repository names, and whoever needs the facts waits for it a moment only.
 */
import { join } from "node:path"
import { Duration, Effect, Fiber } from "effect"
import { unaskedEnvironment } from "../shell/unasked-environment.ts"
import { childVariables, type Variables } from "../system/child-variables.ts"
import { runProgram } from "../system/programs.ts"
import type { GitPlace } from "./git-place.ts"
import { readTextHead } from "./text-head.ts"

export interface GitFactsInput {
  readonly cwd: string
  readonly git: GitPlace
  readonly variables: Variables
  /** Longest time of both commands together. */
  readonly within: Duration.DurationInput
}

const MAX_FILES = 20
const MAX_COMMITS = 5
const MAX_LINE = 120
const MAX_OUTPUT_BYTES = 64 * 1024
const MAX_CONFIG_BYTES = 64 * 1024

/** Begins at once; the effect inside waits for the lines. */
export const startGitFacts = (input: GitFactsInput): Effect.Effect<Effect.Effect<ReadonlyArray<string>>> =>
  // It has a limit of its own, and nobody is there yet who could own it.
  Effect.map(Effect.forkDaemon(Effect.interruptible(gitFacts(input))), Fiber.join)

const gitFacts = (input: GitFactsInput) =>
  Effect.all([namesPrograms(input.git) ? Effect.succeed([]) : changedFiles(input), lastCommits(input)], {
    concurrency: 2
  }).pipe(Effect.map((parts) => parts.flat()))

/** Filters run while files are compared, and nothing switches them off. */
const namesPrograms = ({ root }: GitPlace): boolean => {
  const config = readTextHead(join(root, ".git", "config"), MAX_CONFIG_BYTES)
  return config.kind === "text" && (config.isCut || /^\s*\[\s*(?:filter|include)/im.test(config.text))
}

const changedFiles = (input: GitFactsInput) =>
  Effect.map(git(input, ["status", "--porcelain=v1", "--ignore-submodules=all"]), (lines) => {
    if (lines === undefined) return []
    if (lines.length === 0) return ["Nothing differs from the last commit."]
    const more = lines.length > MAX_FILES ? [`  ... and ${lines.length - MAX_FILES} more`] : []
    return ["Differs from the last commit (git status):", ...shown(lines.slice(0, MAX_FILES)), ...more]
  })

const lastCommits = (input: GitFactsInput) =>
  Effect.map(git(input, ["log", `-${MAX_COMMITS}`, "--format=%h %s", "--no-color"]), (lines) =>
    lines === undefined || lines.length === 0 ? [] : ["Last commits:", ...shown(lines)]
  )

const shown = (lines: ReadonlyArray<string>): ReadonlyArray<string> =>
  lines.map((line) => `  ${line.length > MAX_LINE ? `${line.slice(0, MAX_LINE)}...` : line}`)

/** Its lines; `undefined` where it has none to say in time, or cannot be run. */
const git = ({ cwd, variables, within }: GitFactsInput, words: ReadonlyArray<string>) =>
  runProgram({
    argv: ["git", ...words],
    notIn: cwd,
    cwd,
    env: unaskedEnvironment(childVariables({ inherits: variables }), { gitAttributes: "", ripgrepConfig: "" }),
    timeout: within,
    maxOutputBytes: MAX_OUTPUT_BYTES,
    onTooMuch: "drop",
    reach: "group",
    leftovers: "keep",
    grace: Duration.millis(50)
  }).pipe(
    Effect.map(({ exitCode, stdout }) =>
      exitCode === 0 ? stdout.split("\n").filter((line) => line.trim() !== "") : undefined
    ),
    Effect.orElseSucceed(() => undefined)
  )
