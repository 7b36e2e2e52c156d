/** What stands behind the name of an executable prompt: its own arguments, and options of gemini. */
import { Either } from "effect"
import type { OptionRow } from "../option-row.ts"
import { looksLikeOption, type OptionValue, type ParsedArgv, readOption } from "../parse-argv.ts"

export interface ProgramArgument {
  readonly name: string
  readonly default?: string | undefined
  readonly help?: string | undefined
}

export interface GivenArguments {
  /** Of every argument, by name. */
  readonly values: ReadonlyMap<string, string>
  /** Words in the order in which they were given. */
  readonly words: ReadonlyArray<string>
  /** Tokens that are options of gemini, with their values. */
  readonly options: ReadonlyArray<string>
  readonly asksForHelp: boolean
}

/** Left: what is wrong, in one line. `takesMore`: words beyond the arguments are welcome. */
export const readArguments = (
  declared: ReadonlyArray<ProgramArgument>,
  tokens: ReadonlyArray<string>,
  rows: ReadonlyArray<OptionRow>,
  { takesMore }: { readonly takesMore: boolean }
): Either.Either<GivenArguments, string> =>
  Either.gen(function* () {
    const named = new Map<string, string>()
    const words: Array<string> = []
    const options: Array<string> = []
    let asksForHelp = false
    let index = 0
    for (; index < tokens.length && tokens[index] !== "--"; index++) {
      const token = tokens[index] ?? ""
      if (!looksLikeOption(token)) {
        words.push(token)
        continue
      }
      if (token === "--help" || token === "-h") {
        asksForHelp = true
        continue
      }
      const own = /^--([^=]+)(?:=([\s\S]*))?$/.exec(token)
      const argument = declared.find(({ name }) => name === own?.[1])
      if (own !== null && argument !== undefined) {
        const value = own[2] ?? tokens[++index]
        if (value === undefined) return yield* Either.left(`--${argument.name} needs a value`)
        named.set(argument.name, value)
        continue
      }
      const step = readOption(rows, token, tokens[index + 1])
      if (step === undefined) return yield* Either.left(`there is no argument or option ${token}`)
      const { usesNext } = yield* Either.mapLeft(step, ({ message }) => message)
      options.push(token, ...(usesNext ? [tokens[index + 1] ?? ""] : []))
      if (usesNext) index += 1
    }
    words.push(...tokens.slice(index + 1))
    if (asksForHelp) return { values: new Map(), words, options, asksForHelp }
    const unnamed = declared.filter(({ name }) => !named.has(name))
    const surplus = words[unnamed.length]
    if (surplus !== undefined && !takesMore) return yield* Either.left(`"${surplus}" is one argument too many`)
    const values = new Map(named)
    for (const [at, { default: standard, name }] of unnamed.entries()) {
      const value = words[at] ?? standard
      if (value === undefined) return yield* Either.left(`the argument ${name} is missing`)
      values.set(name, value)
    }
    return { values, words, options, asksForHelp }
  })

/** What variables of the caller say stays the most that there can be: the file cannot take more tools, or a dearer tier. */
export const lowered = (
  { tier, tools }: ParsedArgv["options"],
  fromFile: Readonly<Record<string, OptionValue>>
): Readonly<Record<string, OptionValue>> => {
  const [mine, theirs] = [tools, fromFile.tools].map((list) => (Array.isArray(list) ? list.map(String) : undefined))
  const shared = mine === undefined || theirs === undefined ? undefined : mine.filter((name) => theirs.includes(name))
  return {
    ...(tier === undefined ? {} : { tier }),
    ...(shared === undefined ? {} : { tools: shared.length === 0 ? [""] : shared })
  }
}

export const usageLine = (command: string, declared: ReadonlyArray<ProgramArgument>, takesMore: boolean): string =>
  [
    `Usage: ${command}`,
    ...declared.map(({ default: standard, name }) => (standard === undefined ? `<${name}>` : `[${name}]`)),
    ...(takesMore ? ["[words...]"] : []),
    "[options]"
  ].join(" ")

export interface HelpFacts {
  readonly command: string
  readonly description: string | undefined
  readonly declared: ReadonlyArray<ProgramArgument>
  readonly takesMore: boolean
  readonly stdin: "required" | "optional" | "none"
}

export const programHelp = ({ command, declared, description, stdin, takesMore }: HelpFacts): string => {
  const width = Math.max(0, ...declared.map(({ name }) => name.length))
  const rows = declared.map(({ default: standard, help, name }) => {
    const what = [help ?? "", standard === undefined ? "" : `(default: ${standard})`].filter((text) => text !== "")
    return `  ${name.padEnd(width)}  ${what.join(" ")}`.trimEnd()
  })
  return [
    ...(description === undefined ? [] : [description, ""]),
    usageLine(command, declared, takesMore),
    ...(rows.length === 0 ? [] : ["", "Arguments (in this order, or as --name=value):", ...rows]),
    "",
    `Standard input: ${stdin}.`,
    "Options are those of gemini: see gemini --help.",
    ""
  ].join("\n")
}
