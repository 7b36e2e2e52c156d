/**
 * Programs that are there to change files. They always ask, unless a rule names them; the tables keep such a rule to what
 * the name says, so that no option starts another program (`install --strip-program`, `split --filter`).
 */
import {
  flags,
  has,
  type OperandSpec,
  type OptionTable,
  optional,
  type ParsedCall,
  type ProgramTable,
  valued
} from "../program-table.ts"

const changes = (
  name: string,
  reason: string,
  options: OptionTable,
  operands: ProgramTable["operands"] = { rest: "output" },
  more: Partial<ProgramTable> = {}
): ProgramTable => ({
  name,
  reason,
  nature: "writes",
  options: { ...flags("--help --version"), ...options },
  operands,
  ...more
})

const INTO = valued("-t --target-directory", { value: "output" })
const BACKUPS: OptionTable = { ...flags("-b"), ...optional("--backup"), ...valued("-S --suffix") }
const CONTEXT: OptionTable = { ...flags("-Z"), ...optional("--context") }

/** The last word is where it goes, unless an option said so. */
const fromTo =
  (kind: (call: ParsedCall) => "tree" | "file" | "output" | "text") =>
  (call: ParsedCall): OperandSpec => {
    const from = kind(call)
    return has(call, "-t", "--target-directory")
      ? { rest: from }
      : { first: call.operands.slice(1).map(() => from), rest: "output" }
  }

const isRecursive = (call: ParsedCall): boolean => has(call, "-a", "-r", "-R", "--archive", "--recursive")

const copying: ReadonlyArray<ProgramTable> = [
  changes(
    "cp",
    "copies files",
    {
      ...flags("-a -d -f -i -H -l -n -P -p -R -r -s -T -u -v -x --archive --attributes-only --copy-contents --force"),
      ...flags("--interactive --link --no-clobber --no-dereference --parents --recursive --remove-destination"),
      ...flags("--strip-trailing-slashes --symbolic-link --no-target-directory --update --verbose --one-file-system"),
      ...flags("-L --dereference", { effect: "reaches" }),
      ...optional("--preserve --reflink"),
      ...valued("--no-preserve --sparse"),
      ...BACKUPS,
      ...CONTEXT,
      ...INTO
    },
    fromTo((call) => (isRecursive(call) ? "tree" : "file"))
  ),
  changes("mv", "moves files", {
    ...flags("-f -i -n -T -u -v -Z --force --interactive --no-clobber --strip-trailing-slashes --no-target-directory"),
    ...flags("--update --verbose --context"),
    ...BACKUPS,
    ...INTO
  }),
  changes(
    "ln",
    "makes links",
    {
      ...flags("-d -F -f -i -L -n -P -r -s -T -v --directory --force --interactive --logical --no-dereference"),
      ...flags("--physical --relative --symbolic --no-target-directory --verbose"),
      ...BACKUPS,
      ...INTO
    },
    fromTo((call) => (has(call, "-s", "--symbolic") ? "text" : "output"))
  ),
  changes(
    "install",
    "copies files and sets their attributes",
    {
      ...flags("-c -C -d -D -p -T -v --compare --directory --preserve-timestamps --no-target-directory --verbose"),
      ...flags("--preserve-context"),
      ...valued("-g -m -o --group --mode --owner"),
      ...flags("-s --strip", { effect: "runs" }),
      ...valued("--strip-program", { effect: "runs" }),
      ...BACKUPS,
      ...CONTEXT,
      ...INTO
    },
    (call) => (has(call, "-d", "--directory") ? { rest: "output" } : fromTo(() => "file")(call))
  )
]

const OWNER = "-c -f -h -v -R -H -L -P --changes --silent --quiet --verbose --dereference --no-dereference"
const MODES = "-r -w -x -X -s -t -u -g -o -a"
const ROOT = "--no-preserve-root --preserve-root --recursive"

/** The first word says what to set, unless a file is the example. */
const setsOn = (call: ParsedCall): OperandSpec =>
  has(call, "--reference") ? { rest: "output" } : { first: ["text"], rest: "output" }

const attributes: ReadonlyArray<ProgramTable> = [
  changes(
    "chmod",
    "sets who may use files",
    {
      ...flags(`-c -f -v -R --changes --silent --quiet --verbose ${ROOT}`),
      // Modes that take something away: `-x`, `-wx`, `-u=r`.
      ...optional(MODES),
      ...valued("--reference", { value: "names" })
    },
    (call) => (has(call, ...MODES.split(" ")) ? { rest: "output" } : setsOn(call))
  ),
  changes(
    "chown",
    "sets who owns files",
    { ...flags(`${OWNER} ${ROOT}`), ...valued("--from"), ...valued("--reference", { value: "names" }) },
    setsOn
  ),
  changes(
    "chgrp",
    "sets the group of files",
    { ...flags(`${OWNER} ${ROOT}`), ...valued("--reference", { value: "names" }) },
    setsOn
  )
]

const making: ReadonlyArray<ProgramTable> = [
  changes("tee", "writes its input to files", {
    ...flags("-a -i -p --append --ignore-interrupts"),
    ...optional("--output-error")
  }),
  changes("touch", "makes files and sets their times", {
    ...flags("-a -c -f -h -m --no-create --no-dereference"),
    ...valued("-d -t --date --time"),
    ...valued("-r --reference", { value: "names" })
  }),
  changes("mkdir", "makes folders", {
    ...flags("-p -v --parents --verbose"),
    ...valued("-m --mode"),
    ...CONTEXT
  }),
  changes("truncate", "sets the size of files", {
    ...flags("-c -o --no-create --io-blocks"),
    ...valued("-s --size"),
    ...valued("-r --reference", { value: "names" })
  }),
  changes("dd", "copies bytes", {}, { rest: "text" }, { style: "words" })
]

const removing: ReadonlyArray<ProgramTable> = [
  changes("rm", "removes files", {
    ...flags("-f -i -I -r -R -d -v --force --one-file-system --no-preserve-root --recursive --dir --verbose"),
    ...optional("--interactive --preserve-root")
  }),
  changes("rmdir", "removes empty folders", flags("-p -v --ignore-fail-on-non-empty --parents --verbose"))
]

const splitting: ReadonlyArray<ProgramTable> = [
  changes(
    "split",
    "writes a file in parts",
    {
      ...flags("-d -e -u -x --elide-empty-files --unbuffered --verbose"),
      ...valued(
        "-a -b -C -l -n -t --suffix-length --additional-suffix --bytes --line-bytes --lines --number --separator"
      ),
      ...optional("--numeric-suffixes --hex-suffixes"),
      ...valued("--filter", { effect: "runs" })
    },
    { first: ["file", "output"], rest: "none" },
    { hasNumberOption: true }
  ),
  changes(
    "csplit",
    "writes a file in parts",
    {
      ...flags("-k -s -z --keep-files --suppress-matched --quiet --silent --elide-empty-files"),
      ...valued("-b -n --suffix-format --digits"),
      ...valued("-f --prefix", { value: "output" })
    },
    { first: ["file"], rest: "text" }
  )
]

export const fileChanges: ReadonlyArray<ProgramTable> = [
  ...copying,
  ...attributes,
  ...making,
  ...removing,
  ...splitting
]
