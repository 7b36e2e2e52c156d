/**
 * The command line of a sub-command, in the dialect of the options of a run. `@effect/cli` gets it in the one form that
 * it cannot take for something else: the verb, the options one by one, `--`, the words. By itself it takes an option
 * that it does not know for a word.
 */
import { Either } from "effect"
import type { CommandGrammar } from "./command-grammar.ts"
import type { OptionRow } from "./option-row.ts"
import { looksLikeOption, readOption } from "./parse-argv.ts"
import { surplusArgument, type UsageError, usageError } from "./usage-error.ts"

/**
 * `args` without the name of the sub-command. `passing`: verbs for which options that they do not know are words, once
 * every argument that has a name of its own is there.
 */
export const readSubcommandArguments = (
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
