/**
 * Forms of git that only read: `status`, `log`, `diff`, `show`, and `branch` where it lists. Options are free only when
 * they are listed here: git takes any clear beginning of an option, so `--outpu=x` writes a file as well.
 */
import type { Word } from "../shell/analysis/shell-analysis.ts"

const READING = new Set(["status", "log", "diff", "show"])
const PLAIN_SHORT =
  /^-(?:\d+|n\d*|[pusabwzivERFPWG]|sb|bs|uno|uall|unormal|U\d+|M\d*%?|C\d*%?|B|S.*|G.*|[-+]|vv|cc?|m|t|r|q)$/s
const PLAIN_LONG = new Set([
  ...["oneline", "graph", "stat", "shortstat", "numstat", "name-only", "name-status", "summary", "compact-summary"],
  ...["all", "branches", "tags", "remotes", "decorate", "no-decorate", "abbrev", "abbrev-commit", "no-abbrev-commit"],
  ...["merges", "no-merges", "first-parent", "reverse", "date", "since", "after", "until", "before", "author"],
  ...["committer", "grep", "all-match", "invert-grep", "regexp-ignore-case", "format", "pretty", "max-count", "skip"],
  ...["follow", "patch", "no-patch", "raw", "color", "no-color", "color-words", "word-diff", "color-moved", "cached"],
  ...["staged", "topo-order", "date-order", "author-date-order", "relative-date", "diff-filter", "find-renames"],
  ...["find-copies", "no-renames", "renames", "ignore-all-space", "ignore-space-change", "ignore-blank-lines"],
  ...["ignore-space-at-eol", "unified", "function-context", "minimal", "patience", "histogram", "diff-algorithm"],
  ...["check", "exit-code", "quiet", "short", "porcelain", "branch", "long", "ignored", "untracked-files", "verbose"],
  ...["show-stash", "ahead-behind", "no-ahead-behind", "merge-base", "no-ext-diff", "no-textconv", "full-index"],
  ...["binary", "left-right", "left-only", "right-only", "cherry-pick", "cherry-mark", "cherry", "no-walk", "boundary"],
  ...["notes", "no-notes", "no-prefix", "text", "pickaxe-all", "pickaxe-regex", "simplify-by-decoration", "source"],
  ...[
    "full-history",
    "dense",
    "sparse",
    "ancestry-path",
    "parents",
    "children",
    "dirstat",
    "cc",
    "diff-merges",
    "column"
  ],
  ...["no-column", "ignore-submodules", "submodule", "relative", "no-relative", "stat-width", "walk-reflogs", "reflog"]
])
const LISTING_FLAG =
  /^(?:-[avrq]+|--all|--remotes|--verbose|--show-current|--column|--no-column|--color|--no-color|-i|--ignore-case|--omit-empty)$/
const LISTING_VALUED = /^--(?:sort|format|abbrev|column|color)=/
const LISTS = /^(?:-l|--list|--contains|--no-contains|--merged|--no-merged|--points-at)(?:=|$)/

export const isSafeGit = (git: { readonly words: ReadonlyArray<Word>; readonly isHarmless: boolean }): boolean => {
  if (!git.isHarmless) return false
  const [subcommand = "", ...args] = git.words.slice(1).map((word) => word.value)
  if (subcommand === "branch") return isListing(args)
  return READING.has(subcommand) && args.every(isReading)
}

/** `rev:path` in the arguments: the paths, which are as closed as they are in the folder itself. */
export const pathsInRevisions = (words: ReadonlyArray<Word>): ReadonlyArray<string> =>
  words.slice(1).flatMap(({ value }) => {
    const colon = value.startsWith("-") ? -1 : value.lastIndexOf(":")
    return colon === -1 ? [] : [value.slice(colon + 1) || "."]
  })

/** Git expands patterns itself, and `:(…)`, `:!`, `:/` have meanings of their own. */
const isReading = (arg: string): boolean => {
  if (arg === "--") return true
  if (!arg.startsWith("-")) return !/[*?[]|^:[(!^/]/.test(arg)
  if (!arg.startsWith("--")) return PLAIN_SHORT.test(arg)
  // `%G` calls the program that checks signatures.
  return PLAIN_LONG.has(arg.slice(2).replace(/=.*/s, "")) && !arg.includes("%G")
}

const isListing = (args: ReadonlyArray<string>): boolean => {
  const lists = args.some((arg) => LISTS.test(arg))
  return args.every(
    (arg) => LISTING_FLAG.test(arg) || LISTING_VALUED.test(arg) || LISTS.test(arg) || (lists && !arg.startsWith("-"))
  )
}
