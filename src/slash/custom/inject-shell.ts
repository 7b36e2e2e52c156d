/** The output of a shell command inside a prompt. A failed command says so behind its output and does not fail the prompt. */
import { Duration, Effect } from "effect"
import { Workspace } from "../../files/workspace.ts"
import { Shell } from "../../shell/shell.ts"
import type { ShellResult } from "../../shell/shell-command.ts"
import { CommandError } from "../command-error.ts"
import { headAndTail } from "../shell/head-and-tail.ts"

/** Characters of one output. */
const MAX_OUTPUT = 100_000

export const injectShell = Effect.fn("injectShell")(function* (command: string) {
  const workspace = yield* Workspace
  const shell = yield* Shell
  const { command: tree, result } = yield* shell
    .run({ command, cwd: workspace.targetDir }, () => Effect.void)
    .pipe(Effect.mapError((error) => new CommandError({ kind: "failed", detail: error.message })))
  // The prompt has its output; what was left behind has nobody to read it.
  if (result.backgroundPids.length > 0) yield* tree.end
  return [headAndTail(result.output, MAX_OUTPUT), ...endLines(command, result)].filter((text) => text !== "").join("\n")
})

const endLines = (command: string, { exitCode, signal, timedOut }: ShellResult): ReadonlyArray<string> => {
  if (timedOut !== undefined) {
    return [`[The command ${quoted(command)} was ended after ${Duration.format(timedOut.silence)} without output]`]
  }
  if (signal !== null) return [`[The command ${quoted(command)} was ended by signal ${signal}]`]
  return exitCode === 0 || exitCode === null
    ? []
    : [`[The command ${quoted(command)} ended with exit code ${exitCode}]`]
}

const quoted = (command: string): string => `'${command.replace(/\s+/g, " ")}'`
