/**
 * Which paths a call would change, as far as its arguments tell: the targets of file tools, path arguments of foreign
 * tools, and in a shell line the targets of redirections and of programs that are known to write. A program that is not
 * known may write anywhere, which is what a rule for it agrees to.
 */
import { normalize } from "node:path"
import { programWords, type Redirection, type SimpleCommand, type Word } from "../shell/analysis/shell-analysis.ts"
import { baseName } from "../shell/analysis/unwrap.ts"
import { isForeign } from "./argument-forms.ts"
import type { DecisionContext, PolicyCall } from "./decision.ts"
import { expandHome, pathArguments } from "./paths.ts"

export interface WrittenPath {
  /** As it was written; relative to the working folder. `undefined`: known only when it happens. */
  readonly path: string | undefined
  /** The content of the file is changed, so that its other names show it too. */
  readonly isInPlace: boolean
  /** A tree is put there, with all that is in this folder. */
  readonly from?: string
}

/** What calls of these kinds do happens elsewhere, or not at all. An agent's own calls are seen by themselves. */
const LOOKING_KINDS = new Set(["read", "search", "fetch", "think", "communicate", "agent", "plan", "switch_mode"])
/** Tools of ours of no particular kind. Whatever paths they name or are given, they write none of them. */
const LOOKING_TOOLS = new Set(["activate_skill", "complete_task", "write_todos"])
/** How tools of servers that only look are called; a server that lies about its tools does not need them to do harm. */
const LOOKING_NAME =
  /^(?:read|get|list|search|find|stat|view|show|describe|fetch|query|count|glob|grep|tree|head|tail|cat|diff|check)(?:_|-|[A-Z]|$)/

type ToolFacts = Pick<PolicyCall, "annotations" | "kind" | "name" | "server">

/** It changes no files, by what it says of itself. */
export const changesNoFiles = ({ annotations, kind, name, server }: ToolFacts): boolean =>
  LOOKING_KINDS.has(kind ?? "") ||
  annotations?.readOnlyHint === true ||
  (server === undefined && LOOKING_TOOLS.has(name))

/** It changes nothing, by what is known of it or by how it is called. */
export const isLooking = (tool: ToolFacts): boolean => changesNoFiles(tool) || isCalledAsLooking(tool)

const isCalledAsLooking = ({ name, server }: ToolFacts): boolean =>
  server !== undefined && LOOKING_NAME.test(name.startsWith(`mcp_${server}_`) ? name.slice(server.length + 5) : name)

/** Of a tool that is not the shell. */
export const toolWrites = (call: PolicyCall, context: DecisionContext): ReadonlyArray<WrittenPath> => {
  if (isLooking(call)) return []
  // Our own tools replace files, and take `..` out of a path before they follow it. A foreign one may do either.
  const isOwn = !isForeign(call)
  const targets = call.targets ?? []
  return [...new Set([...targets, ...pathArguments(call, { ...context, shell: undefined }), ...addresses(call.args)])]
    .map(withoutScheme)
    .map((path) => ({ path: isOwn ? normalize(path) : path, isInPlace: !isOwn }))
}

const ADDRESS_KEYS = /^(?:uris?|urls?|target|to|from|output|dest|location|filename|document|resource)$/i

const addresses = (args: Readonly<Record<string, unknown>>): ReadonlyArray<string> =>
  Object.entries(args).flatMap(([key, value]) =>
    ADDRESS_KEYS.test(key) ? [value].flat().filter((one) => typeof one === "string") : []
  )

const withoutScheme = (path: string): string =>
  /^file:\/\/(?:localhost)?\//i.test(path) ? decoded(path.replace(/^file:\/\/(?:localhost)?/i, "")) : path

