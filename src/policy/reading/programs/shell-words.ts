/**
 * Words of the shell itself, and programs that only print theirs: builtins, `echo`, `printf`, `printenv`, and shells
 * that are asked for their version.
 */
import { flags, has, type ProgramTable } from "../program-table.ts"

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

const shell = (name: string): ProgramTable => ({
  name,
  reason: "runs the text behind -c, which is judged by itself",
  style: "leading",
  options: flags("-c -l -e -u -x"),
  operands: { rest: "text" },
  refuses: (call) =>
    has(call, "-c") ? undefined : { effect: "runs", why: `\`${name}\` without \`-c\` runs a file or its input` }
})

/**
 * Shells that run the text behind `-c`: what it does is judged by its own commands. Without `-c` they run a file.
 */
export const shells: ReadonlyArray<ProgramTable> = [shell("bash"), shell("sh")]

/** `echo` prints its words; none of them is opened. */
export const echo: ProgramTable = {
  name: "echo",
  reason: "prints its words",
  isBuiltin: true,
  style: "words",
  options: {},
  operands: { rest: "text" }
}

const CONVERSION =
  /%(?:%|[-+ #0']*(?:\*|\d+)?(?:\.(?:\*|\d*))?(?:hh|h|ll|l|L|j|t|z)?(?:[diouxXfFeEgGaAcsbqQ]|\([^()]*\)T))/g

/**
 * `printf` of the shell prints. It can also set a variable: with `-v`, and with `%n` in its format, which puts the number
 * of characters into the variable that its word names (`printf %n PATH`). So the format must be known.
 */
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

const SHOWN = /^(?:HOME|HOSTNAME|LANG|LANGUAGE|LC_[A-Z]+|LOGNAME|PATH|PWD|SHELL|TERM|TMPDIR|TZ|USER)$/

/** `printenv` prints variables: only names that hold no secret, since without a name it prints all. */
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
