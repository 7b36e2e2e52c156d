/** Programs that run the command in their own words and change nothing that it reads or writes. */
import { type CallRefusal, flags, has, optional, type ParsedCall, type ProgramTable, valued } from "../program-table.ts"

/** Not `-C` and `-S`: the one moves the working folder, the other makes words out of a text. */
const env: ProgramTable = {
  name: "env",
  reason: "runs a command with other variables",
  options: {
    ...flags("-v --debug"),
    // It would take away what keeps git and rg from running programs and reading closed files.
    ...flags("-i --ignore-environment", { effect: "runs" }),
    ...valued("-u --unset", { only: /^(?:LANG|LC_[A-Z]+|TZ|NO_COLOR|FORCE_COLOR)$/ })
  },
  wraps: { operands: 0, takesAssignments: true }
}

const timeout: ProgramTable = {
  name: "timeout",
  reason: "ends a command after a while",
  options: {
    ...flags("-v --foreground --preserve-status --verbose"),
    ...valued("-k -s --kill-after --signal")
  },
  wraps: { operands: 1 }
}

const nice: ProgramTable = {
  name: "nice",
  reason: "runs a command with less priority",
  hasNumberOption: true,
  options: valued("-n --adjustment"),
  wraps: { operands: 0 }
}

const nohup: ProgramTable = {
  name: "nohup",
  reason: "runs a command that no hang-up ends",
  options: {},
  wraps: { operands: 0 },
  refuses: () => ({ effect: "writes", why: "`nohup` keeps what is printed in a file where there is a terminal" })
}

const stdbuf: ProgramTable = {
  name: "stdbuf",
  reason: "runs a command with other buffers",
  options: valued("-i -o -e --input --output --error", { only: /^(?:L|0|\d+[kKMG]?)$/ }),
  wraps: { operands: 0 }
}

const ionice: ProgramTable = {
  name: "ionice",
  reason: "runs a command with less priority",
  options: { ...flags("-t --ignore"), ...valued("-c -n --class --classdata") },
  wraps: { operands: 0 }
}

const setsid: ProgramTable = {
  name: "setsid",
  reason: "runs a command in a session of its own",
  options: flags("-c -w --ctty --wait"),
  wraps: { operands: 0 }
}

const command: ProgramTable = {
  name: "command",
  reason: "runs a command, never a function, or says where its name leads",
  isBuiltin: true,
  options: flags("-v -V"),
  wraps: { operands: 0, unless: ["-v", "-V"] }
}

export const wrappers: ReadonlyArray<ProgramTable> = [env, timeout, nice, nohup, stdbuf, ionice, setsid, command]

const MARKS = ["-I", "-i", "--replace"]

const COUNTS = ["-n", "-L", "-l", "--max-args", "--max-lines"]

/** What the words take the place of; `undefined`: they follow the command. */
const markOf = ({ options }: ParsedCall): string | undefined => {
  const last = options.findLast(({ name }) => MARKS.includes(name))
  return last === undefined ? undefined : (last.value?.text ?? "{}")
}

const refuses = (call: ParsedCall): CallRefusal | undefined => {
  const marks = call.options.filter(({ name }) => MARKS.includes(name))
  const isClear = marks.every(({ value }) => value === undefined || (value.isExact && value.text !== ""))
  // Of two that exclude each other the last one counts, in some releases the first.
  return isClear && (marks.length === 0 || (marks.length === 1 && !has(call, ...COUNTS)))
    ? undefined
    : { effect: "unknown", why: "where `xargs` puts the words that it reads is not clear" }
}

/**
 * `xargs` runs the command in its words with others that it reads. Those are not known before it runs, so the command
 * must be one that takes any words.
 */
export const xargs: ProgramTable = {
  name: "xargs",
  reason: "runs a command with words that it reads",
  style: "leading",
  options: {
    ...flags("-0 -r -t -x --null --no-run-if-empty --verbose --exit"),
    ...valued("-d -E -I -L -n -P -s --delimiter --max-args --max-procs --max-chars"),
    // The value, where there is one, is attached: the next word is the command.
    ...optional("-e -i -l --eof --replace --max-lines"),
    ...valued("-a --arg-file", { effect: "reaches" })
  },
  wraps: { operands: 0, otherwise: "echo", adds: (call) => ({ mark: markOf(call) }) },
  refuses
}
