/** Installs the companion into an editor that is a descendant of VS Code, by the editor's own command. */
import { Data, Effect } from "effect"
import type { EnvironmentView } from "../config/environment.ts"
import { childVariables } from "../system/child-variables.ts"
import { machineProgram, runProgram } from "../system/programs.ts"

export class InstallError extends Data.TaggedError("InstallError")<{ readonly message: string }> {}

const EXTENSION = "google.gemini-cli-vscode-ide-companion"

/** Downloads on slow lines. */
const WITHIN = "3 minutes"

interface Editor {
  readonly name: string
  readonly commands: ReadonlyArray<string>
  /** The program runs in a terminal of it. */
  readonly isAround: (environment: EnvironmentView) => boolean
}

const EDITORS: ReadonlyArray<Editor> = [
  { name: "Positron", commands: ["positron"], isAround: ({ get }) => get("POSITRON") === "1" },
  {
    name: "Antigravity",
    commands: ["agy", "antigravity"],
    isAround: ({ get }) => get("ANTIGRAVITY_CLI_ALIAS") !== undefined
  },
  { name: "VS Code", commands: ["code"], isAround: ({ get }) => get("TERM_PROGRAM") === "vscode" }
]

/** The name of the editor that has it now. */
export const installCompanion = Effect.fn("Ide.install")(function* (environment: EnvironmentView) {
  const PATH = environment.get("PATH") ?? ""
  const known = [...EDITORS].sort(
    (one, other) => Number(other.isAround(environment)) - Number(one.isAround(environment))
  )
  const found = known.flatMap(({ commands, name }) =>
    commands.flatMap((command) => {
      const program = machineProgram(command, PATH, environment.cwd)
      return program === null ? [] : [{ name, program }]
    })
  )[0]
  if (found === undefined) {
    const tried = EDITORS.flatMap(({ commands }) => commands).join(", ")
    return yield* new InstallError({
      message: `No editor was found that it could be installed into (looked for ${tried} on PATH). Install the extension ${EXTENSION} in your editor by hand.`
    })
  }
  const { name, program } = found
  const end = yield* runProgram({
    argv: [program, "--install-extension", EXTENSION, "--force"],
    cwd: environment.home ?? environment.cwd,
    env: childVariables({ inherits: environment.variables }),
    timeout: WITHIN,
    maxOutputBytes: 64 * 1024,
    onTooMuch: "drop",
    reach: "group",
    leftovers: "keep",
    grace: "1 second"
  }).pipe(Effect.mapError(({ message }) => new InstallError({ message })))
  if (end.exitCode === 0) return name
  const said = end.stderr.trim() || end.stdout.trim()
  return yield* new InstallError({ message: `${program} could not install it: ${said || `exit code ${end.exitCode}`}` })
})
