/**
 * `gemini sandbox check` tries every promise of the sandbox that a run here would have; `gemini sandbox run -- CMD` starts
 * one command inside it. Where no sandbox is asked for, it is the best one that works.
 */
import * as Args from "@effect/cli/Args"
import * as Command from "@effect/cli/Command"
import * as Options from "@effect/cli/Options"
import { Effect, Either, Ref } from "effect"
import { includeDirectories } from "../../config/workspace-roots.ts"
import { ExitCode } from "../../protocol/exit-code.ts"
import { makeSandbox, wishOf } from "../../sandbox/from-config.ts"
import type { SandboxUnavailable } from "../../sandbox/sandbox-unavailable.ts"
import { checkSandbox, checkText } from "../../sandbox/self-check.ts"
import { childVariables } from "../../system/child-variables.ts"
import { runAtTerminal } from "../../system/programs.ts"
import { CliContext } from "../cli-context.ts"
import { CommandExit } from "../command-exit.ts"
import { defineSubcommand } from "../subcommand.ts"
import { UsageError, usageError } from "../usage-error.ts"
import { jsonDocument } from "./command-output.ts"
import { json } from "./common-options.ts"
import { loadSettings } from "./load-settings.ts"

const check = Command.make("check", { json }, (options) =>
  Effect.scoped(
    Effect.gen(function* () {
      const { cwd, write } = yield* CliContext
      const result = yield* checkSandbox(yield* sandboxHere, { cwd })
      yield* write(options.json ? jsonDocument(result) : checkText(result))
      if (!result.holds) yield* exitWith(ExitCode.general)
    })
  )
).pipe(
  Command.withDescription(
    "What a run here is kept to, each promise tried; exit 1 when one does not hold, 44 without any sandbox."
  )
)

const readOnly = Options.boolean("read-only").pipe(
  Options.withDescription("As commands that run without a question: nothing is written, no network.")
)
const command = Args.text({ name: "command" })
const args = Args.text({ name: "args" }).pipe(Args.repeated)

const run = Command.make("run", { readOnly, command, args }, (options) =>
  Effect.scoped(
    Effect.gen(function* () {
      const { cwd, env } = yield* CliContext
      const argv = [options.command, ...options.args]
      const sandbox = yield* sandboxHere
      const inherits = Object.fromEntries(
        Object.entries(env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]]))
      )
      const program = yield* sandbox
        .confine(
          { argv, cwd, env: childVariables({ inherits }) },
          { access: options.readOnly ? "read" : "write", usesGit: argv.some((word) => /\bgit\b/.test(word)) }
        )
        .pipe(Effect.mapError(({ message }) => failure(message, "")))
      yield* exitWith(
        yield* runAtTerminal(program, "inherit").pipe(
          Effect.mapError(({ message }) => usageError(message)),
          Effect.ensuring(program.afterwards ?? Effect.void)
        )
      )
    })
  )
).pipe(Command.withDescription("Run one command as a sandboxed run would; its exit code is the result."))

export const subcommand = defineSubcommand({
  matching: "exact",
  command: Command.make("sandbox").pipe(
    Command.withDescription("Try the sandbox, and run a command in it."),
    Command.withSubcommands([check, run])
  ),
  passesOptions: ["run"],
  examples: ["gemini sandbox check", "GEMINI_SANDBOX=landlock gemini sandbox run -- make test"]
})

const sandboxHere = Effect.gen(function* () {
  const config = yield* loadSettings()
  const asked = wishOf(config, undefined)
  const wish = Either.flatMap(asked, (found) => (found === undefined ? wishOf(config, true) : Either.right(found)))
  if (Either.isLeft(wish)) return yield* unavailable(wish.left)
  const { writeError } = yield* CliContext
  const warn = (text: string) => writeError(`[WARNING] ${text}\n`)
  const roots = [config.environment.cwd, ...includeDirectories(config, [])]
  return yield* makeSandbox({ config, wish: wish.right, roots: Effect.succeed(roots), readablePaths: [], warn }).pipe(
    Effect.catchTag("SandboxUnavailable", unavailable)
  )
})

const exitWith = (code: number) => Effect.flatMap(CommandExit, (exit) => Ref.set(exit, code))

const unavailable = ({ advice, message }: SandboxUnavailable) => failure(message, advice)

const failure = (message: string, hint: string): UsageError =>
  new UsageError({ message, hint, exitCode: ExitCode.sandbox })
