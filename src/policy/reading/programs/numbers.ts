/** Programs that compute with the words that they are given; none of them opens a file. */
import { flags, optional, type ProgramTable, valued } from "../program-table.ts"

const seq: ProgramTable = {
  name: "seq",
  reason: "prints numbers",
  style: "leading",
  operandsLike: /^-[\d.]/,
  options: { ...flags("-w --equal-width --help --version"), ...valued("-f -s --format --separator") },
  operands: { rest: "text" }
}

const factor: ProgramTable = {
  name: "factor",
  reason: "prints the factors of numbers",
  options: flags("--help --version"),
  operands: { rest: "text" }
}

const numfmt: ProgramTable = {
  name: "numfmt",
  reason: "prints numbers in another form",
  options: {
    ...flags("-z --debug --grouping --zero-terminated --help --version"),
    ...valued("-d --delimiter --field --format --from --from-unit --invalid --padding --round --suffix --to --to-unit"),
    ...optional("--header")
  },
  operands: { rest: "text" }
}

const expr: ProgramTable = {
  name: "expr",
  reason: "prints what an expression of its words comes to",
  style: "words",
  options: {},
  operands: { rest: "text" }
}

export const numbers: ReadonlyArray<ProgramTable> = [seq, factor, numfmt, expr]
