/**
 * `xargs` runs the command in its words with others that it reads. Those are not known before it runs, so the command
 * must be one that takes any words.
 */
import { flags, has, optional, type ParsedCall, type ProgramTable, type Refusal, valued } from "../program-table.ts"

const MARKS = ["-I", "-i", "--replace"]
const COUNTS = ["-n", "-L", "-l", "--max-args", "--max-lines"]

/** What the words take the place of; `undefined`: they follow the command. */
const markOf = ({ options }: ParsedCall): string | undefined => {
  const last = options.findLast(({ name }) => MARKS.includes(name))
  return last === undefined ? undefined : (last.value?.text ?? "{}")
}

const refuses = (call: ParsedCall): Refusal | undefined => {
  const marks = call.options.filter(({ name }) => MARKS.includes(name))
  const isClear = marks.every(({ value }) => value === undefined || (value.isExact && value.text !== ""))
  // Of two that exclude each other the last one counts, in some releases the first.
  return isClear && (marks.length === 0 || (marks.length === 1 && !has(call, ...COUNTS)))
    ? undefined
    : { effect: "unknown", why: "where `xargs` puts the words that it reads is not clear" }
}

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
