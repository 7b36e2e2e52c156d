/**
 * `gemini sandbox check` tries every promise of the sandbox that a run here would have; `gemini sandbox run -- CMD` starts
 * one command inside it. The words after `--` belong to the command, so the command line is read here.
 */
import { Effect, Either } from "effect"
import { includeDirectories } from "../../config/include-directories.ts"
import { jsonText } from "../../kernel/readable-text.ts"
import { ExitCode } from "../../protocol/exit-code.ts"
import { makeSandbox, wishOf } from "../../sandbox/from-config.ts"
import type { SandboxUnavailable } from "../../sandbox/sandbox-unavailable.ts"
import { checkSandbox, checkText } from "../../sandbox/self-check.ts"
import { childVariables } from "../../system/child-variables.ts"
import { runAtTerminal } from "../../system/programs.ts"
import { CliContext, type CliContextView } from "../cli-context.ts"
import { UsageError, usageError } from "../usage-error.ts"
import { loadSettings } from "./load-settings.ts"

export const runSandboxCommand = Effect.fnUntraced(function* (args: ReadonlyArray<string>, context: CliContextView) {
  const end = args.includes("--") ? args.indexOf("--") : args.length
  const [verb, ...options] = args.slice(0, end)
  const command = args.slice(end + 1)
  const program =
    verb === "run"
      ? run(options, command)
      : command.length > 0 || options.some((option) => option !== "--json")
        ? usageError("gemini sandbox check takes --json only", "See gemini sandbox --help.")
        : check(options.includes("--json"))
  return yield* Effect.scoped(program).pipe(Effect.provideService(CliContext, context))
})

const check = Effect.fnUntraced(function* (json: boolean) {
  const { cwd, write } = yield* CliContext
  const sandbox = yield* sandboxHere()
  const result = yield* checkSandbox(sandbox, { cwd })
  yield* write(json ? `${jsonText(result, 2)}\n` : checkText(result))
  return result.holds ? ExitCode.success : ExitCode.general
})

const run = Effect.fnUntraced(function* (options: ReadonlyArray<string>, command: ReadonlyArray<string>) {
  const isReading = options.includes("--read-only")
  const unknown = options.find((option) => option !== "--read-only")
  if (unknown !== undefined) {
    return yield* usageError(`Unknown option ${unknown}`, "The command stands behind --: gemini sandbox run -- make")
  }
  if (command.length === 0) return yield* usageError("There is no command", "Write: gemini sandbox run -- make test")
  const { env, cwd } = yield* CliContext
  const sandbox = yield* sandboxHere()
  const inherits = Object.fromEntries(
    Object.entries(env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]]))
  )
  const program = yield* sandbox
    .confine(
      { argv: command, cwd, env: childVariables({ inherits }) },
      { access: isReading ? "read" : "write", usesGit: command.some((word) => /\bgit\b/.test(word)) }
    )
    .pipe(Effect.mapError(({ message }) => sandboxFailure(message, "")))
  return yield* runAtTerminal(program, "inherit").pipe(Effect.mapError(({ message }) => usageError(message)))
})

/** The one that a run in this folder would have; where none is asked for, the best that works. */
const sandboxHere = Effect.fnUntraced(function* () {
  const config = yield* loadSettings()
  const asked = wishOf(config, undefined)
  const wish = Either.flatMap(asked, (found) => (found === undefined ? wishOf(config, true) : Either.right(found)))
  if (Either.isLeft(wish)) return yield* unavailable(wish.left)
  const roots = [config.environment.cwd, ...includeDirectories(config, [])]
  return yield* makeSandbox({ config, wish: wish.right, roots: Effect.succeed(roots), readablePaths: [] }).pipe(
    Effect.catchTag("SandboxUnavailable", unavailable)
  )
})

const unavailable = ({ advice, message }: SandboxUnavailable) => sandboxFailure(message, advice)

const sandboxFailure = (message: string, hint: string): UsageError =>
  new UsageError({ message, hint, exitCode: ExitCode.sandbox })
