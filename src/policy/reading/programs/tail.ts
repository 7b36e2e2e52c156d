/** `tail` prints the end of files, and with `-f` what is added to them until it is ended. */
import { flags, optional, type ProgramTable, valued } from "../program-table.ts"

export const tail: ProgramTable = {
  name: "tail",
  reason: "prints the end of the files that it is given",
  hasNumberOption: true,
  options: {
    ...flags("-f -F -q -v -z --quiet --silent --retry --verbose --zero-terminated --help --version"),
    ...valued("-c -n -s --bytes --lines --max-unchanged-stats --pid --sleep-interval"),
    ...optional("--follow")
  },
  operands: { rest: "file" }
}
