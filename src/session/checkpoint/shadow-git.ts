/**
 * Git on a repository of our own, with the project as its work tree. Nothing of the user's git takes part: no
 * configuration, no hooks, no attributes, no variables; the user's repository is neither read nor written. Every command
 * has a time limit.
 */
import { join } from "node:path"
import { Duration, Effect, Schema } from "effect"

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

/** Fails only where git could not be started or did not end in time. `input` goes to its standard input. */
export const runGit = (place: ShadowPlace, args: ReadonlyArray<string>, input?: string) =>
  Effect.tryPromise({
    try: async (signal): Promise<GitEnd> => {
      const child = Bun.spawn(["git", ...SETTINGS, ...args], {
        cwd: place.workTree,
        env: environmentOf(place),
        stdin: input === undefined ? "ignore" : new Blob([input]),
        stdout: "pipe",
        stderr: "pipe",
        signal
      })
      const [stdout, stderr] = await Promise.all([child.stdout.text(), child.stderr.text()])
      return { exitCode: await child.exited, stdout, stderr }
    },
    catch: () => new ShadowError({ kind: "missing", detail: "" })
  }).pipe(
    Effect.interruptible,
    Effect.timeoutFail({
      duration: LIMIT,
      onTimeout: () => new ShadowError({ kind: "timeout", detail: Duration.format(LIMIT) })
    })
  )

const NAME = "Gemini CLI"
const EMAIL = "gemini-cli@google.com"

export const IDENTITY = `[user]\n\tname = ${NAME}\n\temail = ${EMAIL}\n[commit]\n\tgpgsign = false\n`

const environmentOf = ({ historyDir, path, workTree }: ShadowPlace): Record<string, string> => ({
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
})
