/** Programs that print the lines of the files that they are given, or of their input, in another form. */
import { flags, has, type OptionTable, optional, type ProgramTable, valued } from "../program-table.ts"

const filter = (
  name: string,
  reason: string,
  options: OptionTable,
  more: Partial<ProgramTable> = {}
): ProgramTable => ({
  name,
  reason,
  options: { ...flags("--help --version"), ...options },
  operands: { rest: "file" },
  ...more
})

export const lineFilters: ReadonlyArray<ProgramTable> = [
  filter(
    "head",
    "prints the beginning of the files that it is given",
    { ...flags("-q -v -z --quiet --silent --verbose --zero-terminated"), ...valued("-c -n --bytes --lines") },
    { hasNumberOption: true }
  ),
  // What comes from a pipe it keeps in a file without a name, in the folder for temporary files.
  filter("tac", "prints lines from the last to the first", {
    ...flags("-b -r --before --regex"),
    ...valued("-s --separator")
  }),
  filter("rev", "prints lines from right to left", flags("-h -V")),
  filter("nl", "prints lines with numbers", {
    ...flags("-p --no-renumber"),
    ...valued("-b -d -f -h -i -l -n -s -v -w --body-numbering --section-delimiter --footer-numbering"),
    ...valued("--header-numbering --line-increment --join-blank-lines --number-format --number-separator"),
    ...valued("--starting-line-number --number-width")
  }),
  filter("cut", "prints parts of lines", {
    ...flags("-n -s -z --complement --only-delimited --zero-terminated"),
    ...valued("-b -c -d -f --bytes --characters --delimiter --fields --output-delimiter")
  }),
  filter("paste", "prints lines of several files side by side", {
    ...flags("-s -z --serial --zero-terminated"),
    ...valued("-d --delimiters")
  }),
  filter(
    "fold",
    "breaks lines",
    { ...flags("-b -s --bytes --spaces"), ...valued("-w --width") },
    { hasNumberOption: true }
  ),
  filter(
    "fmt",
    "breaks paragraphs",
    {
      ...flags("-c -s -t -u --crown-margin --split-only --tagged-paragraph --uniform-spacing"),
      ...valued("-p -w -g --prefix --width --goal")
    },
    { hasNumberOption: true }
  ),
  filter(
    "expand",
    "prints tabs as spaces",
    { ...flags("-i --initial"), ...valued("-t --tabs") },
    { hasNumberOption: true }
  ),
  filter("unexpand", "prints spaces as tabs", { ...flags("-a --all --first-only"), ...valued("-t --tabs") }),
  filter("column", "prints lines in columns", {
    ...flags("-t -d -e -L -J -x -h -V --table --table-noheadings --table-header-repeat --keep-empty-lines --json"),
    ...flags("--fillrows"),
    ...valued("-O -N -l -E -H -R -T -W -r -i -p -c -o -s --table-name --table-order --table-columns"),
    ...valued("--table-columns-limit --table-noextreme --table-hide --table-right --table-truncate --table-wrap"),
    ...valued("--tree --tree-id --tree-parent --output-width --output-separator --separator")
  }),
  filter(
    "tr",
    "replaces characters of its input",
    flags("-c -C -d -s -t --complement --delete --squeeze-repeats --truncate-set1"),
    { style: "leading", operands: { rest: "text" } }
  )
]

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

/** Programs that order lines, or compare ordered ones. */
export const sortedLines: ReadonlyArray<ProgramTable> = [sort, uniq, comm, join, tsort, shuf]

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

/** Programs that compute with the words that they are given; none of them opens a file. */
export const numbers: ReadonlyArray<ProgramTable> = [seq, factor, numfmt, expr]
