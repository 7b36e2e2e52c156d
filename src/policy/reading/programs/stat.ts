/** `stat` prints attributes of files; it opens none. */
import { flags, type ProgramTable, valued } from "../program-table.ts"

export const stat: ProgramTable = {
  name: "stat",
  reason: "prints attributes of what it is given",
  options: {
    ...flags("-L -f -t --dereference --file-system --terse --help --version"),
    ...valued("-c --format --printf --cached")
  },
  operands: { rest: "names" }
}
