/** `printenv` prints variables: only names that hold no secret, since without a name it prints all. */
import { flags, type ProgramTable } from "../program-table.ts"

const SHOWN = /^(?:HOME|HOSTNAME|LANG|LANGUAGE|LC_[A-Z]+|LOGNAME|PATH|PWD|SHELL|TERM|TMPDIR|TZ|USER)$/

export const printenv: ProgramTable = {
  name: "printenv",
  reason: "prints variables that hold no secret",
  options: flags("-0 --null"),
  operands: { rest: "text" },
  refuses: ({ operands }) =>
    operands.length > 0 && operands.every(({ isExact, text }) => isExact && SHOWN.test(text))
      ? undefined
      : { effect: "reaches", why: "variables may hold secrets" }
}
