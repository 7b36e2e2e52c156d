/**
 * Whether a command line is a sub-command, a prompt, or too near to a sub-command to be sent to a model unasked. A wrong
 * guess costs money or loses a prompt, hence its own file. Pure.
 */
import { Either } from "effect"
import { closestName, editDistance } from "../kernel/closest-name.ts"
import { failureCodes, subcommands, topics } from "./generated/subcommands.ts"
import { type Availability, propertyOf } from "./option-row.ts"
import { rootOptions } from "./option-table.ts"
import { looksLikeOption, type ParsedArgv, parseArgv } from "./parse-argv.ts"
import type { SubcommandRow } from "./subcommand-row.ts"
import { type UsageError, usageError } from "./usage-error.ts"

export interface SubcommandInvocation {
  readonly subcommand: SubcommandRow
  /** Everything after the name. */
  readonly args: ReadonlyArray<string>
  /** `--debug` stood before the name. */
  readonly debug: boolean
}

export type SubcommandMatch =
  | { readonly _tag: "Subcommand"; readonly invocation: SubcommandInvocation }
  | { readonly _tag: "Help" | "Version" }
  | { readonly _tag: "Manual"; readonly topic: string }
  | { readonly _tag: "Prompt" }

type Matched = Either.Either<SubcommandMatch, UsageError>

/** Only `--debug` may stand before the name. */
export const matchSubcommand = (argv: ReadonlyArray<string>): Matched => {
  const { debug, start } = leadingDebug(argv)
  const [name = "", ...args] = argv.slice(start)
  if (name === "help" || name === "version") return matchBuiltIn(name, args, debug)
  const subcommand = findSubcommand(name)
  if (subcommand === undefined) return matchNear(name, args)
  return accepts(subcommand, args[0])
    ? Either.right({ _tag: "Subcommand", invocation: { subcommand, args, debug } })
    : matchWords(subcommand, wordsOf(args))
}

const PROMPT: Matched = Either.right({ _tag: "Prompt" })

export const findSubcommand = (name: string): SubcommandRow | undefined =>
  subcommands.find((row) => row.name === name || row.aliases.includes(name))

const accepts = (row: SubcommandRow, next: string | undefined): boolean =>
  row.matching === "always" ||
  next === undefined ||
  looksLikeOption(next) ||
  row.verbs.includes(next) ||
  takesId(row, next)

/** Whether this word, in the place of a verb, names what the sub-command works on. */
export const takesId = (row: SubcommandRow, word: string): boolean => row.ids.some((kind) => ID_FORMS[kind].test(word))

const ID_FORMS = {
  /** A path, or standard input. A word without a dot is a word. */
  file: /^-$|[./]/,
  run: /^[0-9a-f]{8}-\d+$/,
  session: /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i
}

/** So few words after the name of a sub-command are hardly a sentence. */
const FEW_WORDS = 2

/** `gemini undo my last commit please` is a prompt; `gemini config lst` is a slip. */
const matchWords = (row: SubcommandRow, words: ReadonlyArray<string>): Matched => {
  const [first = ""] = words
  const isSlip = words.length <= FEW_WORDS || row.name === "completion" || nearNames(first, row.verbs).length > 0
  if (!isSlip) return PROMPT
  return Either.left(
    isAvailable(row.since) ? unknownVerb(row, first, ASK_MODEL) : unavailable(`gemini ${row.name}`, row.since)
  )
}

/**
 * What other programs answer to these words. The page of a sub-command is asked for by its name, and perhaps a verb; that
 * of the manual by its topic.
 */
const matchBuiltIn = (word: "help" | "version", given: ReadonlyArray<string>, debug: boolean): Matched => {
  const args = given.filter((arg) => arg !== "--help" && arg !== "-h")
  const [name, verb] = args
  if (name === undefined) {
    return Either.right({ _tag: word === "help" || given.length > 0 ? "Help" : "Version" })
  }
  if (word === "version") return Either.left(usageError(`gemini version takes no "${name}"`, ASK_MODEL))
  if (verb === undefined && (name === TOPICS || topics.includes(name) || failureCodes.includes(name))) {
    return Either.right({ _tag: "Manual", topic: name })
  }
  const subcommand = findSubcommand(name)
  const isMeant =
    subcommand !== undefined && (verb === undefined || subcommand.verbs.includes(verb)) && args.length <= 2
  return isMeant
    ? Either.right({ _tag: "Subcommand", invocation: { subcommand, args: ["--help"], debug } })
    : Either.left(
        usageError(`gemini help has no page "${args.join(" ")}"`, `gemini help ${TOPICS} lists them. ${ASK_MODEL}`)
      )
}

/** In place of a topic: what there is. */
export const TOPICS = "topics"

