/**
 * Lists of processes. `ps` can print the environment of each, which holds secrets: the letter `e` without a dash, or a
 * column of that name. It also reads a call a second time without dashes where the first reading fails (`-u e` of a user
 * that does not exist), so only calls are known that cannot fail.
 */
import { type CallWord, flags, type ProgramTable, valued } from "../program-table.ts"

const COLUMNS = [
  ...["pid", "ppid", "pgid", "sid", "user", "uid", "ruser", "euser", "gid", "group", "comm", "cmd", "args", "command"],
  ...["ucmd", "etime", "etimes", "time", "cputime", "stat", "state", "s", "pcpu", "%cpu", "pmem", "%mem", "rss", "vsz"],
  ...["sz", "ni", "nice", "pri", "tty", "tt", "tname", "start", "lstart", "psr", "nlwp", "lwp"]
].join("|")

const COLUMN_LIST = new RegExp(`^(?:${COLUMNS})(?:=[A-Z ]*)?(?:,(?:${COLUMNS})(?:=[A-Z ]*)?)*$`)
const SORT_KEYS = new RegExp(`^[-+]?(?:${COLUMNS})(?:,[-+]?(?:${COLUMNS}))*$`)
const NUMBERS = /^\d+(?:,\d+)*$/
/** Without the letter: read again as options, the name of nobody shows no environment. */
const USER = /^(?:root|[a-df-z\d_-]+)$/

/** Words that take the next one, or what is behind the `=`, as their value. */
const VALUED: Readonly<Record<string, RegExp>> = {
  "-o": COLUMN_LIST,
  "-eo": COLUMN_LIST,
  "-Ao": COLUMN_LIST,
  "-efo": COLUMN_LIST,
  "--format": COLUMN_LIST,
  "--sort": SORT_KEYS,
  "-p": NUMBERS,
  "--pid": NUMBERS,
  "--ppid": NUMBERS,
  "-u": USER,
  "-U": USER,
  "--user": USER,
  "--cols": NUMBERS,
  "--columns": NUMBERS,
  "--width": NUMBERS
}

/** BSD letters that take nothing, without `e`; groups of the other kind; words. `-aux` is the first kind in disguise. */
const LONE =
  /^(?:[acfhjlnrSTuvwx]+|\d+|-[Aaefw]+|-e?[FlH]|-elf|-eLf|-efH|-ejH|-a?ux|-ax|--forest|--no-headers?|--headers)$/
/** Letters that select or print, and the empty case of it. */
const WITH_VALUES = /^(?:-[Afw]+|-e|-ef|--forest|--no-headers?)$/

const isKnownList = (words: ReadonlyArray<CallWord>): boolean => {
  let hasValues = false
  const lone: Array<string> = []
  for (let at = 0; at < words.length; at++) {
    const { isExact, text } = words[at] ?? { isExact: false, text: "" }
    const equals = text.startsWith("--") ? text.indexOf("=") : -1
    const name = equals === -1 ? text : text.slice(0, equals)
    const only = Object.hasOwn(VALUED, name) ? VALUED[name] : undefined
    if (!isExact) return false
    if (only === undefined) {
      lone.push(text)
      continue
    }
    hasValues ||= !/^--(?:sort|cols|columns|width)$/.test(name)
    const value = equals === -1 ? words[++at] : { isExact, text: text.slice(equals + 1) }
    if (value === undefined || !value.isExact || !only.test(value.text)) return false
  }
  return lone.every((text) => (hasValues ? WITH_VALUES : LONE).test(text)) && lone.length <= 3
}

const ps: ProgramTable = {
  name: "ps",
  reason: "prints processes",
  style: "words",
  options: {},
  operands: { rest: "text" },
  refuses: ({ operands }) =>
    isKnownList(operands)
      ? undefined
      : { effect: "unknown", why: "`ps` with words that could make it print the environment of processes" }
}

const pgrep: ProgramTable = {
  name: "pgrep",
  reason: "prints numbers and names of processes",
  options: {
    ...flags("-l -a -v -w -c -f -i -n -o -x -A -h -V --list-name --list-full --inverse --lightweight --count --full"),
    ...flags("--ignore-case --newest --oldest --exact --ignore-ancestors --help --version"),
    ...valued(
      "-d -g -G -O -P -s -t -u -U -r --delimiter --pgroup --group --older --parent --session --terminal --euid"
    ),
    ...valued("--uid --runstates --cgroup"),
    ...valued("-F --pidfile", { value: "file" })
  },
  operands: { rest: "text" }
}

export const processes: ReadonlyArray<ProgramTable> = [ps, pgrep]
