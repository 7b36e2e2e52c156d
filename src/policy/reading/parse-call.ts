/**
 * Reads the words of a call by the table of its program, as the program itself will: groups of letters, attached values,
 * `--`. What the table does not list, or what is not known before the line runs where it matters, is a refusal.
 */
import type { CallRefusal, CallWord, OptionSpec, ParsedCall, ProgramTable } from "./program-table.ts"

export interface ReadCall extends ParsedCall {
  /** Options that no table lists; a rule may name them. */
  readonly unlisted: ReadonlyArray<{ readonly option: string; readonly why: string }>
  /** Where the words of a sub-command or of a wrapped command begin. */
  readonly restAt: number
}

export type CallReading = ReadCall | { readonly refusal: CallRefusal }

/** `args`: the words behind the name of the program. */
export const parseCall = (table: ProgramTable, args: ReadonlyArray<CallWord>): CallReading => {
  const options: Array<ParsedCall["options"][number]> = []
  const operands: Array<CallWord> = []
  /** The rest is a command of its own, which somebody else reads. */
  const handsOver = table.subcommands !== undefined || table.wraps !== undefined
  let at = 0
  let isOver = table.style === "words"
  const unlisted: Array<ReadCall["unlisted"][number]> = []
  const unknown = (why: string): CallReading => ({ refusal: { effect: "unknown", why } })
  let isOrderKnown = true
  const next = (): CallWord | undefined => {
    const value = args[at++]
    isOrderKnown &&= value?.isUnordered !== true
    return value
  }
  if (table.hasOldGroup === true && args[0]?.text.startsWith("-") === false) {
    const read = readOldGroup(table, next() ?? NOTHING, next)
    if (typeof read === "string") return unknown(`\`${table.name}\` is not known with \`${read}\``)
    options.push(...read)
  }
  while (at < args.length) {
    const arg = args[at]
    if (arg === undefined) break
    if (!isOver && arg.text === "" && !arg.isExact)
      return unknown(`a word of \`${table.name}\` is known only when it runs`)
    const isOption =
      !isOver &&
      arg.text.startsWith("-") &&
      (arg.text !== "-" || !arg.isExact) &&
      table.operandsLike?.test(arg.text) !== true
    if (!isOption) {
      if (handsOver) break
      isOver ||= table.style === "leading"
      operands.push(arg)
      at++
      continue
    }
    // Where `--` stands in place of a sub-command, it is none.
    if (arg.text === "--" && table.subcommands !== undefined) break
    at++
    isOrderKnown &&= arg.isUnordered !== true
    if (arg.text === "--" && arg.isExact && table.hasLongDashes !== true) {
      isOver = true
      if (handsOver) break
      continue
    }
    const read =
      arg.text.startsWith("--") || table.hasLongDashes === true
        ? readLong(table, arg, next)
        : readShort(table, arg, next)
    if (typeof read === "string") {
      unlisted.push({ option: read, why: `\`${table.name}\` is not known with \`${read}\`` })
      // It may take the next word as its value, and that word would then end no options.
      if (args[at]?.text === "--") return unknown(`what \`--\` means behind \`${read}\` is not known`)
      continue
    }
    options.push(...read)
  }
  if (!isOrderKnown) return unknown(`a pattern among the options of \`${table.name}\``)
  return { table, options, operands, unlisted, restAt: at }
}

type Options = ParsedCall["options"]

const NOTHING: CallWord = { text: "", isExact: true }

const specOf = (table: ProgramTable, name: string): OptionSpec | undefined =>
  Object.hasOwn(table.options, name) ? table.options[name] : undefined

