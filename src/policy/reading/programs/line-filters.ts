/** Programs that print the lines of the files that they are given, or of their input, in another form. */
import { flags, type OptionTable, type ProgramTable, valued } from "../program-table.ts"

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
