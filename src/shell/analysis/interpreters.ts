/**
 * Programs that take code, or the name of a program to run, from an option or from their input. The code is not read:
 * the program is known, what it does is not.
 */
import { posix } from "node:path"
import { actsInSed } from "./sed-script.ts"
import type { Opaque, Word } from "./shell-analysis.ts"

interface Interpreter {
  readonly name: RegExp
  /** Short options, operands or sub-commands that are followed by code. */
  readonly code?: RegExp
  /** Long options for it. Programs take any beginning of them that is clear. */
  readonly long?: ReadonlyArray<string>
  /** Long options that are no short form of those. */
  readonly except?: ReadonlyArray<string>
}

const INTERPRETERS: ReadonlyArray<Interpreter> = [
  { name: /^(?:python|pypy)[\d.]*$/, code: /^-[A-Za-z]*c|^(?:-[A-Za-z]*m)?(?:timeit|pdb|code)$/ },
  { name: /^(?:node|nodejs)$/, code: /^-[A-Za-z]*[ep]|data:/, long: ["eval", "print"] },
  { name: /^(?:bun|tsx)$/, code: /^-[ep]/, long: ["eval", "print"] },
  { name: /^deno$/, code: /^eval$|data:/ },
  { name: /^(?:perl|ruby)[\d.]*$/, code: /^-[A-Za-z0-9]*[eEM]/ },
  { name: /^php[\d.]*$/, code: /^-[rBRE]/, long: ["run", "process-begin", "process-code", "process-end"] },
  { name: /^lua(?:jit)?[\d.]*$/, code: /^-e/ },
  { name: /^(?:Rscript|R|osascript|julia|elixir|groovy|scala|ghc)$/, code: /^-e/, long: ["eval"] },
  { name: /^(?:vi|vim|nvim|view|ex|emacs)$/, code: /^(?:-[cSsul]|\+|-es)/, long: ["cmd", "eval", "batch"] },
  {
    name: /^(?:bsd|g)?tar$/,
    code: /^-[A-Za-z]*[IF]/,
    long: [
      "to-command",
      "checkpoint-action",
      "use-compress-program",
      "rsh-command",
      "info-script",
      "new-volume-script"
    ],
    except: ["checkpoint"]
  },
  { name: /^cpio$/, long: ["rsh-command"] },
  { name: /^rsync$/, code: /^-[A-Za-z]*e/, long: ["rsh", "rsync-path"], except: ["rsync"] },
  { name: /^(?:ssh|scp|sftp)$/, code: /^-o.*(?:Command|Include)|^-[SF]/i },
  { name: /^sort$/, long: ["compress-program"] },
  { name: /^split$/, long: ["filter"] },
  { name: /^socat$/, code: /^(?:EXEC|SYSTEM|SHELL):/i },
  { name: /^install$/, long: ["strip-program"], except: ["strip"] },
  { name: /^zip$/, code: /^-TT$/, long: ["unzip-command"] },
  { name: /^(?:man|less|more)$/, code: /^-P|^\+!/, long: ["pager"] },
  { name: /^rg$/, long: ["pre", "hostname-bin"], except: ["pre-glob"] },
  { name: /^g?make$/, code: /^-[A-Za-z]*E|^\.?SHELL\w*[:+?!]*=|^\w+[:+?!]*=.*[\s$`;|&]/s, long: ["eval"] },
  { name: /^(?:gcc|g\+\+|cc|c\+\+|clang(?:\+\+)?)(?:-[\d.]+)?$/, code: /^-(?:wrapper$|fplugin|B)/ },
  { name: /^java$/, code: /^-(?:XX:On|agent|javaagent)/ },
  { name: /^(?:apt|apt-get)$/, code: /^-[A-Za-z]*o/, long: ["option"] },
  { name: /^wget$/, code: /^-[A-Za-z]*e/, long: ["use-askpass", "execute"] },
  { name: /^gh$/, code: /^alias$/ },
  {
    name: /^(?:tclsh|guile|sbcl|erl|ocaml|swift|octave|gnuplot|jshell)[\d.]*$/,
    code: /^-(?:c|e|eval)/,
    long: ["eval"]
  },
  { name: /^sqlite3?$/, code: /^\s*\.|^-cmd$/ },
  { name: /^(?:psql|mysql|mariadb)$/, code: /\\/ },
  { name: /^(?:npx|bunx|pnpx)$/, code: /^-c/, long: ["call"] },
  { name: /^npm$/, code: /^-c/, long: ["call", "script-shell"] },
  { name: /^(?:mapfile|readarray)$/, code: /^-[A-Za-z]*C/ }
]

/** Interpreters that take their program from standard input when no file is named. */
const READS_STDIN = new RegExp(
  `^(?:${[
    "python|pypy|node|nodejs|bun|deno|perl|ruby|php|lua|luajit|Rscript|R|osascript|julia|tclsh|wish|expect|guile|ghci",
    "runghc|scala|irb|erl|iex|elixir|clisp|sbcl|ecl|racket|scheme|csi|gosh|ocaml|utop|groovy|groovysh|jshell|crystal|nim",
    "swift|gforth|pil|qjs|d8|jjs|rhino|mongosh|mysqlsh|sage|gp|maxima|yacas|xonsh|elvish|ipython|bpython|bpftrace|stap"
  ].join("|")})[\\d.]*$`
)
/** Programs that can be told to run commands by what they read. */
const READS_COMMANDS =
  /^(?:ed|ex|vi|vim|nvim|view|m4|dc|sqlite3|psql|mysql|mariadb|sqlplus|isql|gnuplot|octave|ftp|lftp|sftp|telnet|gdb|lldb|r2|radare2)$/
/** Programs whose script is a file; the file may be what they are fed. */
const READS_FILE = /^(?:g?make|cmake|go|rust-script)$/

/** What a program is fed, as a name of a file, however it is written: `/dev/./stdin`, or `fd/3` behind `cd /dev`. */
export const namesStream = (value: string): boolean => {
  const name = value.replace(/^(?:-[a-zA-Z]*f|--[a-z]*file=)(?=.)/, "")
  return name === "-" || /(?:^|\/)(?:stdin|fd\/\d+)$|^\/proc\//.test(posix.normalize(name))
}

const AWK = /^(?:g|m|n|original-)?awk$/
/** What an awk program needs in order to do more than print. */
const AWK_ACTS = /system|getline|[|>@]|-f|--file|-i|--include|-E|--exec|-l|--load/

export const codeInArguments = (name: string, words: ReadonlyArray<Word>, isFed: boolean): Opaque | undefined => {
  const args = words.slice(1)
  if (AWK.test(name)) {
    const acts = args.some((word) => word.dynamic.length > 0 || AWK_ACTS.test(word.value))
    return acts ? code(`\`${name}\` with a program that can run commands or write files`) : undefined
  }
  if (/^g?sed$/.test(name)) {
    return actsInSed(args) || (isFed && args.some(({ value }) => value !== "-" && namesStream(value)))
      ? code(`\`${name}\` with a script that can run commands or write files`)
      : undefined
  }
  const spec = INTERPRETERS.find((entry) => entry.name.test(name))
  if (spec !== undefined && (args.some((word) => carriesCode(spec, word)) || oldTarLetters(name, args))) {
    return code(`\`${name}\` with code in its arguments`)
  }
  return readsCode(name, args, isFed)
    ? { kind: "stdin-script", detail: `\`${name}\` reads its program from standard input` }
    : undefined
}

