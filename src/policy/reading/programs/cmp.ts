/** `cmp` compares two files; behind them stand how many bytes of each to skip. */
import { flags, type ProgramTable, valued } from "../program-table.ts"

export const cmp: ProgramTable = {
  name: "cmp",
  reason: "prints where two files differ",
  options: {
    ...flags("-b -l -s -v --print-bytes --verbose --quiet --silent --help --version"),
    ...valued("-i -n --ignore-initial --bytes")
  },
  operands: { first: ["file", "file", "text", "text"], rest: "none" }
}