/** A word alone, or before what would follow the name that is near: `confg`, `confg list`, but not `patch the bug`. */
const matchNear = (name: string, args: ReadonlyArray<string>): Matched => {
  if (looksLikeOption(name)) return PROMPT
  const far = nearNames(name, COMMAND_NAMES, 2)
  if (far.length === 0) return PROMPT
  const near = nearNames(name, COMMAND_NAMES)
  const [next] = wordsOf(args)
  if (next === undefined) return near.length === 0 ? PROMPT : Either.left(noCommand(name, near, ASK_WITH_P))
  // What follows may say more clearly what is meant than the letters do.
  const meant = [
    ...near.filter((one) => isFollowedBy(one, next)),
    ...far.filter((one) => !near.includes(one) && findSubcommand(one)?.verbs.includes(next) === true)
  ]
  return meant.length === 0 ? PROMPT : Either.left(noCommand(name, meant, ASK_MODEL))
}

const COMMAND_NAMES: ReadonlyArray<string> = [
  ...subcommands.filter(({ since }) => since !== "never").flatMap(({ aliases, name }) => [name, ...aliases]),
  "help",
  "version"
]

const isFollowedBy = (command: string, next: string): boolean => {
  if (command === "help") return [COMMAND_NAMES, topics, failureCodes].some((names) => names.includes(next))
  const row = findSubcommand(command)
  return row !== undefined && (row.verbs.includes(next) || takesId(row, next) || nearNames(next, row.verbs).length > 0)
}

/** Words, and not values of options of a run. */
const wordsOf = (args: ReadonlyArray<string>): ReadonlyArray<string> =>
  Either.match(parseArgv(rootOptions, args), {
    onLeft: () => args.filter((arg) => !looksLikeOption(arg)),
    onRight: ({ words }) => words
  })

/** Names that a slip or two lie from; one in short names, where two make another word: `help` and `hello`. */
const nearNames = (typed: string, names: ReadonlyArray<string>, inShort = 1): ReadonlyArray<string> =>
  typed.length > LONGEST_NAME
    ? []
    : names
        .map((name) => ({ name, distance: editDistance(typed.toLowerCase(), name) }))
        .filter(({ distance, name }) => distance <= (name.length < LONG_NAME ? inShort : 2))
        .sort((one, other) => one.distance - other.distance)
        .map(({ name }) => name)

const LONG_NAME = 6

/** Keeps the work small for absurd input. */
const LONGEST_NAME = 20

const ASK_WITH_P = "To ask the model, use -p."

const ASK_MODEL = "To ask the model, use -p or quotes."

const noCommand = (typed: string, near: ReadonlyArray<string>, advice: string): UsageError =>
  usageError(`There is no command "${typed}"`, `Did you mean ${near.join(" or ")}? ${advice}`)

/** `advice`: a sentence more. */
export const unknownVerb = (row: SubcommandRow, typed: string, advice = ""): UsageError => {
  const near = closestName(typed, row.verbs)
  const known = [...row.verbs, ...row.ids.map((kind) => `the id of a ${kind}`)]
  if (known.length === 0)
    return usageError(
      `gemini ${row.name} takes no words: "${typed}"`,
      `See gemini ${row.name} --help. ${advice}`.trimEnd()
    )
  const hint = near === undefined ? `Choose one of: ${known.join(", ")}.` : `Did you mean ${near}?`
  return usageError(`gemini ${row.name} has no command "${typed}"`, `${hint} ${advice}`.trimEnd())
}

/** `start`: the first token that does not belong to `--debug`. */
const leadingDebug = (argv: ReadonlyArray<string>): { readonly debug: boolean; readonly start: number } => {
  let debug = false
  let start = 0
  for (let token = argv[0]; token !== undefined; token = argv[start]) {
    const found = /^(?:-d|--(no-)?debug)(?:=(true|false))?$/.exec(token)
    if (found === null) break
    const [, no, value] = found
    const next = argv[start + 1]
    debug = no === undefined && value !== "false"
    start += 1
    if (no === undefined && value === undefined && (next === "true" || next === "false")) {
      debug = next === "true"
      start += 1
    }
  }
  return { debug, start }
}

/**
 * Features that are known but do not work yet say so; nothing is accepted and then ignored.
 * A flag that was switched off asks for nothing, so it is fine.
 */
export const checkAvailable = (parsed: ParsedArgv): Either.Either<void, UsageError> => {
  for (const { long, since } of rootOptions) {
    const value = parsed.options[propertyOf(long)]
    if (value !== undefined && value !== false && !isAvailable(since))
      return Either.left(unavailable(`--${long}`, since))
  }
  return Either.void
}

export const isAvailable = (since: Availability): boolean => since !== "later" && since !== "never"

export const unavailable = (what: string, since: Availability): UsageError =>
  since === "never"
    ? usageError(`${what} is not supported`)
    : usageError(`${what} is not available in this version`, "See gemini --help for what is.")
