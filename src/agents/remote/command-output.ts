/**
 * What a short command of the user's own prints, for secrets that a program keeps. One that fails, prints without end or
 * is not wanted any more is ended with its children.
 */
import { Effect } from "effect"
import type { ChildVariables } from "../../system/child-variables.ts"
import { type ProgramError, runProgram } from "../../system/programs.ts"

const MAX_BYTES = 64 * 1024

export interface CommandPlace {
  readonly env: ChildVariables
  readonly platform: NodeJS.Platform
  readonly cwd: string
}

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
