/** Runs a sub-command in process, in `project` below a temporary folder, with `home` beside it and nothing inherited. */
import { mkdirSync } from "node:fs"
import { join } from "node:path"
import { Effect, Either } from "effect"
import { matchSubcommand, type SubcommandInvocation } from "../../src/cli/subcommand-match.ts"

/** The sub-command that these words are; anything else is a mistake of the test. */
export const invocationOf = (argv: ReadonlyArray<string>): SubcommandInvocation => {
  const match = Either.getOrThrow(matchSubcommand(argv))
  if (match._tag !== "Subcommand") throw new Error(`no sub-command: ${argv.join(" ")}`)
  return match.invocation
}

/**
 * `env`: added to the variables; the folder is trusted unless they say otherwise. `answers`: what somebody enters at one
 * question after the other; there is nobody once they are used up.
 */
export const runIn = (
  root: string,
  argv: ReadonlyArray<string>,
  env: Readonly<Record<string, string>> = {},
  answers: ReadonlyArray<string> = []
) =>
  Effect.gen(function* () {
    const waiting = [...answers]
    const out: Array<string> = []
    const err: Array<string> = []
    const cwd = join(root, "project")
    mkdirSync(cwd, { recursive: true })
    const { runSubcommand } = yield* Effect.promise(() => import("../../src/cli/subcommand-runner.ts"))
    const code = yield* runSubcommand(invocationOf(argv), {
      cwd,
      env: {
        HOME: join(root, "home"),
        PATH: "/usr/local/bin:/usr/bin:/bin",
        GEMINI_CLI_SYSTEM_SETTINGS_PATH: join(root, "system/settings.json"),
        GEMINI_CLI_SYSTEM_DEFAULTS_PATH: join(root, "system/defaults.json"),
        GEMINI_CLI_TRUST_WORKSPACE: "true",
        ...env
      },
      write: (text) => Effect.sync(() => void out.push(text)),
      writeError: (text) => Effect.sync(() => void err.push(text)),
      ask: (question) =>
        Effect.sync(() => {
          err.push(`${question} `)
          return waiting.shift()
        }),
      serve: () => Effect.dieMessage("nothing is served here"),
      serveTasks: () => Effect.dieMessage("nothing is served here"),
      batch: () => Effect.dieMessage("nothing is served here"),
      tendJobs: () => Effect.dieMessage("nothing is served here")
    })
    return { code, out: out.join(""), err: err.join("") }
  })
