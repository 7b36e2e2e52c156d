/** Builtins of the shell that only compute, print or move about. */
import { flags, type ProgramTable } from "../program-table.ts"

const builtin = (name: string, reason: string, more: Partial<ProgramTable> = {}): ProgramTable => ({
  name,
  reason,
  isBuiltin: true,
  style: "words",
  options: {},
  operands: { rest: "text" },
  ...more
})

export const shellWords: ReadonlyArray<ProgramTable> = [
  builtin("true", "does nothing"),
  builtin("false", "does nothing"),
  builtin(":", "does nothing"),
  builtin("pwd", "prints the working folder", {
    style: "gnu",
    options: flags("-L -P"),
    operands: { rest: "none" },
    printsPlainly: true
  }),
  // Where it leads is followed by the reading itself.
  builtin("cd", "changes the working folder of this line", {
    style: "leading",
    operands: { first: ["text"], rest: "none" }
  }),
  builtin("set", "changes how this line ends and what it prints", {
    refuses: ({ operands }) =>
      operands.length > 0 && operands.every(({ isExact, text }) => isExact && /^[-+][euxo]+$|^pipefail$/.test(text))
        ? undefined
        : { effect: "unknown", why: "`set` with other options" }
  })
]
