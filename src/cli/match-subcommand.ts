/** Whether a command line is a sub-command or a run. A wrong guess costs money or loses a prompt, hence its own file. */
import { Option } from "effect"
import { subcommands } from "./generated/subcommands.ts"
import { looksLikeOption } from "./parse-argv.ts"
import type { SubcommandRow } from "./subcommand-row.ts"

export interface Invocation {
  readonly subcommand: SubcommandRow
  /** Everything after the name. */
  readonly args: ReadonlyArray<string>
  /** `--debug` stood before the name. */
  readonly debug: boolean
}

/** Only `--debug` may stand before the name. */
export const matchSubcommand = (argv: ReadonlyArray<string>): Option.Option<Invocation> => {
  const { debug, start } = leadingDebug(argv)
  const subcommand = findSubcommand(argv[start] ?? "")
  const args = argv.slice(start + 1)
  return subcommand !== undefined && accepts(subcommand, args[0])
    ? Option.some({ subcommand, args, debug })
    : Option.none()
}

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
  run: /^[0-9a-f]{8}-\d+$/,
  session: /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i
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
