/** `echo` prints its words; none of them is opened. */
import type { ProgramTable } from "../program-table.ts"

export const echo: ProgramTable = {
  name: "echo",
  reason: "prints its words",
  isBuiltin: true,
  style: "words",
  options: {},
  operands: { rest: "text" }
}
