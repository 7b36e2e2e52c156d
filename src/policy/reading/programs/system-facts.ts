/** Programs that print facts of the system, the clock among them. */
import { flags, type OptionTable, optional, type ProgramTable, valued } from "../program-table.ts"

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
