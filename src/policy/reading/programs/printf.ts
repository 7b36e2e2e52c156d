/**
 * `printf` of the shell prints. It can also set a variable: with `-v`, and with `%n` in its format, which puts the number
 * of characters into the variable that its word names (`printf %n PATH`). So the format must be known.
 */
import type { ProgramTable } from "../program-table.ts"

const CONVERSION =
  /%(?:%|[-+ #0']*(?:\*|\d+)?(?:\.(?:\*|\d*))?(?:hh|h|ll|l|L|j|t|z)?(?:[diouxXfFeEgGaAcsbqQ]|\([^()]*\)T))/g

export const printf: ProgramTable = {
  name: "printf",
  reason: "prints its words",
  isBuiltin: true,
  style: "leading",
  options: {},
  operands: { rest: "text" },
  refuses: ({ operands: [format] }) =>
    format === undefined || (format.isExact && !format.text.replace(CONVERSION, "").includes("%"))
      ? undefined
      : { effect: "unknown", why: "a format of `printf` that is not known, or that sets a variable" }
}
