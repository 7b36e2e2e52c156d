/**
 * Programs whose arguments or input hold more commands or code: shells, interpreters, `find`, `git`, builtins that
 * change what names mean. Says what more must be analysed, and what cannot be.
 */
import { evaluatingBuiltin } from "./evaluations.ts"
import { commandsInFind } from "./find-runs.ts"
import { commandsInGit } from "./git-runs.ts"
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

const SHELLS = new Set(["bash", "sh", "zsh", "dash", "ksh", "ash", "mksh"])
const FOREIGN_SHELLS = new Set([
  "fish",
  "csh",
  "tcsh",
  "pwsh",
  "pwsh.exe",
  "powershell",
  "powershell.exe",
  "cmd",
  "cmd.exe",
  "nu",
  "xonsh"
])
const REDEFINING = new Set(["alias", "unalias", "hash", "enable", "bind", "complete", "compgen", "fc", "shopt"])
const RUNS_OTHERS = new Set([
  ...["at", "batch", "coproc", "entr", "expect", "flock", "gdb", "ltrace", "nsenter", "parallel", "pkexec", "runuser"],
  ...["script", "strace", "su", "systemd-run", "tmux", "screen", "unshare", "watch"]
])

export const insideProgram = (name: string, words: ReadonlyArray<Word>, input: ProgramInput): Inside => {
  if (SHELLS.has(name)) return insideShell(name, words, input)
  if (name === "eval") return insideEval(words)
  if (name === "trap") return insideTrap(words)
  if (name === "source" || name === ".") return only("code", `\`${name}\` runs the commands of a file`)
  if (FOREIGN_SHELLS.has(name)) return only("code", `\`${name}\` speaks another shell language`)
  if (REDEFINING.has(name)) return only("redefinition", `\`${name}\` changes what commands mean`)
  if (RUNS_OTHERS.has(name)) return only("unclear-wrapper", `\`${name}\` runs other commands`)
  if (name === "find") return commandsInFind(words)
  if (name === "git" || name === "git.exe") return commandsInGit(words)
  const evaluated = evaluatingBuiltin(name, words)
  return evaluated === undefined ? insideInterpreter(name, words, input) : { ...nothingInside, opaque: [evaluated] }
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
  if (operand !== undefined && operand.value !== "-" && !isStdin) {
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

interface Interpreter {
  readonly name: RegExp
  /** Options, or a sub-command, whose value is code. */
  readonly code: RegExp
}

const INTERPRETERS: ReadonlyArray<Interpreter> = [
  { name: /^(?:python|pypy)[\d.]*$/, code: /^-[A-Za-z]*c/ },
  { name: /^(?:node|nodejs)$/, code: /^(?:-[A-Za-z]*[ep]|--eval|--print)/ },
  { name: /^(?:bun|tsx)$/, code: /^(?:-[ep]|--eval|--print)/ },
  { name: /^deno$/, code: /^eval$/ },
  { name: /^(?:perl|ruby)[\d.]*$/, code: /^-[A-Za-z0-9]*[eE]/ },
  { name: /^php[\d.]*$/, code: /^-[rBRE]|^--run/ },
  { name: /^lua(?:jit)?[\d.]*$/, code: /^-e/ },
  { name: /^(?:Rscript|R|osascript|julia|elixir|groovy|scala|ghc)$/, code: /^-e|^--eval/ },
  { name: /^(?:vi|vim|nvim|view|ex|emacs)$/, code: /^(?:-[cSsu]|--cmd|\+|--eval|-es|-l|--batch)/ },
  {
    name: /^tar$|^bsdtar$/,
    code: /^(?:-I|-F|--(?:to-command|checkpoint-action|use-compress-program|rsh-command|info-script|new-volume-script))/
  },
  { name: /^rsync$/, code: /^(?:-[A-Za-z]*e|--rsh|--rsync-path)/ },
  { name: /^(?:ssh|scp|sftp)$/, code: /^-o.*(?:Command|Include)|^-[SF]/i },
  { name: /^(?:sort)$/, code: /^--compress-prog/ },
  { name: /^(?:split)$/, code: /^--filter/ },
  { name: /^(?:man|less|more)$/, code: /^-P|^--pager|^\+!/ },
  { name: /^rg$/, code: /^--(?:pre|hostname-bin)(?:=|$)/ }
]

/** Interpreters that take their program from standard input when no file is named. */
const READS_STDIN = /^(?:python|pypy|node|nodejs|bun|deno|perl|ruby|php|lua|Rscript|osascript|julia)[\d.]*$/
const AWK = /^(?:g|m|n)?awk$/
/** What an awk program needs in order to do more than print. */
const AWK_ACTS = /system|getline|[|>@]|-f|--file|-i|--include|-E|--exec|-l|--load/

const insideInterpreter = (name: string, words: ReadonlyArray<Word>, input: ProgramInput): Inside => {
  if (AWK.test(name)) {
    const acts = words.slice(1).some((word) => word.dynamic.length > 0 || AWK_ACTS.test(word.value))
    return acts ? only("code", `\`${name}\` with a program that can run commands or write files`) : nothingInside
  }
  const spec = INTERPRETERS.find((entry) => entry.name.test(name))
  if (spec?.code !== undefined && words.slice(1).some((word) => spec.code.test(word.value))) {
    return only("code", `\`${name}\` with code in its arguments`)
  }
  const hasOperand = words.slice(1).some((word) => !word.value.startsWith("-"))
  const readsCode = words.slice(1).some((word) => word.value === "-") || (!hasOperand && isFed(input))
  if (READS_STDIN.test(name) && readsCode)
    return only("stdin-script", `\`${name}\` reads its program from standard input`)
  return nothingInside
}

const isFed = (input: ProgramInput): boolean => input.readsPipe || input.readsFile || input.documents.length > 0
