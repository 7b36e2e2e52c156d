/**
 * Commands that only look, at files inside the workspace: they run without a question where the rules would ask.
 *
 * Judged for each command of a line. A path outside the workspace, a computed argument, a wrapper that changes the
 * conditions or an output file where one may not be written makes a command ordinary again.
 */
import { resolve } from "node:path"
import { programWords, type SimpleCommand, type Word } from "../shell/analysis/shell-analysis.ts"
import { withoutGitOptions } from "./command-matching.ts"
import type { DecisionContext } from "./decision.ts"
import { isSafeGit, pathsInRevisions } from "./known-safe-git.ts"
import { expandHome, isOpenInWorkspace } from "./paths.ts"

/** Look at their arguments as text or at nothing: a path in them is not opened. */
const TEXT_ONLY = new Set([
  "echo",
  "expr",
  "false",
  "id",
  "numfmt",
  "pwd",
  "seq",
  "tr",
  "true",
  "uname",
  "which",
  "whoami"
])
const READERS = new Set(["cat", "cd", "cut", "head", "ls", "nl", "paste", "rev", "stat", "tac", "tail", "wc"])
const FIND_ACTS = /^-(?:exec|execdir|ok|okdir|delete|fls|fprint|fprint0|fprintf)$/
const RG_ACTS = /^(?:--pre|--hostname-bin|--search-zip|--follow|-[A-Za-z]*[zL])/
/** Options of grep that make it read whole folders. */
const RECURSIVE = /(?:^| )(?:-[A-Za-z]*[rRd]|--(?:rec|deref|direc))/
const BASE64_WRITES = /^(?:-[A-Za-z]*o|--output)/
const SYSTEM_PROGRAM = /^\/(?:usr\/(?:local\/)?)?bin\/|^\/opt\/homebrew\/bin\//

/** `bases`: every folder that may be the working folder when the command runs (`workingFolders`). */
export const isKnownSafe = (
  command: SimpleCommand,
  bases: ReadonlyArray<string>,
  context: DecisionContext
): boolean => {
  const last = command.forms.at(-1)
  if (last === undefined || command.opaque.length > 0) return false
  if (command.forms.slice(0, -1).some((form) => form.role !== "transparent")) return false
  if (!command.redirections.every((redirection) => isSafeRedirection(redirection, bases, context))) return false
  return last.role === "transparent" || last.role === "carrier" || isSafeProgram(programWords(command), bases, context)
}

const isSafeProgram = (words: ReadonlyArray<Word>, bases: ReadonlyArray<string>, context: DecisionContext): boolean => {
  const name = words[0]?.value ?? ""
  const args = words.slice(1)
  const inside = () => args.every((word) => isInsideWord(word, bases, context))
  if (TEXT_ONLY.has(name)) return args.every(isPlainText)
  if (name === "grep") return (!RECURSIVE.test(optionsIn(args)) || isOpenTree(args, bases, context)) && inside()
  if (READERS.has(name)) return (name !== "cd" || isPlainFolder(args)) && inside()
  switch (name) {
    // Its second file is where it writes to.
    case "uniq":
      return args.filter((word) => !word.value.startsWith("-")).length <= 1 && inside()
    case "base64":
      return !args.some((word) => BASE64_WRITES.test(word.value)) && inside()
    case "find":
      return !args.some((word) => FIND_ACTS.test(word.value)) && inside()
    case "sed":
      return isLineRange(args) && inside()
    case "set":
      // Without arguments it prints every variable.
      return args.length > 0 && args.every((word) => /^[-+][euxo]+$|^pipefail$/.test(word.value))
    case "git":
      return (
        isSafeGit(withoutGitOptions(words) ?? { words, isHarmless: true }) &&
        pathsInRevisions(words).every((path) => isOpenPath(path, bases, context)) &&
        inside()
      )
    default:
      return (
        /\/rg$/.test(name) &&
        SYSTEM_PROGRAM.test(name) &&
        !args.some((word) => RG_ACTS.test(word.value)) &&
        isOpenTree(args, bases, context) &&
        inside()
      )
  }
}

const optionsIn = (args: ReadonlyArray<Word>): string =>
  args.flatMap(({ value }) => (value.startsWith("-") ? [value] : [])).join(" ")

/** A search through folders reads all that is in them: nothing closed may be, and no link may be followed. */
const isOpenTree = (args: ReadonlyArray<Word>, bases: ReadonlyArray<string>, context: DecisionContext): boolean => {
  if (/(?:^| )(?:-[A-Za-z]*R|--deref)/.test(optionsIn(args))) return false
  const operands = args.filter((word, index) => {
    const before = args[index - 1]?.value ?? ""
    return !word.value.startsWith("-") && !/^-[A-Za-z]*[ABCDdefgmtT]$|^--[a-z-]+$/.test(before)
  })
  // The first operand is what is looked for; without a second one the working folder is searched.
  const roots = [...args.map((word) => word.value), ...(operands.length < 2 ? ["."] : [])]
  return bases.every((base) => roots.every((root) => !context.holdsClosed(resolve(base, root))))
}

