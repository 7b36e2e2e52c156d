/**
 * A sub-command as its file exports it: an `@effect/cli` command, and what that cannot say. Its name, verbs, arguments,
 * options and texts are read from the command.
 *
 * The entry point of `@effect/cli` is not used: that one adds `--wizard`, `--log-level` and `--completions`, and prints
 * errors in colour over many lines.
 */
import * as CliConfig from "@effect/cli/CliConfig"
import type * as Command from "@effect/cli/Command"
import * as CommandDescriptor from "@effect/cli/CommandDescriptor"
import * as FileSystem from "@effect/platform/FileSystem"
import * as Path from "@effect/platform/Path"
import * as Terminal from "@effect/platform/Terminal"
import { Effect, Layer, Ref } from "effect"
import { ExitCode } from "../protocol/exit-code.ts"
import type { StorageError } from "../system/storage-error.ts"
import { CliContext, type CliContextView } from "./cli-context.ts"
import { CommandExit } from "./command-exit.ts"
import { type CommandGrammar, grammarOf, plainText } from "./command-grammar.ts"
import { readSubcommandArguments } from "./subcommand-arguments.ts"
import type { SubcommandFacts } from "./subcommand-row.ts"
import { type UsageError, usageError } from "./usage-error.ts"

export interface Subcommand extends SubcommandFacts {
  readonly descriptor: CommandDescriptor.Command<unknown>
  /** The descriptor as rows. */
  readonly grammar: CommandGrammar
  /** Verbs whose words are not ours: options that they do not know are words of somebody else. */
  readonly passesOptions: ReadonlyArray<string>
  readonly examples: ReadonlyArray<string>
  /** `args` without the name of the command. The exit code is 0 unless the command sets another one. */
  readonly run: (
    args: ReadonlyArray<string>,
    context: CliContextView
  ) => Effect.Effect<number, UsageError | StorageError>
}

type Definition<Name extends string, A> = Partial<SubcommandFacts> &
  Partial<Pick<Subcommand, "passesOptions" | "examples">> & {
    readonly matching: SubcommandFacts["matching"]
    readonly command: Command.Command<Name, CliContext | CommandExit, UsageError | StorageError, A>
  }

export const defineSubcommand = <Name extends string, A>({
  aliases = [],
  command,
  examples = [],
  ids = [],
  idVerb,
  matching,
  passesOptions = []
}: Definition<Name, A>): Subcommand => {
  const grammar = grammarOf(command.descriptor)
  return {
    aliases,
    descriptor: command.descriptor,
    examples,
    grammar,
    ids,
    idVerb,
    matching,
    passesOptions,
    run: (args, context) =>
      Effect.flatMap(readSubcommandArguments(grammar, args, passesOptions), (tokens) =>
        runCommand(command, [grammar.name, ...tokens], context)
      )
  }
}

const runCommand = <Name extends string, E, A>(
  command: Command.Command<Name, CliContext | CommandExit, E, A>,
  tokens: ReadonlyArray<string>,
  context: CliContextView
): Effect.Effect<number, E | UsageError> =>
  Effect.gen(function* () {
    const [name = ""] = tokens
    const directive = yield* CommandDescriptor.parse(command.descriptor, tokens, CliConfig.defaultConfig).pipe(
      Effect.catchAll(({ error }) => usageError(plainText(error), `See gemini ${name} --help.`))
    )
    if (directive._tag === "BuiltIn") return yield* Effect.dieMessage(`${tokens.join(" ")} is no command of ours`)
    const exit = yield* Ref.make<number>(ExitCode.success)
    yield* command
      .transform(command.handler(directive.value), directive.value)
      .pipe(Effect.provideService(CommandExit, exit))
    return yield* Ref.get(exit)
  }).pipe(Effect.provideService(CliContext, context), Effect.provide(parserServices))

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
