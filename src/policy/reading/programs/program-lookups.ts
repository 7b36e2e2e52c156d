/** Where a name leads. `command -v` stands with the wrappers. */
import { flags, type ProgramTable } from "../program-table.ts"

/** A script of the system; it starts nothing. */
const which: ProgramTable = {
  name: "which",
  reason: "prints where programs stand",
  options: flags("-a"),
  operands: { rest: "names" }
}

const type: ProgramTable = {
  name: "type",
  reason: "prints what a name means to the shell",
  isBuiltin: true,
  style: "leading",
  options: flags("-a -f -p -P -t"),
  operands: { rest: "names" }
}

export const programLookups: ReadonlyArray<ProgramTable> = [which, type]
