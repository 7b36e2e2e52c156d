/**
 * The few commands that are never run: a fixed list that no mode and no rule opens. It deletes everything, overwrites
 * a device, or never ends. A net for accidents, not a wall: text that computes its target can still get past it. Below
 * are those that deserve a question even where a rule allows all of the shell.
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
import { laterReadings } from "./well-known.ts"

const FORK_BOMB = /(\S{1,50})\s{0,9}\(\)\s{0,9}\{\s{0,9}\1\s{0,9}\|\s{0,9}\1\s{0,9}&\s{0,9}\}/

/** Why this line is never run; `undefined` for all but a fixed short list. `folder`: where it starts. */
export const catastropheIn = (
  analysis: ShellAnalysis,
  folder: string,
  context: DecisionContext
): string | undefined => {
  if (analysis.hasForkBomb || FORK_BOMB.test(analysis.text.slice(0, MAX_SEARCHED))) return "it is a fork bomb"
  const place: Place = { folders: foldersIn(analysis, folder, context), context }
  const namesEverything = analysis.commands.some((command) =>
    programWords(command).some((word) => isEverything(withoutName(word), { ...place, folders: ["/nowhere"] }))
  )
  for (const command of analysis.commands) {
    const found = catastropheOf(command, place, namesEverything)
    if (found !== undefined) return found
  }
  // Text that is not understood is searched for the plain forms at least.
  return isOpaque(analysis) ? catastropheInText(analysis.text) : undefined
}

interface Place {
  /** Where the line may be working when a command of it runs. */
  readonly folders: ReadonlyArray<string>
  readonly context: DecisionContext
}

const foldersIn = (analysis: ShellAnalysis, folder: string, context: DecisionContext): ReadonlyArray<string> => {
  const folders = [folder]
  for (const command of analysis.commands) {
    const [program, target] = programWords(command)
    if (program === undefined || !/^(?:cd|pushd)$/.test(program.value)) continue
    if (target === undefined) folders.push(context.home ?? "/")
    else folders.push(...pathsOf(target, context).map((path) => resolve(folders.at(-1) ?? folder, path)))
  }
  return folders
}

const catastropheOf = (command: SimpleCommand, place: Place, namesEverything: boolean): string | undefined => {
  const words = programWords(command)
  for (const reading of [words, ...laterReadings(words)]) {
    const found = catastropheOfWords(reading, place, namesEverything)
    if (found !== undefined) return found
  }
  const written = command.redirections.find(
    (redirection) => redirection.access === "write" && isDevice(redirection.target?.value ?? "")
  )
  return written === undefined ? undefined : `it overwrites the device \`${written.target?.value}\``
}

const FORMATS = /^(?:mkfs(?:\..*)?|mke2fs|mkswap|wipefs|shred|blkdiscard|sgdisk|sfdisk|badblocks)$/
const WRITES = /^(?:tee|cp|mv|install|truncate)$/

const catastropheOfWords = (words: ReadonlyArray<Word>, place: Place, namesEverything: boolean): string | undefined => {
  const name = baseName(words[0]?.value ?? "")
  const args = words.slice(1)
  if (name === "rm" && (hasFlag(args, "r", "recursive") || hasFlag(args, "R"))) {
    const everything = args.find((word) => isEverything(word, place))
    if (everything !== undefined) return `it deletes \`${everything.raw}\``
    if (namesEverything && args.some((word) => word.dynamic.length > 0))
      return "it may delete the system or the home folder, which the line names"
  }
  if (name === "find") return deletionByFind(args, place)
  if (FORMATS.test(name) && args.some((word) => isDevice(word.value))) return "it overwrites a device"
  if (WRITES.test(name) && isDevice((name === "tee" ? args.find(isDeviceWord) : args.at(-1))?.value ?? ""))
    return "it overwrites a device"
  if (name === "dd" && args.some((word) => word.value.startsWith("of=") && isDevice(word.value.slice(3))))
    return "it overwrites a device"
  return undefined
}

const deletionByFind = (args: ReadonlyArray<Word>, place: Place): string | undefined => {
  const everything = args.find((word) => isEverything(word, place))
  const deletes = args.some(
    (word, index) => word.value === "-delete" || (/^-exec/.test(word.value) && args[index + 1]?.value === "rm")
  )
  // `find / -name x -delete` is narrow; without a test it takes all.
  const isNarrow = args.some((word) =>
    /^-(?:i?name|i?path|i?regex|newer|size|[acm]time|[acm]min|user|maxdepth)$/.test(word.value)
  )
  return everything !== undefined && deletes && !isNarrow
    ? `it deletes everything below \`${everything.raw}\``
    : undefined
}

const isDevice = (path: string): boolean =>
  /^\/dev\/(?:sd|hd|vd|xvd|nvme|mmcblk|disk|rdisk|mapper\/|md|loop|dm-)/.test(path)
const isDeviceWord = (word: Word): boolean => isDevice(word.value)

/** `x=/` names the root folder as well. */
const withoutName = (word: Word): Word => ({ ...word, value: word.value.replace(/^[A-Za-z_]\w*=/, "") })

/** The root or home folder, or all that is in it. */
const isEverything = (word: Word, { context, folders }: Place): boolean =>
  pathsOf(word, context).some((text) => {
    if (text === "" || text.startsWith("-")) return false
    // A last part made of nothing but wildcards stands for the folder that it is in.
    const folder = text.replace(/(^|\/)(?=[^/]*[*?])[*?.[\]!]+$/, "$1") || "."
    return folders.some((base) => {
      const path = resolve(base, folder)
      const { home } = context
      return path === "/" || (home !== undefined && home !== "/" && path === resolve(home))
    })
  })

/** The paths that a word may stand for, as far as that can be told: `~`, `$HOME`, `$PWD` and braces are followed. */
const pathsOf = (word: Word, context: DecisionContext): ReadonlyArray<string> => {
  if (word.dynamic.some((name) => name !== "HOME" && name !== "PWD" && name !== "{…}")) return []
  return braceAlternatives(word.value).map((text) => {
    const expanded = text
      .replace(/\$HOME\b|\$\{HOME(?::?[-=?+][^}]*)?\}/g, () => context.home ?? "~")
      .replace(/\$PWD\b|\$\{PWD(?::?[-=?+][^}]*)?\}/g, () => context.cwd)
    return word.hasTilde || text.startsWith("~") ? expandHome(expanded, context.home) : expanded
  })
}

const MAX_ALTERNATIVES = 64

const braceAlternatives = (text: string): ReadonlyArray<string> => {
  let open = [text]
  for (let step = 0; step < 4; step++) {
    open = open.slice(0, MAX_ALTERNATIVES).flatMap((one) => {
      const brace = /(?<!\$)\{([^{}]*,[^{}]*)\}/.exec(one)
      if (brace === null) return [one]
      const after = one.slice(brace.index + brace[0].length)
      return (brace[1] ?? "").split(",").map((part) => one.slice(0, brace.index) + part + after)
    })
  }
  return open
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

/** Commands that deserve a question even where a rule without conditions allows all of the shell. */
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
const hasFlag = (args: ReadonlyArray<Word>, short: string, long?: string): boolean =>
  args.some(
    ({ value }) =>
      (short !== "" && /^-[^-]/.test(value) && value.slice(1).includes(short)) ||
      (long !== undefined && value.length > 3 && `--${long}`.startsWith(value))
  )
