/**
 * Secrets of a definition: written out, the name of a variable (`$NAME`), or a command that prints it (`!command`).
 * `$$` and `!!` stand for the sign itself.
 */
import { Duration, Effect } from "effect"
import type { ChildVariables } from "../../system/child-variables.ts"
import { type ProgramError, runProgram } from "../../system/programs.ts"

export interface SecretSources {
  readonly variable: (name: string) => string | undefined
  /** What the command prints; fails with a reason. */
  readonly output: (command: string) => Effect.Effect<string, string>
}

const COMMAND_WITHIN = Duration.seconds(60)

/** Fails with a reason that does not hold the secret. */
export const secretValue = (written: string, { output, variable }: SecretSources): Effect.Effect<string, string> => {
  if (written.startsWith("$$") || written.startsWith("!!")) return Effect.succeed(written.slice(1))
  if (written.startsWith("$")) {
    const name = written.slice(1).replace(/^\{(.*)\}$/, "$1")
    const value = variable(name)
    return value === undefined || value === "" ? Effect.fail(`the variable ${name} is not set`) : Effect.succeed(value)
  }
  if (!written.startsWith("!")) return Effect.succeed(written)
  return output(written.slice(1).trim()).pipe(
    Effect.timeoutFail({
      duration: COMMAND_WITHIN,
      onTimeout: () => `its command took longer than ${Duration.format(COMMAND_WITHIN)}`
    }),
    Effect.map((text) => text.trim()),
    Effect.filterOrFail(
      (text) => text !== "",
      () => "its command printed nothing"
    )
  )
}

const MAX_BYTES = 64 * 1024

interface CommandPlace {
  readonly env: ChildVariables
  readonly platform: NodeJS.Platform
  readonly cwd: string
}

/**
 * What a short command of the user's own prints, for secrets that a program keeps. One that fails, prints without end or
 * is not wanted any more is ended with its children.
 */
export const commandOutput =
  ({ cwd, env, platform }: CommandPlace) =>
  (command: string): Effect.Effect<string, string> =>
    runProgram({
      argv: platform === "win32" ? ["cmd", "/d", "/s", "/c", command] : ["/bin/sh", "-c", command],
      cwd,
      env,
      maxOutputBytes: MAX_BYTES,
      reach: "group",
      // What a command that did its work leaves running is meant to run, such as an agent that keeps a passphrase.
      leftovers: "keep",
      grace: 0
    }).pipe(
      Effect.mapError(({ kind }) => TROUBLE[kind]),
      Effect.filterOrFail(
        ({ exitCode }) => exitCode === 0,
        ({ exitCode, signal }) => `its command ended with ${signal ?? `exit code ${exitCode}`}`
      ),
      Effect.map(({ stdout }) => stdout)
    )

const TROUBLE: Record<ProgramError["kind"], string> = {
  start: "its command cannot be started",
  timeout: "its command took too long",
  output: "its command printed more than 64 KiB"
}