const readLong = (table: ProgramTable, arg: CallWord, next: () => CallWord | undefined): Options | string => {
  const equals = table.hasLongDashes === true ? -1 : arg.text.indexOf("=")
  const name = equals === -1 ? arg.text : arg.text.slice(0, equals)
  if (equals === -1 && !arg.isExact) return `${name}…`
  const spec = specOf(table, name)
  if (spec === undefined) return name
  if (equals !== -1) {
    if (spec.takes === "nothing" || spec.takes === "command" || spec.takes === 2) return arg.text
    return checked({ name, spec, value: { text: arg.text.slice(equals + 1), isExact: arg.isExact } })
  }
  return separate(name, spec, next)
}

/** The value of an option, where it has one, is the next word. A text in place of options is the one that is not known. */
const separate = (name: string, spec: OptionSpec, next: () => CallWord | undefined): Options | string => {
  if (spec.takes === "nothing" || spec.takes === "optional") return [{ name, spec }]
  if (spec.takes === "command") return command(name, spec, next)
  const first = next()
  if (first === undefined && spec.takes === "maybe") return [{ name, spec }]
  const value = spec.takes === 2 ? next() : first
  return first === undefined || value === undefined ? name : checked({ name, spec, value })
}

const command = (name: string, spec: OptionSpec, next: () => CallWord | undefined): Options | string => {
  let before: CallWord | undefined
  for (let word = next(); word !== undefined; word = next()) {
    if (!word.isExact) return `${name}…`
    if (word.text === ";" || (word.text === "+" && before?.text === "{}")) return [{ name, spec }]
    before = word
  }
  return name
}

const readOldGroup = (table: ProgramTable, group: CallWord, next: () => CallWord | undefined): Options | string => {
  if (!group.isExact) return group.text
  const found: Array<Options[number]> = []
  for (const letter of group.text) {
    const spec = specOf(table, `-${letter}`)
    const read = spec === undefined ? letter : separate(`-${letter}`, spec, next)
    if (typeof read === "string") return read
    found.push(...read)
  }
  return found
}

const readShort = (table: ProgramTable, arg: CallWord, next: () => CallWord | undefined): Options | string => {
  if (table.hasNumberOption === true && /^-\d+$/.test(arg.text) && arg.isExact) return []
  const found: Array<Options[number]> = []
  if (table.hasLoneLetters === true && arg.isExact) {
    const whole = specOf(table, arg.text)
    if (whole !== undefined) return separate(arg.text, whole, next)
  }
  for (let index = 1; index < arg.text.length; index++) {
    const name = `-${arg.text[index]}`
    const spec = specOf(table, name)
    if (spec === undefined) return name
    const attached = arg.text.slice(index + 1)
    if (spec.takes === "nothing") {
      if (table.hasLoneLetters === true) return arg.text
      found.push({ name, spec })
      continue
    }
    if (spec.takes === "next") {
      const number = spec.only === undefined ? undefined : /^\d+/.exec(attached)?.[0]
      const read =
        number === undefined
          ? separate(name, spec, next)
          : checked({ name, spec, value: { text: number, isExact: true } })
      if (typeof read === "string") return read
      found.push(...read)
      index += number?.length ?? 0
      continue
    }
    // Nothing may follow, and then the next word is the value.
    if (spec.takes !== "optional" && attached === "" && !arg.isExact) return `${name}…`
    if (spec.takes !== 2 && spec.takes !== "command" && (attached !== "" || !arg.isExact)) {
      const read = checked({ name, spec, value: { text: attached, isExact: arg.isExact } })
      return typeof read === "string" ? read : [...found, ...read]
    }
    if (attached !== "" || !arg.isExact) return arg.text
    const read = separate(name, spec, next)
    return typeof read === "string" ? read : [...found, ...read]
  }
  // A group that goes on with something computed may hold any option.
  return arg.isExact ? found : `${arg.text}…`
}

const checked = (option: Options[number]): Options | string => {
  const { name, spec, value } = option
  const isOff = spec.only !== undefined && value !== undefined && !(value.isExact && spec.only.test(value.text))
  return isOff ? `${name}=${value.text}` : [option]
}
