/**
 * Commands that deserve a question even where a rule without conditions allows all of the shell, and the few that are
 * never run. The first list warns; the second is the fixed set that no mode and no rule opens.
 */
import { resolve } from "node:path"
import {
  isOpaque,
  programWords,
  type ShellAnalysis,
  type SimpleCommand,
  type Word
} from "../shell/analysis/shell-analysis.ts"
import { baseName } from "../shell/analysis/unwrap.ts"
import { withoutGitOptions } from "./command-matching.ts"
import type { DecisionContext } from "./decision.ts"
import { expandHome } from "./paths.ts"

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

/** A short option anywhere in its group, or the long one. */
const hasFlag = (args: ReadonlyArray<Word>, short: string, long?: string): boolean =>
  args.some(
    ({ value }) =>
      (short !== "" && /^-[^-]/.test(value) && value.slice(1).includes(short)) ||
      (long !== undefined && value === `--${long}`)
  )

const FORK_BOMB = /(\S{1,50})\s{0,9}\(\)\s{0,9}\{\s{0,9}\1\s{0,9}\|\s{0,9}\1\s{0,9}&\s{0,9}\}/

/** Why this line is never run; `undefined` for all but a fixed short list. */
export const catastropheIn = (analysis: ShellAnalysis, context: DecisionContext): string | undefined => {
  if (analysis.hasForkBomb || FORK_BOMB.test(analysis.text.slice(0, MAX_SEARCHED))) return "it is a fork bomb"
  for (const command of analysis.commands) {
    const found = catastropheOf(command, context)
    if (found !== undefined) return found
  }
  // Text that is not understood is searched for the plain forms at least.
  return isOpaque(analysis) ? catastropheInText(analysis.text) : undefined
}

const catastropheOf = (command: SimpleCommand, context: DecisionContext): string | undefined => {
  const words = programWords(command)
  const name = baseName(words[0]?.value ?? "")
  const args = words.slice(1)
  const everything = args.find((word) => isRootOrHome(word, context))
  const isRecursive = hasFlag(args, "r", "recursive") || hasFlag(args, "R")
  if (name === "rm" && isRecursive && everything !== undefined) return `it deletes \`${everything.raw}\``
  if (name === "find" && everything !== undefined) {
    const deletes = args.some(
      (word, index) => word.value === "-delete" || (/^-exec/.test(word.value) && args[index + 1]?.value === "rm")
    )
    // `find / -name x -delete` is narrow; without a test it takes all.
    const isNarrow = args.some((word) =>
      /^-(?:i?name|i?path|i?regex|newer|size|[acm]time|[acm]min|user|maxdepth)$/.test(word.value)
    )
    if (deletes && !isNarrow) return `it deletes everything below \`${everything.raw}\``
  }
  if (/^mkfs(?:\.|$)/.test(name) && args.some((word) => isDevice(word.value))) return "it formats a device"
  if (name === "dd" && args.some((word) => word.value.startsWith("of=") && isDevice(word.value.slice(3))))
    return "it overwrites a device"
  const written = command.redirections.find(
    (redirection) => redirection.access === "write" && isDevice(redirection.target?.value ?? "")
  )
  return written === undefined ? undefined : `it overwrites the device \`${written.target?.value}\``
}

const isDevice = (path: string): boolean =>
  /^\/dev\/(?:sd|hd|vd|xvd|nvme|mmcblk|disk|rdisk|mapper\/|md|loop|dm-)/.test(path)

const isRootOrHome = (word: Word, context: DecisionContext): boolean => {
  const home = context.home
  const variables = word.dynamic.filter((name) => name !== "HOME" && name !== "PWD")
  if (variables.length > 0) return false
  const expanded = word.value
    .replace(/\$HOME\b|\$\{HOME\}/g, () => home ?? "~")
    .replace(/\$PWD\b|\$\{PWD\}/g, () => context.cwd)
  const text = word.hasTilde ? expandHome(expanded, home) : expanded
  if (text === "" || (text.startsWith("-") && text !== "-")) return false
  const path = resolve(context.cwd, text.replace(/\/(?:\*|\.\*|\{\*,\.\*\})$/, "/"))
  return path === "/" || (home !== undefined && home !== "/" && path === resolve(home))
}

const MAX_SEARCHED = 65_536
const DEVICE_WRITERS =
  /\bmkfs(?:\.\w{1,20})?\s[^\n]{0,200}\/dev\/|\bdd\s[^\n]{0,200}of=\/dev\/(?:sd|hd|vd|nvme|mmcblk|disk)/

const catastropheInText = (text: string): string | undefined => {
  const spaced = text.slice(0, MAX_SEARCHED).replace(/\$IFS|\$\{IFS[^}]{0,100}\}/g, " ")
  if (DEVICE_WRITERS.test(spaced)) return "it would overwrite a device"
  for (const [, flags = "", target = ""] of spaced.matchAll(/\brm\s+((?:-\S+\s+)+)([^\s;&|)]+)/g)) {
    const isRecursive = /(?:^|\s)-(?:\w*[rR]|-recursive)/.test(flags)
    const path = target.replaceAll(/["']/g, "")
    if (isRecursive && /^(?:\/+|~\/?|\$HOME\/?|\$\{HOME\}\/?)\*?$/.test(path))
      return "it would delete the system or the home folder"
  }
  return undefined
}
