/** Commands that deserve a question even where a rule without conditions allows all of the shell. */
import { programWords, type SimpleCommand, type Word } from "../shell/analysis/shell-analysis.ts"
import { baseName } from "../shell/analysis/unwrap.ts"
import { withoutGitOptions } from "./command-matching.ts"

const ALWAYS_RISKY = new Set([
  "dd",
  "shred",
  "wipefs",
  "fdisk",
  "parted",
  "shutdown",
  "reboot",
  "halt",
  "poweroff",
  "killall",
  "pkill"
])
const FIND_ACTS = /^-(?:exec|execdir|ok|okdir|delete|fls|fprint|fprint0|fprintf)$/

/** Why this command should be asked about; `undefined` for ordinary ones. */
export const dangerOf = (command: SimpleCommand): string | undefined => {
  if (command.forms.some((form) => /^(?:sudo|doas)$/.test(baseName(form.words[0]?.value ?? "")))) {
    return "it runs with another user's rights"
  }
  const words = programWords(command)
  const name = baseName(words[0]?.value ?? "")
  const args = words.slice(1)
  if (name === "rm" && (hasFlag(args, "r", "recursive") || hasFlag(args, "R") || hasFlag(args, "f", "force"))) {
    return "`rm` with force or recursion"
  }
  if (ALWAYS_RISKY.has(name) || /^mkfs(?:\.|$)/.test(name)) return `\`${name}\` can destroy data or stop the machine`
  if (/^(?:chmod|chown|chgrp)$/.test(name) && hasFlag(args, "R", "recursive")) return `\`${name}\` on whole trees`
  if (name === "find" && args.some((word) => FIND_ACTS.test(word.value))) return "`find` that acts on what it finds"
  if (name === "rg" && args.some((word) => /^(?:--pre|--hostname-bin|--search-zip|-z)/.test(word.value)))
    return "`rg` that runs a program"
  if (name === "base64" && args.some((word) => /^(?:-o|--output)/.test(word.value)))
    return "`base64` that writes a file"
  if (/^git(?:\.exe)?$/.test(name)) return gitDanger((withoutGitOptions(words) ?? { words }).words, words)
  return undefined
}

const gitDanger = (words: ReadonlyArray<Word>, all: ReadonlyArray<Word>): string | undefined => {
  const subcommand = words[1]?.value ?? ""
  const args = words.slice(2)
  if (all.some((word) => word.value === "-c" || word.value.startsWith("--config-env")))
    return "`git` with a changed configuration"
  if (args.some((word) => /^--(?:output|ext-diff|textconv|exec)/.test(word.value)))
    return "`git` that runs a program or writes a file"
  const isForced = hasFlag(args, "f", "force") || args.some((word) => /^--force|^\+./.test(word.value))
  if (subcommand === "push" && (isForced || hasFlag(args, "d", "delete") || hasFlag(args, "", "mirror")))
    return "`git push` that rewrites or deletes"
  if (subcommand === "reset" && hasFlag(args, "", "hard")) return "`git reset --hard` drops changes"
  if (subcommand === "clean" && isForced) return "`git clean` deletes files"
  if (subcommand === "branch" && hasFlag(args, "D")) return "`git branch -D` deletes unmerged work"
  return undefined
}

/** A short option anywhere in its group, or the long one, which may be shortened. */
export const hasFlag = (args: ReadonlyArray<Word>, short: string, long?: string): boolean =>
  args.some(
    ({ value }) =>
      (short !== "" && /^-[^-]/.test(value) && value.slice(1).includes(short)) ||
      (long !== undefined && value.length > 3 && `--${long}`.startsWith(value))
  )
