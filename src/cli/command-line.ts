/** What a command line asks for: the one entry into this room for `boot.ts`. Pure; the caller acts on the answer. */
import { Either } from "effect"
import { oneLine } from "../kernel/one-line.ts"
import { checkAvailable } from "./availability.ts"
import { rootOptions } from "./option-table.ts"
import { type ParsedArgv, parseArgv } from "./parse-argv.ts"
import { checkPiped, chooseMode, type LaunchContext, type RunMode } from "./run-mode.ts"
import { decodeRunOptions, type RunOptions } from "./run-options.ts"
import { findSubcommand, type Invocation, matchSubcommand } from "./subcommand-match.ts"
import { type UsageError, usageError } from "./usage-error.ts"

export type CommandLine =
  | { readonly _tag: "Version" | "Help" }
  | { readonly _tag: "Manual"; readonly topic: string }
  | { readonly _tag: "Subcommand"; readonly invocation: Invocation }
  | {
      readonly _tag: "Run"
      readonly options: RunOptions
      readonly mode: RunMode
      readonly notices: ReadonlyArray<string>
    }

export const readCommandLine = (
  argv: ReadonlyArray<string>,
  around: LaunchContext
): Either.Either<CommandLine, UsageError> => {
  const match = matchSubcommand(argv)
  if (Either.isLeft(match)) return Either.left(match.left)
  if (match.right._tag !== "Prompt") return Either.right(match.right)
  const parsed = parseArgv(rootOptions, argv)
  // Whoever asks for help gets it, also beside a flag that is wrong.
  if (Either.isLeft(parsed)) return asksForHelp(argv) ? Either.right({ _tag: "Help" }) : Either.left(parsed.left)
  if (parsed.right.options.help === true) return Either.right({ _tag: "Help" })
  if (parsed.right.options.version === true) return Either.right({ _tag: "Version" })
  return readRun(argv, parsed.right, around)
}

const readRun = (argv: ReadonlyArray<string>, parsed: ParsedArgv, around: LaunchContext) =>
  Either.gen(function* () {
    const [first] = parsed.words
    if (first !== undefined && !argv.includes("--") && findSubcommand(first)?.matching === "always") {
      return yield* Either.left(misplaced(first))
    }
    yield* checkPiped(parsed, around)
    const options = yield* decodeRunOptions(parsed)
    // They print and end, and ask nobody.
    if (options.listSessions || options.deleteSession !== undefined) {
      return { _tag: "Run", options, mode: { _tag: "Headless", prompt: undefined }, notices: [] } as const
    }
    const mode = yield* chooseMode(options, around)
    yield* checkAvailable(parsed)
    return { _tag: "Run", options, mode, notices: [...(parsed.repeated ?? [])].map(repetition) } as const
  })

const repetition = ([option, value]: readonly [string, string]): string =>
  `[WARNING] --${option} was given more than once: the last one counts (${oneLine(value, VALUE_LENGTH)})`

const VALUE_LENGTH = 60

const asksForHelp = (argv: ReadonlyArray<string>): boolean => {
  const end = argv.indexOf("--")
  return argv.slice(0, end < 0 ? undefined : end).some((token) => token === "--help" || token === "-h")
}

const misplaced = (name: string): UsageError =>
  usageError(
    `${name} is a sub-command and must come first`,
    `Write gemini ${name} ...; for a prompt that begins with this word, use -p.`
  )
