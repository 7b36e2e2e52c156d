/** `cat` prints files. */
import { flags, type ProgramTable } from "../program-table.ts"

export const cat: ProgramTable = {
  name: "cat",
  reason: "prints the files that it is given",
  options: flags(
    "-A -b -e -E -n -s -t -T -u -v --show-all --number-nonblank --show-ends --number --squeeze-blank --show-tabs --show-nonprinting --help --version"
  ),
  operands: { rest: "file" }
}
