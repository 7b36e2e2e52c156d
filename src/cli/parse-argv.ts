/**
 * Command line to raw options, in the dialect that scripts for the reference use: options before or after words,
 * `--flag value`, `--flag=value`, `-fvalue`, `-f=value`, grouped short flags, camel case, `--no-flag`, `--flag false`,
 * `--` before plain words. Where a single-value flag is repeated, the last one wins.
 *
 * Pure and small, because every start runs it. What the values mean is decided in `run-options.ts`.
 */
import { Either } from "effect"
import { closestName } from "../kernel/closest-name.ts"
import { type OptionRow, propertyOf } from "./option-row.ts"
import { type UsageError, usageError } from "./usage-error.ts"

export type OptionValue = boolean | string | ReadonlyArray<string>

export interface ParsedArgv {
  /** By property name (`outputFormat`); only what was given. */
  readonly options: Readonly<Record<string, OptionValue>>
  readonly words: ReadonlyArray<string>
  /** Options that take one value and got others before it: long name, and the value that counts. Absent: none. */
  readonly repeated?: ReadonlyMap<string, string>
  /** What stood before `--cwd`: its paths count from where the program was called. Absent: there is no `--cwd`. */
  readonly beforeCwd?: Readonly<Record<string, OptionValue>>
}

export const parseArgv = (
  rows: ReadonlyArray<OptionRow>,
  argv: ReadonlyArray<string>
): Either.Either<ParsedArgv, UsageError> => {
  const options: Record<string, OptionValue> = {}
  const words: Array<string> = []
  let beforeCwd: ParsedArgv["beforeCwd"]
  const result = (all: ReadonlyArray<string>): Either.Either<ParsedArgv> =>
    Either.right({
      options: finish(rows, options),
      words: all,
      ...(repeated.size === 0 ? {} : { repeated }),
      ...(beforeCwd === undefined ? {} : { beforeCwd })
    })
  const repeated = new Map<string, string>()
  let index = 0
  while (index < argv.length) {
    const token = argv[index] ?? ""
    if (token === "--") return result(words.concat(argv.slice(index + 1)))
    if (!looksLikeOption(token)) {
      words.push(token)
      index += 1
      continue
    }
    const step = readOption(rows, token, argv[index + 1])
    if (step === undefined) return Either.left(unknownOption(rows, token))
    if (Either.isLeft(step)) return Either.left(step.left)
    for (const [row, value] of step.right.settings) {
      const property = propertyOf(row.long)
      const before = options[property]
      if (!takesSeveral(row) && before !== undefined && before !== value) repeated.set(row.long, String(value))
      if (row.long === "cwd") beforeCwd = finish(rows, options)
      options[property] = takesSeveral(row) ? [...(Array.isArray(before) ? before : []), String(value)] : value
    }
    index += step.right.usesNext ? 2 : 1
  }
  return result(words)
}

const takesSeveral = ({ type }: OptionRow): boolean => type === "list" || type === "texts"

/** One token understood: what it sets, and whether it took the token after it as its value. */
interface Step {
  readonly settings: ReadonlyArray<readonly [OptionRow, boolean | string]>
  readonly usesNext: boolean
}
type StepResult = Either.Either<Step, UsageError>

/** One token that looks like an option, with the token after it. `undefined`: no row knows it. */
export const readOption = (
  rows: ReadonlyArray<OptionRow>,
  token: string,
  next: string | undefined
): StepResult | undefined => (token.startsWith("--") ? readLong(rows, token, next) : readShort(rows, token, next))

/** A lone dash, negative numbers, `- item` and `---` are words. */
export const looksLikeOption = (token: string): boolean => /^(-[A-Za-z]|--[^\s-])/.test(token)

/** Text with white space that starts with a dash is a value where a value is due: `-p "-v does what?"`. */
const canBeValue = (token: string | undefined): token is string =>
  token !== undefined && token !== "--" && (!looksLikeOption(token) || /\s/.test(token))

const readLong = (rows: ReadonlyArray<OptionRow>, token: string, next: string | undefined): StepResult | undefined => {
  const equals = token.indexOf("=")
  const typed = equals < 0 ? token.slice(2) : token.slice(2, equals)
  const name = kebab(typed)
  const row = findLong(rows, name)
  if (row !== undefined) return readValue(row, equals < 0 ? undefined : token.slice(equals + 1), next)
  const negated = name.startsWith("no-") ? findLong(rows, name.slice(3)) : undefined
  if (negated?.type !== "boolean") return undefined
  if (equals >= 0) return Either.left(usageError(`--${typed} takes no value`))
  return Either.right({ settings: [[negated, false]], usesNext: false })
}

