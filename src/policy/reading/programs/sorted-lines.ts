/** Programs that order lines, or compare ordered ones. */
import { flags, has, optional, type ProgramTable, valued } from "../program-table.ts"

/** Where memory does not suffice it keeps parts in the folder for temporary files; `-T` would choose another. */
const sort: ProgramTable = {
  name: "sort",
  reason: "prints the lines of the files that it is given in order",
  options: {
    ...flags("-b -d -f -g -i -M -h -n -R -r -V -c -C -m -s -u -z --ignore-leading-blanks --dictionary-order"),
    ...flags("--ignore-case --general-numeric-sort --ignore-nonprinting --month-sort --human-numeric-sort"),
    ...flags("--numeric-sort --random-sort --reverse --version-sort --debug --merge --stable --unique"),
    ...flags("--zero-terminated --help --version"),
    ...valued("-k -t -S --key --field-separator --buffer-size --parallel --sort"),
    ...optional("--check"),
    ...valued("--random-source", { value: "file" }),
    ...valued("--files0-from", { effect: "reaches" }),
    ...valued("-o --output", { value: "output" }),
    ...valued("-T --temporary-directory --batch-size", { effect: "writes" }),
    ...valued("--compress-program", { effect: "runs" })
  },
  operands: { rest: "file" }
}

/** The second file is the one that it writes. */
const uniq: ProgramTable = {
  name: "uniq",
  reason: "prints lines once",
  hasNumberOption: true,
  options: {
    ...flags("-c -d -D -i -u -z --count --repeated --ignore-case --unique --zero-terminated --help --version"),
    ...valued("-f -s -w --skip-fields --skip-chars --check-chars"),
    ...optional("--all-repeated --group")
  },
  operands: { first: ["file", "output"], rest: "none" }
}

const comm: ProgramTable = {
  name: "comm",
  reason: "prints what two files have in common",
  options: {
    ...flags("-1 -2 -3 -z --check-order --nocheck-order --total --zero-terminated --help --version"),
    ...valued("--output-delimiter")
  },
  operands: { rest: "file" }
}

const join: ProgramTable = {
  name: "join",
  reason: "prints lines of two files that belong together",
  options: {
    ...flags("-i -z --ignore-case --check-order --nocheck-order --header --zero-terminated --help --version"),
    ...valued("-a -e -j -o -t -v -1 -2")
  },
  operands: { rest: "file" }
}

const tsort: ProgramTable = {
  name: "tsort",
  reason: "prints words in the order that they ask for",
  options: flags("--help --version"),
  operands: { first: ["file"], rest: "none" }
}

const shuf: ProgramTable = {
  name: "shuf",
  reason: "prints lines in any order",
  options: {
    ...flags("-e -r -z --echo --repeat --zero-terminated --help --version"),
    ...valued("-i -n --input-range --head-count"),
    ...valued("--random-source", { value: "file" }),
    ...valued("-o --output", { value: "output" })
  },
  operands: (call) => ({ rest: has(call, "-e", "--echo") ? "text" : "file" })
}

export const sortedLines: ReadonlyArray<ProgramTable> = [sort, uniq, comm, join, tsort, shuf]