const decoded = (text: string): string => {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** Of one command of a line. `expand`: names that a pattern stands for, relative to where the command runs. */
export const commandWrites = (
  command: SimpleCommand,
  expand: (pattern: string) => ReadonlyArray<string>,
  context: DecisionContext
): ReadonlyArray<WrittenPath> => {
  const reading = new WordReader(expand, context)
  return [...command.redirections.flatMap((one) => reading.redirected(one)), ...programWrites(command, reading)]
}

const NO_FILES = new Set(["/dev/null", "/dev/stdout", "/dev/stderr", "/dev/tty", "/dev/stdin"])

class WordReader {
  private readonly expand: (pattern: string) => ReadonlyArray<string>
  private readonly context: DecisionContext

  constructor(expand: (pattern: string) => ReadonlyArray<string>, context: DecisionContext) {
    this.expand = expand
    this.context = context
  }

  redirected({ access, isHarmless, target }: Redirection): ReadonlyArray<WrittenPath> {
    if (access !== "write" || isHarmless || target === undefined || NO_FILES.has(target.value)) return []
    return this.written([target], true)
  }

  written(words: ReadonlyArray<Word>, isInPlace: boolean): ReadonlyArray<WrittenPath> {
    return words.flatMap((word) => this.paths(word).map((path) => ({ path, isInPlace })))
  }

  /** Everything that the word may stand for; `undefined` among it for what cannot be told. */
  paths(word: Word): ReadonlyArray<string | undefined> {
    const text = this.literal(word)
    if (text === undefined) return [undefined]
    return text.flatMap((one) => (word.hasGlob ? [one, ...this.expand(one)] : [one]))
  }

  private literal(word: Word): ReadonlyArray<string> | undefined {
    let text = word.value
    const unknown = word.dynamic.filter((name) => {
      const value = name === "HOME" ? this.context.home : name === "PWD" ? this.context.cwd : undefined
      if (value !== undefined) text = text.replace(new RegExp(`\\$(?:${name}\\b|\\{${name}\\})`, "g"), () => value)
      return value === undefined
    })
    if (word.hasTilde && !/^~(?:\/|$)/.test(text)) return undefined
    const all = unknown.length === 0 ? [text] : unknown.every((one) => one === "{…}") ? braced(text) : undefined
    return all?.map((one) => (word.hasTilde ? expandHome(one, this.context.home) : one))
  }
}

/** `a{b,c}d`; anything more than a list is not followed. */
const braced = (text: string): ReadonlyArray<string> | undefined => {
  const found = /^([^{}]*)\{([^{}]*,[^{}]*)\}([^{}]*)$/.exec(text)
  return found === null ? undefined : (found[2] ?? "").split(",").map((part) => `${found[1]}${part}${found[3]}`)
}

/** Change every file that they are given. */
const CHANGES_ALL = new Set(
  ["tee", "touch", "mkdir", "rm", "rmdir", "unlink", "truncate", "shred", "chmod", "chown", "chgrp"].concat([
    "chattr",
    "setfacl",
    "mkfifo",
    "mknod",
    "rename",
    "ed",
    "ex",
    "patch"
  ])
)
/** Put what they are given into the last one, or into the folder of an option. */
const PUTS_INTO_LAST = new Set(["cp", "mv", "ln", "install", "rsync", "scp", "link", "symlink", "gcp", "gmv", "gln"])
/** Their options name files that they write. */
const WRITING_OPTIONS: Readonly<Record<string, RegExp>> = {
  sort: /^(?:-[a-zA-Z]*o|--output)(?:=|$)?/,
  curl: /^(?:-[a-zA-Z]*o|--output|--output-dir|-c|--cookie-jar|-D|--dump-header)(?:=|$)?/,
  wget: /^(?:-[a-zA-Z]*O|-P|-o|-a|--output-document|--directory-prefix|--output-file|--append-output)(?:=|$)?/,
  tar: /^(?:-[a-zA-Z]*C|--directory|-[a-zA-Z]*f|--file)(?:=|$)?/,
  unzip: /^-d$/,
  git: /^(?:--output)(?:=|$)?/
}
const GIT_CHANGES = new Set(["checkout", "restore", "mv", "rm", "clean", "init", "clone", "worktree"])

const programWrites = (command: SimpleCommand, reading: WordReader): ReadonlyArray<WrittenPath> => {
  const [program, ...args] = programWords(command)
  const name = baseName(program?.value ?? "").replace(/\.exe$/i, "")
  const operands = operandsOf(args)
  const added = isGivenMore(command)
  if (CHANGES_ALL.has(name)) return [...reading.written(operands, isFilling(name)), ...added]
  if (PUTS_INTO_LAST.has(name)) return [...putInto(name, args, operands, reading), ...added]
  if (/^g?(?:sed|perl|ruby|awk)$/.test(name))
    return isEditing(name, args) ? [...reading.written(operands, true), ...added] : []
  if (name === "dd") return reading.written(args.filter(({ value }) => value.startsWith("of=")).map(afterEquals), true)
  if (name === "git" && GIT_CHANGES.has(operands[0]?.value ?? "")) return reading.written(operands.slice(1), false)
  const option = Object.hasOwn(WRITING_OPTIONS, name) ? WRITING_OPTIONS[name] : undefined
  return option === undefined ? [] : reading.written(valuesOf(args, option), true)
}

/** `xargs` adds names that stand nowhere in the line. */
const isGivenMore = ({ forms }: SimpleCommand): ReadonlyArray<WrittenPath> =>
  forms.some(({ words: [first] }) => /^(?:xargs|parallel)$/.test(baseName(first?.value ?? "")))
    ? [{ path: undefined, isInPlace: true }]
    : []

/** The others make or remove a name, and leave what else the file is called alone. */
const isFilling = (name: string): boolean => !/^(?:mkdir|rm|rmdir|unlink|mkfifo|mknod|rename)$/.test(name)

const isEditing = (name: string, args: ReadonlyArray<Word>): boolean =>
  args.some(({ value }) =>
    name.endsWith("awk") ? /^(?:-i|--include)/.test(value) : /^(?:-[a-zA-Z0-9]*i|--in-place|--inplace)/.test(value)
  )

const operandsOf = (args: ReadonlyArray<Word>): ReadonlyArray<Word> => {
  const end = args.findIndex(({ value }) => value === "--")
  const before = end === -1 ? args : args.slice(0, end)
  return [
    ...before.filter(({ value }) => !value.startsWith("-") || value === "-"),
    ...(end === -1 ? [] : args.slice(end + 1))
  ]
}

const putInto = (
  name: string,
  args: ReadonlyArray<Word>,
  operands: ReadonlyArray<Word>,
  reading: WordReader
): ReadonlyArray<WrittenPath> => {
  const folders = valuesOf(args, /^(?:-[a-zA-Z]*t|--target-directory)(?:=|$)?/)
  const sources = folders.length > 0 ? operands.filter((word) => !folders.includes(word)) : operands.slice(0, -1)
  const targets = folders.length > 0 ? folders : operands.slice(-1)
  const given = sources.flatMap((word) => reading.paths(word))
  return [
    ...targets
      .flatMap((word) => reading.paths(word))
      .flatMap((target): ReadonlyArray<WrittenPath> => {
        if (target === undefined || given.length === 0) return [{ path: target, isInPlace: true }]
        return given.flatMap((source): ReadonlyArray<WrittenPath> => {
          if (source === undefined) return [{ path: target, isInPlace: true }]
          const last = source.replace(/\/+$/, "")
          const tree = /^(?:ln|link|symlink)$/.test(name) ? {} : { from: source }
          return [
            { path: target, isInPlace: name === "cp" || name === "gcp", ...tree },
            // Where the target is a folder, they keep their names in it.
            { path: `${target}/${last.slice(last.lastIndexOf("/") + 1)}`, isInPlace: false, ...tree }
          ]
        })
      }),
    ...(name.endsWith("mv") ? given.map((path) => ({ path, isInPlace: false })) : [])
  ]
}

/** Values of an option, in the word itself or in the next one. */
const valuesOf = (args: ReadonlyArray<Word>, option: RegExp): ReadonlyArray<Word> =>
  args.flatMap((word, index) => {
    const found = option.exec(word.value)
    if (found === null) return []
    const rest = word.value.slice(found[0].length)
    if (rest !== "") return [{ ...word, value: rest }]
    const next = args[index + 1]
    return next === undefined ? [] : [next]
  })

const afterEquals = (word: Word): Word => ({ ...word, value: word.value.slice(word.value.indexOf("=") + 1) })
