/**
 * `sed` prints lines. Its scripts can write files and run programs, so only a small language is known: lines chosen by
 * number or expression, printed, deleted or counted, and plain substitutions.
 */
import { type CallRefusal, flags, has, optional, type ParsedCall, type ProgramTable, valued } from "../program-table.ts"

/**
 * Characters of an expression up to the mark that ends it. In brackets the mark is one of their characters to some
 * releases and the end to others, so none may hold it, and each has to be closed.
 */
const expression = (mark: string): string =>
  String.raw`(?:[^\\${mark}\n[]|\\[^\n]|\[(?:\^?\]|(?!\^?\]))(?:\[:[a-z]+:\]|\\[^\]\n]|[^\\${mark}\n[\]])*\])`
const ADDRESS = String.raw`(?:\d+(?:~\d+)?|\$|/${expression("/")}+/I?)`
const LINES = String.raw`(?:${ADDRESS}(?:,(?:${ADDRESS}|[+~]\d+))?!?)?`
const CHANGE = ["/", "|", "#", ",", ":"]
  .map((mark) => (mark === "|" ? "\\|" : mark))
  .map((mark) => String.raw`s${mark}${expression(mark)}*${mark}(?:[^\\${mark}\n]|\\[^\n])*${mark}[gpIi\d]*`)
  .join("|")
const STEP = String.raw`\s*${LINES}\s*(?:[pdqPDnN=]|${CHANGE})\s*`
const SCRIPT = new RegExp(`^${STEP}(?:[;\n]${STEP})*;?$`)

const SCRIPT_OPTIONS = ["-e", "--expression"]

const refuses = (call: ParsedCall): CallRefusal | undefined => {
  const given = call.options.flatMap(({ name, value }) =>
    SCRIPT_OPTIONS.includes(name) && value !== undefined ? [value] : []
  )
  const scripts = given.length > 0 ? given : call.operands.slice(0, 1)
  const isKnown = scripts.length > 0 && scripts.every(({ isExact, text }) => isExact && SCRIPT.test(text))
  return isKnown ? undefined : { effect: "unknown", why: "a script of `sed` that is not known to print only" }
}

export const sed: ProgramTable = {
  name: "sed",
  reason: "prints lines of the files that it is given, by a script that only prints",
  options: {
    ...flags(
      "-n -E -r -s -u -z --quiet --silent --regexp-extended --separate --unbuffered --null-data --posix --sandbox"
    ),
    ...flags("--help --version"),
    ...valued("-e --expression"),
    // A number only: BSD takes nothing here, and the next word for the script.
    ...valued("-l --line-length", { only: /^\d+$/ }),
    ...valued("-f --file", { value: "file", effect: "runs" }),
    ...optional("-i --in-place", { effect: "writes" })
  },
  operands: (call) => ({ first: has(call, ...SCRIPT_OPTIONS) ? [] : ["text"], rest: "file" }),
  refuses
}
