/** `wc` counts. A list of files in a file is another way to name files. */
import { flags, type ProgramTable, valued } from "../program-table.ts"

export const wc: ProgramTable = {
  name: "wc",
  reason: "counts lines, words and bytes of the files that it is given",
  options: {
    ...flags("-c -m -l -L -w --bytes --chars --lines --max-line-length --words --help --version"),
    ...valued("--files0-from", { effect: "reaches" })
  },
  operands: { rest: "file" }
}
