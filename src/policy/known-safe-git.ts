/** Forms of git that only read: `status`, `log`, `diff`, `show`, and `branch` where it lists. */
import type { Word } from "../shell/analysis/shell-analysis.ts"

const READING = new Set(["status", "log", "diff", "show"])
const ACTS = /^(?:-c$|--config-env|--output|--ext-diff|--textconv|--exec|--paginate|-p$|--no-index|--upload-pack|-O)/
const LISTING_FLAG =
  /^(?:-[avrq]+|--all|--remotes|--verbose|--show-current|--column|--no-column|--color|--no-color|-i|--ignore-case|--omit-empty)$/
const LISTING_VALUED = /^--(?:sort|format|abbrev|column|color)=/
const LISTS = /^(?:-l|--list|--contains|--no-contains|--merged|--no-merged|--points-at)(?:=|$)/

export const isSafeGit = (git: { readonly words: ReadonlyArray<Word>; readonly isHarmless: boolean }): boolean => {
  if (!git.isHarmless) return false
  const [subcommand = "", ...args] = git.words.slice(1).map((word) => word.value)
  if (subcommand === "branch") return isListing(args)
  // `-p` is a harmless "patch" behind log, diff and show, and the pager only before the sub-command.
  return READING.has(subcommand) && !args.some((arg) => arg !== "-p" && ACTS.test(arg))
}

const isListing = (args: ReadonlyArray<string>): boolean => {
  const lists = args.some((arg) => LISTS.test(arg))
  return args.every(
    (arg) => LISTING_FLAG.test(arg) || LISTING_VALUED.test(arg) || LISTS.test(arg) || (lists && !arg.startsWith("-"))
  )
}
