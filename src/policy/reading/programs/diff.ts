/**
 * `diff` compares files, and of folders the files in them. It follows the links that it finds there, unless told
 * otherwise, and hands its output to `pr` with `-l`.
 */
import { flags, has, optional, type ProgramTable, valued } from "../program-table.ts"

const LINE_FORMATS = ["old", "new", "unchanged"].map((type) => `--${type}-line-format --${type}-group-format`)

export const diff: ProgramTable = {
  name: "diff",
  reason: "prints where files differ",
  options: {
    ...flags("-q -s -c -u -e -n -y -p -t -T -r -N -i -E -Z -b -w -B -a -d -v --normal --brief --ed --rcs --text"),
    ...flags("--report-identical-files --side-by-side --left-column --suppress-common-lines --show-c-function"),
    ...flags("--expand-tabs --initial-tab --suppress-blank-empty --recursive --no-dereference --new-file"),
    ...flags("--unidirectional-new-file --ignore-file-name-case --no-ignore-file-name-case --ignore-case --minimal"),
    ...flags("--ignore-tab-expansion --ignore-trailing-space --ignore-space-change --ignore-all-space"),
    ...flags("--ignore-blank-lines --strip-trailing-cr --speed-large-files --help --version"),
    ...valued("-C -U -W -F -x -S -I -D --width --show-function-line --label --tabsize --exclude --starting-file"),
    ...valued("--ignore-matching-lines --ifdef --horizon-lines --palette --line-format --changed-group-format"),
    ...valued(LINE_FORMATS.join(" ")),
    ...optional("--context --unified --color"),
    ...valued("-X --exclude-from", { value: "file" }),
    ...valued("--from-file --to-file", { value: "followed" }),
    ...flags("-l --paginate", { effect: "runs" })
  },
  operands: (call) => ({ rest: has(call, "--no-dereference") ? "tree" : "followed" })
}
