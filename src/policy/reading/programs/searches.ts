/** Programs that look for names or lines: `grep` and its relatives, `rg`, `find`. */
import {
  flags,
  has,
  type OptionTable,
  optional,
  optionValue,
  type ParsedCall,
  type ProgramTable,
  valued
} from "../program-table.ts"

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

/**
 * `rg` prints lines of everything below the folders that it is given; it leaves links alone unless told otherwise.
 */
export const rg: ProgramTable = {
  name: "rg",
  reason: "prints lines of the files below the folders that it is given",
  options: {
    ...flags("-b -s -c -l -F -h -i -v -n -x -U -I -N -0 -o -P -p -q -S -a -V -H -w -u -."),
    ...flags(
      "--auto-hybrid-regex --binary --block-buffered --byte-offset --case-sensitive --column --count --count-matches"
    ),
    ...flags("--crlf --files --files-with-matches --files-without-match --fixed-strings --glob-case-insensitive"),
    ...flags(
      "--help --heading --hidden --ignore-case --ignore-file-case-insensitive --include-zero --invert-match --json"
    ),
    ...flags("--line-buffered --line-number --line-regexp --max-columns-preview --mmap --multiline --multiline-dotall"),
    ...flags(
      "--no-config --no-context-separator --no-filename --no-heading --no-ignore --no-ignore-dot --no-ignore-exclude"
    ),
    ...flags(
      "--no-ignore-files --no-ignore-global --no-ignore-messages --no-ignore-parent --no-ignore-vcs --no-line-number"
    ),
    ...flags(
      "--no-messages --no-mmap --no-pcre2-unicode --no-require-git --no-unicode --null --null-data --one-file-system"
    ),
    ...flags("--only-matching --passthru --pcre2 --pcre2-version --pretty --quiet --smart-case --stats --text --trim"),
    ...flags("--type-list --unrestricted --version --vimgrep --with-filename --word-regexp --no-follow --no-hidden"),
    // It prints patterns of files that it goes by.
    ...flags("--debug", { effect: "reaches" }),
    ...flags("-L --follow", { effect: "reaches" }),
    ...flags("-z --search-zip", { effect: "runs" }),
    ...valued("-A -B -C -E -g -M -m -e -r -j -t -T -d --after-context --before-context --context --color --colors"),
    ...valued(
      "--context-separator --dfa-size-limit --encoding --engine --field-context-separator --field-match-separator"
    ),
    ...valued("--glob --iglob --max-columns --max-count --max-depth --max-filesize --path-separator --pre-glob"),
    ...valued(
      "--regex-size-limit --regexp --replace --sort --sortr --threads --type --type-add --type-clear --type-not"
    ),
    ...valued("-f --file --ignore-file", { value: "file" }),
    ...valued("--pre --hostname-bin", { effect: "runs" })
  },
  // Patterns in any case come behind those of the guard, and the last one that matches decides.
  passesOverUnless: ["--no-config", "--iglob"],
  operands: (call) => ({
    first: has(call, "-e", "--regexp", "-f", "--file", "--files", "--type-list") ? [] : ["text"],
    rest: "tree",
    otherwise: "tree"
  })
}

const findCommands: OptionTable = Object.fromEntries(
  ["-exec", "-execdir", "-ok", "-okdir"].map((name) => [name, { takes: "command", effect: "runs" }])
)

/** `find` prints names; the actions that run programs, write files or delete are marked as such. */
export const find: ProgramTable = {
  name: "find",
  reason: "prints the names below the folders that it is given",
  hasLongDashes: true,
  options: {
    ...flags("-P -H -a -and -o -or -not -depth -d -daystart -mount -xdev -noleaf -warn -nowarn -true -false -empty"),
    ...flags(
      "-executable -readable -writable -nouser -nogroup -prune -print -print0 -ls -quit -help --help -version --version"
    ),
    ...flags("-ignore_readdir_race -noignore_readdir_race"),
    ...flags("-L -follow", { effect: "reaches" }),
    ...flags("-delete", { effect: "writes" }),
    ...valued(
      "-maxdepth -mindepth -regextype -name -iname -path -ipath -wholename -iwholename -regex -iregex -lname -ilname"
    ),
    ...valued(
      "-type -xtype -size -perm -user -group -uid -gid -links -inum -fstype -amin -cmin -mmin -atime -ctime -mtime"
    ),
    ...valued("-used -printf -context"),
    ...valued("-newer -anewer -cnewer -samefile", { value: "names" }),
    ...valued("-fprint -fprint0 -fls", { value: "output" }),
    ...valued("-files0-from", { value: "file", effect: "reaches" }),
    ...Object.fromEntries([["-fprintf", { takes: 2, effect: "writes" }]] as const),
    ...findCommands
  },
  operands: { rest: "names", otherwise: "names" }
}
