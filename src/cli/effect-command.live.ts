/**
 * Runs one command of `@effect/cli`. Its own entry point is not used: that one adds `--wizard`, `--log-level` and
 * `--completions`, and prints errors in colour over many lines.
 */
import * as CliConfig from "@effect/cli/CliConfig"
import type * as Command from "@effect/cli/Command"
import * as CommandDescriptor from "@effect/cli/CommandDescriptor"
import * as HelpDoc from "@effect/cli/HelpDoc"
import type { ValidationError } from "@effect/cli/ValidationError"
import * as FileSystem from "@effect/platform/FileSystem"
import * as Path from "@effect/platform/Path"
import * as Terminal from "@effect/platform/Terminal"
import { Effect, Layer, Ref } from "effect"
import { ExitCode } from "../protocol/exit-code.ts"
import { CliContext, type CliContextView } from "./cli-context.ts"
import { CommandExit } from "./command-exit.ts"
import { surplusArgument, type UsageError, usageError } from "./usage-error.ts"

/** `args` without the name of the command. The exit code is 0 unless the command sets another one. */
export const runEffectCommand = <Name extends string, E, A>(
  command: Command.Command<Name, CliContext | CommandExit, E, A>,
  args: ReadonlyArray<string>,
  context: CliContextView
): Effect.Effect<number, E | UsageError> =>
  Effect.gen(function* () {
    const [name = ""] = CommandDescriptor.getNames(command.descriptor)
    const refuse = (message: string) => Effect.fail(usageError(message, `See gemini ${name} --help.`))
    const directive = yield* CommandDescriptor.parse(command.descriptor, [name, ...args], CliConfig.defaultConfig).pipe(
      Effect.catchAll((error) => refuse(plainMessage(error)))
    )
    if (directive._tag === "BuiltIn") {
      return yield* refuse(`Unknown option ${args.find((arg) => BUILT_IN.test(arg)) ?? ""}`)
    }
    const [surplus] = directive.leftover
    if (surplus !== undefined) return yield* surplusArgument(name, surplus)
    const exit = yield* Ref.make<number>(ExitCode.success)
    yield* command
      .transform(command.handler(directive.value), directive.value)
      .pipe(Effect.provideService(CommandExit, exit))
    return yield* Ref.get(exit)
  }).pipe(Effect.provideService(CliContext, context), Effect.provide(parserServices))

const BUILT_IN = /^--(wizard|log-level|completions|version|help)\b/

const plainMessage = (error: ValidationError): string =>
  Bun.stripANSI(HelpDoc.toAnsiText(error.error)).replace(/\s+/g, " ").trim()

const noTerminal = Effect.dieMessage("sub-commands do not read the terminal")

/** The parser asks for these, but none of our arguments makes it use them. */
const parserServices = Layer.mergeAll(
  FileSystem.layerNoop({}),
  Path.layer,
  Layer.succeed(Terminal.Terminal, {
    columns: Effect.succeed(80),
    rows: Effect.succeed(24),
    isTTY: Effect.succeed(false),
    readInput: noTerminal,
    readLine: noTerminal,
    display: () => noTerminal
  })
)