/** `sed -n 5p file`: an option after the script could be another script. */
const isLineRange = (args: ReadonlyArray<Word>): boolean =>
  args.length <= 3 &&
  args[0]?.value === "-n" &&
  /^\d+(?:,\d+)?p$/.test(args[1]?.value ?? "") &&
  args[2]?.value.startsWith("-") !== true

/** Variables whose value gives nothing away. */
const HARMLESS_VARIABLES = new Set([
  "?",
  "#",
  "$",
  "!",
  "0",
  "HOME",
  "PWD",
  "OLDPWD",
  "USER",
  "SHELL",
  "LANG",
  "TERM",
  "HOSTNAME"
])

/** One substitution among plain text: what it runs is judged by itself. Or a sum of plain numbers. */
const ONE_SUBSTITUTION = /^"?[^$`"]*\$\((?:[^$`"(][^$`"]*|\([^$`"A-Za-z_]*\))\)[^$`"]*"?$/

const isPlainText = (word: Word): boolean =>
  !word.hasGlob &&
  (word.dynamic.every((name) => HARMLESS_VARIABLES.has(name)) ||
    (word.dynamic.length === 1 && word.dynamic[0] === "$(…)" && ONE_SUBSTITUTION.test(word.raw)))

const isPlainFolder = (args: ReadonlyArray<Word>): boolean =>
  args.length === 1 && args[0] !== undefined && args[0].value !== "-" && args[0].value !== "" && !args[0].hasGlob

/** Every folder that a line may be working in: the first one, and each literal `cd` from each of them. */
export const workingFolders = (
  commands: ReadonlyArray<SimpleCommand>,
  start: string,
  context: DecisionContext
): ReadonlyArray<string> | undefined => {
  let folders = [start]
  for (const command of commands) {
    const [program, target, ...rest] = programWords(command)
    if (program === undefined || !/^(?:cd|pushd|popd)$/.test(program.value)) continue
    const path = target === undefined || rest.length > 0 ? undefined : literalPath(target, context)
    if (path === undefined || program.value !== "cd" || path === "-") return undefined
    folders = [...new Set([...folders, ...folders.map((folder) => resolve(folder, path))])]
    if (folders.length > 16) return undefined
  }
  return folders
}

const NO_FILES = new Set(["/dev/null", "/dev/stdin", "/dev/stdout", "/dev/stderr"])

const isInsideWord = (word: Word, bases: ReadonlyArray<string>, context: DecisionContext): boolean => {
  const text = literalPath(word, context)
  if (text === undefined) return false
  // A pattern can name a closed file or a link that leads out.
  return !word.hasGlob && pathsIn(text).every((path) => isOpenPath(path, bases, context))
}

const isOpenPath = (path: string, bases: ReadonlyArray<string>, context: DecisionContext): boolean =>
  NO_FILES.has(path) || bases.every((base) => isOpenInWorkspace(resolve(base, path), "read", context))

/** An option can carry a path: `--file=/x`, `-f/x`. Everything that is no option may be one. */
const pathsIn = (text: string): ReadonlyArray<string> => {
  if (!text.startsWith("-") || text === "-") return text === "-" ? [] : [text]
  const value = /^--?[^=]*=(.*)$/s.exec(text)?.[1]
  if (value !== undefined) return value === "" ? [] : [value]
  const slash = text.search(/[/~]|\.\./)
  return slash === -1 ? [] : [text.slice(slash)]
}

/** The word as a path; `undefined` when it is known only at run time. */
const literalPath = (word: Word, context: DecisionContext): string | undefined => {
  let text = word.value
  for (const name of word.dynamic) {
    const value = name === "HOME" ? context.home : name === "PWD" ? context.cwd : undefined
    if (value === undefined) return undefined
    text = text.replace(new RegExp(`\\$(?:${name}\\b|\\{${name}\\})`, "g"), () => value)
  }
  if (!word.hasTilde) return text
  return /^~(?:\/|$)/.test(text) && context.home !== undefined ? expandHome(text, context.home) : undefined
}

const isSafeRedirection = (
  redirection: SimpleCommand["redirections"][number],
  bases: ReadonlyArray<string>,
  context: DecisionContext
): boolean => {
  if (redirection.isHarmless || redirection.target === undefined) return true
  const path = literalPath(redirection.target, context)
  if (path === undefined || redirection.target.hasGlob) return false
  const access = redirection.access === "read" ? "read" : "write"
  return bases.every((base) => isOpenInWorkspace(resolve(base, path), access, context))
}

/** Targets of real redirections that lie where nothing may be written without a question. */
export const redirectsOutside = (
  command: SimpleCommand,
  bases: ReadonlyArray<string>,
  context: DecisionContext
): boolean => !command.redirections.every((redirection) => isSafeRedirection(redirection, bases, context))
