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
import { Effect, Either, Layer, Ref } from "effect"
import { ExitCode } from "../protocol/exit-code.ts"
import type { StorageError } from "../system/storage-error.ts"
import { CliContext, type CliContextView } from "./cli-context.ts"
import { CommandExit } from "./command-exit.ts"
import { type CommandGrammar, grammarOf, plainText } from "./command-grammar.ts"
import type { OptionRow } from "./option-row.ts"
import { looksLikeOption, readOption } from "./parse-argv.ts"
import type { SubcommandFacts } from "./subcommand-row.ts"
import { surplusArgument, type UsageError, usageError } from "./usage-error.ts"

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

// The command line of a sub-command, in the dialect of the options of a run. `@effect/cli` gets it in the one form that
// it cannot take for something else: the verb, the options one by one, `--`, the words. By itself it takes an option
// that it does not know for a word.

/**
 * `args` without the name of the sub-command. `passing`: verbs for which options that they do not know are words, once
 * every argument that has a name of its own is there.
 */
const readSubcommandArguments = (
  command: CommandGrammar,
  args: ReadonlyArray<string>,
  passing: ReadonlyArray<string> = []
): Either.Either<ReadonlyArray<string>, UsageError> =>
  Either.gen(function* () {
    const at = args.findIndex((arg) => !looksLikeOption(arg))
    const verb = command.verbs.find(({ name }) => name === args[at])
    const grammar = verb ?? command
    const given = yield* readTokens(grammar.options, verb === undefined ? args : args.toSpliced(at, 1), {
      passesAfter: verb !== undefined && passing.includes(verb.name) ? ownArguments(grammar) : Number.POSITIVE_INFINITY,
      hint: `See gemini ${command.name} --help.`
    })
    const surplus = grammar.args.some(({ isRepeated }) => isRepeated) ? undefined : given.words[grammar.args.length]
    if (surplus !== undefined) return yield* Either.left(surplusArgument(command.name, surplus))
    return [...(verb === undefined ? [] : [verb.name]), ...given.options, "--", ...given.words]
  })

const ownArguments = ({ args }: CommandGrammar): number => args.filter(({ isRepeated }) => !isRepeated).length

interface Reading {
  /** So many words have to come before an unknown option is one. */
  readonly passesAfter: number
  readonly hint: string
}

const readTokens = (rows: ReadonlyArray<OptionRow>, args: ReadonlyArray<string>, { hint, passesAfter }: Reading) =>
  Either.gen(function* () {
    const words: Array<string> = []
    const values = new Map<OptionRow, ReadonlyArray<boolean | string>>()
    let index = 0
    for (; index < args.length && args[index] !== "--"; index++) {
      const token = args[index] ?? ""
      const step = looksLikeOption(token) ? readOption(rows, token, args[index + 1]) : undefined
      if (step === undefined) {
        if (looksLikeOption(token) && words.length < passesAfter) {
          return yield* Either.left(usageError(`Unknown option ${token}`, hint))
        }
        words.push(token)
        continue
      }
      const { settings, usesNext } = yield* step
      for (const [row, value] of settings) {
        values.set(row, row.type === "list" ? [...(values.get(row) ?? []), value] : [value])
      }
      if (usesNext) index += 1
    }
    return { options: [...values].flatMap(written), words: [...words, ...args.slice(index + 1)] }
  })

const written = ([{ long }, values]: readonly [OptionRow, ReadonlyArray<boolean | string>]): ReadonlyArray<string> =>
  values.flatMap((value) => (typeof value === "string" ? [`--${long}`, value] : value ? [`--${long}`] : []))

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
