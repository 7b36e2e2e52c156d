/** `grep` prints lines of files; recursive, it reads everything below the folders that it is given. */
import { flags, has, optional, optionValue, type ParsedCall, type ProgramTable, valued } from "../program-table.ts"

const isRecursive = (call: ParsedCall): boolean =>
  has(call, "-r", "--recursive", "-R", "--dereference-recursive") ||
  optionValue(call, "-d", "--directories")?.text === "recurse"

const grep: ProgramTable = {
  name: "grep",
  reason: "prints lines of the files that it is given",
  hasNumberOption: true,
  options: {
    ...flags("-E -F -G -P -i -y -w -x -z -s -v -b -n -H -h -q -a -I -r -L -l -c -T -Z -U -o"),
    ...flags(
      "--extended-regexp --fixed-strings --basic-regexp --perl-regexp --ignore-case --no-ignore-case --word-regexp"
    ),
    ...flags("--line-regexp --null-data --no-messages --invert-match --byte-offset --line-number --line-buffered"),
    ...flags("--with-filename --no-filename --only-matching --quiet --silent --text --recursive --files-without-match"),
    ...flags("-V --files-with-matches --count --initial-tab --null --binary --no-group-separator --help --version"),
    ...flags("-R --dereference-recursive", { effect: "reaches" }),
    ...valued(
      "-e -m -A -B -C -D --regexp --max-count --after-context --before-context --context --devices --label --binary-files"
    ),
    ...valued("-d --directories", { only: /^(?:read|recurse|skip)$/ }),
    ...valued("-f --file", { value: "file" }),
    ...valued("--include --exclude --exclude-dir --group-separator"),
    ...valued("--exclude-from", { value: "file" }),
    ...optional("--color --colour")
  },
  operands: (call) => ({
    first: has(call, "-e", "--regexp", "-f", "--file") ? [] : ["text"],
    rest: isRecursive(call) ? "tree" : "file",
    ...(isRecursive(call) ? { otherwise: "tree" as const } : {})
  })
}

/** Scripts around `grep` in newer systems. */
const older = (name: string): ProgramTable => ({ ...grep, name, starts: ["grep"] })

export const greps: ReadonlyArray<ProgramTable> = [grep, older("egrep"), older("fgrep")]
