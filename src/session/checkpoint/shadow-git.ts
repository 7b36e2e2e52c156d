/**
 * Git on a repository of our own, with the project as its work tree. Nothing of the user's git takes part: no
 * configuration, no hooks, no attributes, no variables; the user's repository is neither read nor written. Every command
 * has a time limit.
 */
import { join } from "node:path"
import { Duration, Effect, Schema } from "effect"
import { type ChildVariables, childVariables } from "../../system/child-variables.ts"
import { type ProgramError, runProgram } from "../../system/programs.ts"

export interface ShadowPlace {
  /** `~/.gemini/history/<project>`; the repository is its `.git`. */
  readonly historyDir: string
  readonly workTree: string
  /** For finding git. */
  readonly path: string | undefined
}

export interface GitEnd {
  readonly exitCode: number
  readonly stdout: string
  readonly stderr: string
}

export class ShadowError extends Schema.TaggedError<ShadowError>()("ShadowError", {
  /** `missing`: there is no git. `busy`: another process works with the repository. `damaged`: it cannot be used. */
  kind: Schema.Literal("missing", "busy", "damaged", "timeout", "no-commit", "write"),
  detail: Schema.String
}) {
  override get message() {
    return MESSAGE[this.kind](this.detail)
  }
}

const MESSAGE: Record<ShadowError["kind"], (detail: string) => string> = {
  missing: () => "git is not installed",
  busy: () => "another process works with the checkpoints of this project",
  damaged: (detail) => `the checkpoints of this project are damaged (${detail})`,
  timeout: (detail) => `git took longer than ${detail}`,
  "no-commit": (detail) => `the files of this checkpoint are lost (commit ${detail})`,
  write: (detail) => `the checkpoint cannot be written (${detail})`
}

const LIMIT = Duration.seconds(60)

/** Content is kept byte by byte: no line ends, filters or encodings are converted, whatever the project says. */
const SETTINGS = [
  "core.autocrlf=false",
  "core.safecrlf=false",
  "core.hooksPath=/dev/null",
  "core.fsmonitor=false",
  "core.untrackedCache=false",
  "core.excludesFile=",
  "core.attributesFile=",
  "core.quotePath=false",
  "core.looseCompression=1",
  "advice.addEmbeddedRepo=false",
  "commit.gpgSign=false",
  "gc.auto=0",
  "core.logAllRefUpdates=false",
  "maintenance.auto=false"
].flatMap((setting) => ["-c", setting])

/** Lists of paths, at the most. */
const MAX_OUTPUT_BYTES = 256 * 1024 * 1024

/** Fails only where git could not be started or did not end in time. `input` goes to its standard input. */
export const runGit = (place: ShadowPlace, args: ReadonlyArray<string>, input?: string) =>
  runProgram({
    argv: ["git", ...SETTINGS, ...args],
    notIn: place.workTree,
    cwd: place.workTree,
    env: environmentOf(place),
    ...(input === undefined ? {} : { stdin: input }),
    timeout: LIMIT,
    maxOutputBytes: MAX_OUTPUT_BYTES,
    reach: "group",
    leftovers: "keep",
    grace: "1 second"
  }).pipe(
    Effect.map(({ exitCode, stderr, stdout }): GitEnd => ({ exitCode: exitCode ?? ENDED_BY_SIGNAL, stdout, stderr })),
    Effect.mapError(({ detail, kind }) => TROUBLE[kind](detail)),
    Effect.interruptible
  )

/** As a shell counts it; any failure would do. */
const ENDED_BY_SIGNAL = 128

const TROUBLE: Record<ProgramError["kind"], (detail: string) => ShadowError> = {
  start: () => new ShadowError({ kind: "missing", detail: "" }),
  timeout: () => new ShadowError({ kind: "timeout", detail: Duration.format(LIMIT) }),
  output: (detail) => new ShadowError({ kind: "write", detail: `git ${detail}` })
}

const NAME = "Gemini CLI"
const EMAIL = "gemini-cli@google.com"

export const IDENTITY = `[user]\n\tname = ${NAME}\n\temail = ${EMAIL}\n[commit]\n\tgpgsign = false\n`

const environmentOf = ({ historyDir, path, workTree }: ShadowPlace): ChildVariables =>
  childVariables({
    inherits: {},
    given: {
      ...(path === undefined ? {} : { PATH: path }),
      LC_ALL: "C",
      HOME: historyDir,
      GIT_DIR: join(historyDir, ".git"),
      GIT_WORK_TREE: workTree,
      GIT_CONFIG_GLOBAL: join(historyDir, ".gitconfig"),
      GIT_CONFIG_SYSTEM: "/dev/null",
      GIT_CONFIG_NOSYSTEM: "1",
      GIT_ATTR_NOSYSTEM: "1",
      GIT_TERMINAL_PROMPT: "0",
      GIT_AUTHOR_NAME: NAME,
      GIT_AUTHOR_EMAIL: EMAIL,
      GIT_COMMITTER_NAME: NAME,
      GIT_COMMITTER_EMAIL: EMAIL
    }
  })
