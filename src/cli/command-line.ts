/** What a command line asks for: the one entry into this room for `boot.ts`. Pure; the caller acts on the answer. */
import { existsSync } from "node:fs"
import { resolve } from "node:path"
import { Either } from "effect"
import { oneLine } from "../kernel/one-line.ts"
import { rootOptions } from "./option-table.ts"
import { withVariables } from "./option-variables.ts"
import { looksLikeOption, type ParsedArgv, parseArgv, readOption } from "./parse-argv.ts"
import { checkPiped, chooseMode, type LaunchContext, type RunMode } from "./run-mode.ts"
import { decodeRunOptions, type RunOptions } from "./run-options.ts"
import { checkAvailable, findSubcommand, matchSubcommand, type SubcommandInvocation } from "./subcommand-match.ts"
import { type UsageError, usageError } from "./usage-error.ts"
import { withEarlyPaths } from "./working-folder.ts"

export type CommandLine =
  | { readonly _tag: "Version" | "Help" }
  | { readonly _tag: "Manual"; readonly topic: string }
  | { readonly _tag: "Subcommand"; readonly invocation: SubcommandInvocation }
  | ({ readonly _tag: "Program" } & ProgramCall)
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
  const program = programIn(argv, around)
  if (program !== undefined) return Either.right({ _tag: "Program", ...program })
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

/** `gemini run FILE ...`: what stands behind the file belongs to it. */
export interface ProgramCall {
  /** Options before the file. */
  readonly before: ReadonlyArray<string>
  readonly file: string
  readonly args: ReadonlyArray<string>
}

/** `gemini run the tests of this project` is a prompt, unless there is such a file. */
const programIn = (argv: ReadonlyArray<string>, { cwd = "/" }: LaunchContext): ProgramCall | undefined => {
  const start = argv[0] === "--debug" || argv[0] === "-d" ? 1 : 0
  if (argv[start] !== "run") return undefined
  let index = start + 1
  for (; index < argv.length && looksLikeOption(argv[index] ?? ""); index++) {
    const step = readOption(rootOptions, argv[index] ?? "", argv[index + 1])
    const isHelp = argv[index] === "--help" || argv[index] === "-h"
    if (step === undefined || Either.isLeft(step) || isHelp) return undefined
    if (step.right.usesNext) index += 1
  }
  const [file, ...args] = argv.slice(index)
  if (file === undefined || file === "--") return undefined
  const isMeant = /[./]/.test(file) || wordsIn(args) < 2 || existsSync(resolve(cwd, file))
  return isMeant ? { before: [...argv.slice(0, start), ...argv.slice(start + 1, index)], file, args } : undefined
}

/** Without options and their values. */
const wordsIn = (args: ReadonlyArray<string>): number => {
  let count = 0
  for (let index = 0; index < args.length; index++) {
    const token = args[index] ?? ""
    if (!looksLikeOption(token)) count += 1
    const step = looksLikeOption(token) ? readOption(rootOptions, token, args[index + 1]) : undefined
    if (step !== undefined && Either.isRight(step) && step.right.usesNext) index += 1
  }
  return count
}

const readRun = (argv: ReadonlyArray<string>, typed: ParsedArgv, around: LaunchContext) =>
  Either.gen(function* () {
    const placed = typed.beforeCwd === undefined ? typed : withEarlyPaths(rootOptions, typed, around.cwd ?? "/")
    const parsed = yield* withVariables(rootOptions, placed, around.env)
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
