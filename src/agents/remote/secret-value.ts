/**
 * Secrets of a definition: written out, the name of a variable (`$NAME`), or a command that prints it (`!command`).
 * `$$` and `!!` stand for the sign itself.
 */
import { Duration, Effect } from "effect"

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