/** Flags may be grouped; the first letter that takes a value takes the rest of the token. */
const readShort = (rows: ReadonlyArray<OptionRow>, token: string, next: string | undefined): StepResult | undefined => {
  const flags: Array<readonly [OptionRow, boolean]> = []
  for (let at = 1; at < token.length; at++) {
    const letter = token.charAt(at)
    const row = rows.find((candidate) => candidate.short === letter)
    if (row === undefined) return undefined
    const rest = token.slice(at + 1)
    if (row.type === "boolean" && rest !== "" && !rest.startsWith("=")) {
      flags.push([row, true])
      continue
    }
    const attached = rest === "" ? undefined : rest.startsWith("=") ? rest.slice(1) : rest
    return Either.map(readValue(row, attached, next), (step) => ({
      settings: [...flags, ...step.settings],
      usesNext: step.usesNext
    }))
  }
  return Either.right({ settings: flags, usesNext: false })
}

const readValue = (row: OptionRow, attached: string | undefined, next: string | undefined): StepResult => {
  const set = (value: boolean | string, usesNext = false): StepResult =>
    Either.right({ settings: [[row, value]], usesNext })
  if (row.type === "boolean") {
    const text = attached ?? (next === "true" || next === "false" ? next : undefined)
    if (text === undefined) return set(true)
    if (text === "true" || text === "false") return set(text === "true", attached === undefined)
    return row.value === undefined
      ? Either.left(usageError(`--${row.long} takes true or false, not "${text}"`))
      : set(text)
  }
  const typed = attached ?? (canBeValue(next) ? next : undefined)
  const value = typed === undefined ? undefined : spelled(row, typed)
  if (value === undefined && row.type === "optional-string") return set("")
  if (value === undefined) return Either.left(missingValue(row, next))
  if (value === "" && namesOne(row))
    return Either.left(usageError(`--${row.long} needs a value, and what is given is empty`))
  if (row.type === "choice" && row.choices?.includes(value) !== true) return Either.left(badChoice(row, value))
  return set(value, attached === undefined)
}

/** A file or a folder. Of lists an empty one is none. */
const namesOne = ({ names, type }: OptionRow): boolean =>
  (names === "path" || names === "data") && (type === "string" || type === "texts")

const spelled = ({ spellings = {} }: OptionRow, typed: string): string =>
  Object.hasOwn(spellings, typed) ? (spellings[typed] ?? typed) : typed

/** Commas separate, blanks around items do not count. A single empty text stays: a list that matches nothing. */
export const splitList = (values: ReadonlyArray<string>): ReadonlyArray<string> => {
  if (values.length === 1 && values[0] === "") return [""]
  return values.flatMap((value) => value.split(",").map((item) => item.trim())).filter((item) => item !== "")
}

const finish = (
  rows: ReadonlyArray<OptionRow>,
  options: Readonly<Record<string, OptionValue>>
): ParsedArgv["options"] =>
  Object.fromEntries(
    Object.entries(options).map(([property, value]) => [
      property,
      typeof value === "boolean" || typeof value === "string" || isKept(rows, property) ? value : splitList(value)
    ])
  )

const isKept = (rows: ReadonlyArray<OptionRow>, property: string): boolean =>
  rows.some(({ long, type }) => type === "texts" && propertyOf(long) === property)

const kebab = (name: string): string => name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)

const findLong = (rows: ReadonlyArray<OptionRow>, name: string): OptionRow | undefined =>
  rows.find((row) => row.long === name || row.short === name || row.aliases?.includes(name) === true)

const unknownOption = (rows: ReadonlyArray<OptionRow>, token: string): UsageError => {
  const [typed = ""] = token.replace(/^--?/, "").split("=", 1)
  const letter = [...token].find((one, at) => at > 0 && rows.every(({ short }) => short !== one))
  const shown = token.startsWith("--") ? `--${typed}` : `-${letter}`
  const near = closestName(
    token.startsWith("--") ? kebab(typed) : token.slice(1),
    rows.filter((row) => row.hidden !== true).map((row) => row.long)
  )
  const hint = "See gemini --help; put -- before words that begin with a dash."
  return usageError(`Unknown option ${shown}`, near === undefined ? hint : `Did you mean --${near}? See gemini --help.`)
}

const missingValue = (row: OptionRow, next: string | undefined): UsageError =>
  next === undefined
    ? usageError(`--${row.long} needs a value`)
    : usageError(
        `--${row.long} needs a value, but ${next} follows`,
        `If that is the value, write --${row.long}=${next}.`
      )

const badChoice = (row: OptionRow, value: string): UsageError =>
  usageError(`--${row.long} cannot be "${value}"`, `Choose one of: ${row.choices?.join(", ") ?? ""}.`)
