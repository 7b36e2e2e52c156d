/** Space: `du` walks folders and looks at sizes, `df` asks the kernel about file systems. */
import { flags, optional, type ProgramTable, valued } from "../program-table.ts"

const du: ProgramTable = {
  name: "du",
  reason: "prints sizes of what it is given and of what is below it",
  options: {
    ...flags(
      "-0 -a -b -c -D -H -h -k -l -m -P -S -s -x --null --all --apparent-size --bytes --total --dereference-args"
    ),
    ...flags("--human-readable --inodes --count-links --no-dereference --separate-dirs --si --summarize"),
    ...flags("--one-file-system --help --version"),
    ...valued("-B -d -t --block-size --max-depth --threshold --time-style --exclude"),
    ...optional("--time"),
    ...valued("-X --exclude-from", { value: "file" }),
    ...flags("-L --dereference", { effect: "reaches" }),
    ...valued("--files0-from", { effect: "reaches" })
  },
  operands: { rest: "names", otherwise: "names" }
}

/** Not `--sync`: it writes what the system holds back. */
const df: ProgramTable = {
  name: "df",
  reason: "prints how full file systems are",
  options: {
    ...flags("-a -h -H -i -k -l -P -T -v --all --human-readable --si --inodes --local --no-sync --portability --total"),
    ...flags("--print-type --help --version"),
    ...valued("-B -t -x --block-size --type --exclude-type"),
    ...optional("--output"),
    ...flags("--sync", { effect: "writes" })
  },
  operands: { rest: "names" }
}

export const diskUsage: ReadonlyArray<ProgramTable> = [du, df]
