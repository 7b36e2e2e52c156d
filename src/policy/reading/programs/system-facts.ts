/** Programs that print facts of the system, the clock and the list of processes among them. */
import { type CallWord, flags, type OptionTable, optional, type ProgramTable, valued } from "../program-table.ts"

const fact = (
  name: string,
  reason: string,
  options: OptionTable = {},
  more: Partial<ProgramTable> = {}
): ProgramTable => ({
  name,
  reason,
  options: { ...flags("--help --version"), ...options },
  operands: { rest: "none" },
  ...more
})

export const systemFacts: ReadonlyArray<ProgramTable> = [
  fact(
    "uname",
    "prints the name of the system",
    flags(
      "-a -s -n -r -v -m -p -i -o --all --kernel-name --nodename --kernel-release --kernel-version --machine --processor --hardware-platform --operating-system"
    )
  ),
  fact("whoami", "prints the name of the account", {}, { printsPlainly: true }),
  fact("arch", "prints the kind of processor", {}, { printsPlainly: true }),
  fact(
    "nproc",
    "prints the number of processors",
    { ...flags("--all"), ...valued("--ignore") },
    { printsPlainly: true }
  ),
  fact("tty", "prints the name of the terminal", flags("-s --silent --quiet")),
  fact(
    "id",
    "prints the numbers of an account",
    flags("-a -Z -g -G -n -r -u -z --context --group --groups --name --real --user --zero"),
    { operands: { rest: "text" } }
  ),
  fact("groups", "prints the groups of an account", {}, { operands: { rest: "text" } }),
  // A word would set the name, and most options ask the network for it.
  fact("hostname", "prints the name of the machine", flags("-s -I -V -h --short --all-ip-addresses")),
  fact("uptime", "prints how long the machine has been up", flags("-p -s -h -V --pretty --since")),
  fact("free", "prints how much memory is in use", {
    ...flags("-b -k -m -g -h -l -t -v -w -V --bytes --kilo --mega --giga --tera --peta --kibi --mebi --gibi --tebi"),
    ...flags("--pebi --human --si --lohi --total --committed --wide"),
    ...valued("-s -c --seconds --count")
  }),
  // Not `--sysroot`, which reads the facts out of a folder.
  fact("lscpu", "prints facts about the processors", {
    ...flags("-a -b -B -c -J -x -y -h -V --all --online --bytes --offline --json --hex --physical --output-all"),
    ...optional("-C -e -p --caches --extended --parse")
  }),
  fact(
    "lsblk",
    "prints disks",
    {
      ...flags(
        "-A -D -J -M -O -P -S -a -b -d -f -i -l -m -n -p -r -s -t -y -z -h -V --noempty --discard --json --merge"
      ),
      ...flags("--output-all --pairs --scsi --all --bytes --nodeps --fs --ascii --list --perms --noheadings --paths"),
      ...flags("--raw --inverse --topology --shell --zoned"),
      ...valued("-E -I -e -o -w -x --dedup --include --exclude --output --width --sort"),
      ...optional("-T --tree")
    },
    { operands: { rest: "names" } }
  ),
  // The list of character sets is packed: another program unpacks it.
  fact(
    "locale",
    "prints the conventions of a language",
    {
      ...flags("-a -c -k -v -V --all-locales --category-name --keyword-name --verbose --usage"),
      ...flags("-m --charmaps", { effect: "runs" })
    },
    { operands: { rest: "text" } }
  ),
  // `-v` runs another program of the same name.
  fact("getconf", "prints limits of the system", flags("-a"), {
    style: "leading",
    operands: { first: ["text", "names"], rest: "none" }
  })
]

const date: ProgramTable = {
  name: "date",
  reason: "prints a time",
  options: {
    ...flags("-u -R --utc --universal --debug --resolution --rfc-email --help --version"),
    ...valued("-d --date --rfc-3339"),
    ...optional("-I --iso-8601"),
    ...valued("-f --file", { value: "file" }),
    ...valued("-r --reference", { value: "names" }),
    ...valued("-s --set", { effect: "writes" })
  },
  operands: { first: ["text"], rest: "none" },
  refuses: ({ operands: [format] }) =>
    format === undefined || format.text.startsWith("+")
      ? undefined
      : { effect: "writes", why: "`date` with a word that is no format sets the clock" }
}

/** The two programs of that name, of BSD and of util-linux, share only these. */
const cal: ProgramTable = {
  name: "cal",
  reason: "prints months",
  options: flags("-1 -3 -j -y"),
  operands: { rest: "text" }
}

const sleep: ProgramTable = {
  name: "sleep",
  reason: "waits",
  options: flags("--help --version"),
  operands: { rest: "text" }
}

/** Time: `date` prints it, and sets it where its word is no format; `cal` prints months; `sleep` waits. */
export const clock: ReadonlyArray<ProgramTable> = [date, cal, sleep]

/**
 * Lists of processes. `ps` can print the environment of each, which holds secrets: the letter `e` without a dash, or a
 * column of that name. It also reads a call a second time without dashes where the first reading fails (`-u e` of a user
 * that does not exist), so only calls are known that cannot fail.
 */
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
const PS_VALUED: Readonly<Record<string, RegExp>> = {
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
const PS_LONE =
  /^(?:[acfhjlnrSTuvwx]+|\d+|-[Aaefw]+|-e?[FlH]|-elf|-eLf|-efH|-ejH|-a?ux|-ax|--forest|--no-headers?|--headers)$/
/** Letters that select or print, and the empty case of it. */
const PS_WITH_VALUES = /^(?:-[Afw]+|-e|-ef|--forest|--no-headers?)$/

const isKnownList = (words: ReadonlyArray<CallWord>): boolean => {
  let hasValues = false
  const lone: Array<string> = []
  for (let at = 0; at < words.length; at++) {
    const { isExact, text } = words[at] ?? { isExact: false, text: "" }
    const equals = text.startsWith("--") ? text.indexOf("=") : -1
    const name = equals === -1 ? text : text.slice(0, equals)
    const only = Object.hasOwn(PS_VALUED, name) ? PS_VALUED[name] : undefined
    if (!isExact) return false
    if (only === undefined) {
      lone.push(text)
      continue
    }
    hasValues ||= !/^--(?:sort|cols|columns|width)$/.test(name)
    const value = equals === -1 ? words[++at] : { isExact, text: text.slice(equals + 1) }
    if (value === undefined || !value.isExact || !only.test(value.text)) return false
  }
  return lone.every((text) => (hasValues ? PS_WITH_VALUES : PS_LONE).test(text)) && lone.length <= 3
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
