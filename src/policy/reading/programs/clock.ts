/** Time: `date` prints it, and sets it where its word is no format; `cal` prints months; `sleep` waits. */
import { flags, optional, type ProgramTable, valued } from "../program-table.ts"

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

export const clock: ReadonlyArray<ProgramTable> = [date, cal, sleep]