const readsCode = (name: string, args: ReadonlyArray<Word>, isFed: boolean): boolean => {
  const isNamed = args.some((word) => namesStream(word.value) || word.dynamic.includes("<(…)"))
  if (READS_FILE.test(name)) return isNamed
  if (READS_COMMANDS.test(name)) return isFed || args.some((word) => /^-e|^--ex/.test(word.value))
  return READS_STDIN.test(name) && (isNamed || (isFed && !args.some((word) => !word.value.startsWith("-"))))
}

const code = (detail: string): Opaque => ({ kind: "code", detail })

const carriesCode = (spec: Interpreter, { value }: Word): boolean =>
  spec.code?.test(value) === true ||
  (spec.long?.some((option) => isOption(value, option)) === true &&
    spec.except?.includes(value.slice(2).replace(/=.*/s, "")) !== true)

/** Whether this is a long option, whole or shortened: `--checkpoint-act=x` for `--checkpoint-action`. */
export const isOption = (value: string, option: string): boolean => {
  const name = /^--([a-z][a-z-]*)(?:=|$)/.exec(value)?.[1]
  return name !== undefined && (name === option || (name.length > 2 && option.startsWith(name)))
}

/** `tar cIf program x`: the first word is a group of letters, with or without a dash. */
const oldTarLetters = (name: string, args: ReadonlyArray<Word>): boolean =>
  /tar$/.test(name) && /^[A-Za-z]*[IF]/.test(args[0]?.value ?? "")
