/**
 * Programs whose arguments or input hold more commands or code: shells, interpreters, `find`, `git`, builtins that
 * change what names mean. Says what more must be analysed, and what cannot be.
 */
import { evaluatingBuiltin } from "./evaluations.ts"
import { commandsInGit } from "./git-runs.ts"
import { codeInArguments, namesStream } from "./interpreters.ts"
import type { Opaque, OpaqueKind, Word } from "./shell-analysis.ts"

/** What a program brings with it. `scripts` are shell texts, `commands` lists of words. */
export interface Inside {
  readonly scripts: ReadonlyArray<{ readonly text: string; readonly via: string }>
  readonly commands: ReadonlyArray<{ readonly words: ReadonlyArray<Word>; readonly via: string }>
  readonly opaque: ReadonlyArray<Opaque>
  /** The program only carries its script: the script's own commands are judged instead. */
  readonly isCarrier: boolean
}

export interface ProgramInput {
  readonly readsPipe: boolean
  readonly documents: ReadonlyArray<string>
  readonly readsFile: boolean
}

export const nothingInside: Inside = { scripts: [], commands: [], opaque: [], isCarrier: false }

const SHELLS = /^(?:r?bash|bash-?\d[\d.]*|r?ksh(?:\d+\w?)?|[alm]?k?sh|[dy]ash|zsh(?:-[\d.]+)?|pdksh|oksh|posh|hush)$/
const FOREIGN_SHELLS = new Set([
  ...["fish", "csh", "tcsh", "pwsh", "pwsh.exe", "powershell", "powershell.exe", "cmd", "cmd.exe", "nu", "xonsh"],
  ...["elvish", "osh", "ysh", "oil", "ion", "murex", "scsh", "rc", "es", "ngs"]
])
const REDEFINING = new Set(["alias", "unalias", "hash", "enable", "bind", "complete", "compgen", "fc", "shopt"])
const RUNS_OTHERS = new Set([
  ...["at", "batch", "coproc", "entr", "expect", "flock", "gdb", "ltrace", "nsenter", "parallel", "pkexec", "runuser"],
  ...["script", "strace", "su", "systemd-run", "tmux", "screen", "unshare", "watch", "crontab", "sudoedit"]
])

// The commands that `find` starts for the files it finds.

const STARTERS = new Set(["-exec", "-execdir", "-ok", "-okdir"])

const commandsInFind = (words: ReadonlyArray<Word>): Inside => {
  const computed = words.slice(1).some((word) => word.dynamic.length > 0 && /^["']?[$`{<]/.test(word.raw))
  const commands: Array<Inside["commands"][number]> = []
  for (let at = 1; at < words.length; at++) {
    const starter = words[at]?.value ?? ""
    if (!STARTERS.has(starter)) continue
    const end = words.findIndex((word, index) => index > at && (word.value === ";" || word.value === "+"))
    const inner = words.slice(at + 1, end === -1 ? words.length : end)
    if (inner.length > 0) commands.push({ words: inner.map(withFile), via: `find ${starter}` })
    if (end === -1) break
    at = end
  }
  return {
    scripts: [],
    commands,
    // A computed word could itself be `-exec` or `-delete`.
    opaque: computed ? [{ kind: "dynamic-command", detail: "an argument of `find` is computed" }] : [],
    isCarrier: false
  }
}

const withFile = (word: Word): Word =>
  word.value.includes("{}") ? { ...word, dynamic: [...word.dynamic, "{}"] } : word

export const insideProgram = (name: string, words: ReadonlyArray<Word>, input: ProgramInput): Inside => {
  if (SHELLS.test(name)) return insideShell(name, words, input)
  if (name === "eval") return insideEval(words)
  if (name === "trap") return insideTrap(words)
  if (name === "source" || name === ".") return only("code", `\`${name}\` runs the commands of a file`)
  if (FOREIGN_SHELLS.has(name)) return only("code", `\`${name}\` speaks another shell language`)
  if (REDEFINING.has(name)) return only("redefinition", `\`${name}\` changes what commands mean`)
  if (RUNS_OTHERS.has(name)) return only("unclear-wrapper", `\`${name}\` runs other commands`)
  if (name === "find") return commandsInFind(words)
  if (name === "git" || name === "git.exe") return commandsInGit(words)
  const found = evaluatingBuiltin(name, words) ?? codeInArguments(name, words, isFed(input))
  return found === undefined ? nothingInside : { ...nothingInside, opaque: [found] }
}

const only = (kind: OpaqueKind, detail: string): Inside => ({ ...nothingInside, opaque: [{ kind, detail }] })

const insideShell = (name: string, words: ReadonlyArray<Word>, input: ProgramInput): Inside => {
  let at = 1
  let isScript = false
  let isStdin = false
  for (let word = words[at]; word !== undefined && /^[-+]./.test(word.value); word = words[at]) {
    if (word.dynamic.length > 0) return only("dynamic-command", `an option of \`${name}\` is computed`)
    at++
    if (word.value === "--") break
    if (/^--(?:rcfile|init-file)/.test(word.value))
      return only("redefinition", `\`${name} ${word.value}\` reads a file first`)
    if (word.value.startsWith("--")) continue
    isScript ||= word.value.includes("c")
    isStdin ||= word.value.includes("s")
    if (/[oO]$/.test(word.value)) at++
  }
  const operand = words[at]
  if (isScript) {
    if (operand === undefined) return nothingInside
    if (operand.dynamic.length > 0) return only("dynamic-command", `the script of \`${name} -c\` is computed`)
    return { ...nothingInside, scripts: [{ text: operand.value, via: `${name} -c` }], isCarrier: true }
  }
  if (operand !== undefined && !namesStream(operand.value) && !isStdin) {
    return operand.dynamic.length > 0 ? only("stdin-script", `the script of \`${name}\` is computed`) : nothingInside
  }
  return {
    ...only("stdin-script", `\`${name}\` reads its commands from standard input`),
    scripts: input.documents.map((text) => ({ text, via: `${name} <<` }))
  }
}

const insideEval = (words: ReadonlyArray<Word>): Inside => {
  const rest = words.slice(1)
  if (rest.some((word) => word.dynamic.length > 0)) return only("dynamic-command", "`eval` of text that is computed")
  const opaque: ReadonlyArray<Opaque> = [{ kind: "code", detail: "`eval` runs its arguments as commands" }]
  return { ...nothingInside, opaque, scripts: [{ text: rest.map((word) => word.value).join(" "), via: "eval" }] }
}

const insideTrap = (words: ReadonlyArray<Word>): Inside => {
  const action = words.slice(1).find((word) => word.value !== "--")
  if (action === undefined || action.value === "-" || action.value === "" || action.value.startsWith("-"))
    return nothingInside
  if (action.dynamic.length > 0) return only("dynamic-command", "`trap` with an action that is computed")
  return { ...nothingInside, scripts: [{ text: action.value, via: "trap" }] }
}

const isFed = (input: ProgramInput): boolean => input.readsPipe || input.readsFile || input.documents.length > 0
