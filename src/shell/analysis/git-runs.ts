/**
 * The commands that `git` can be told to run by its arguments: aliases, pagers, editors, helpers, `rebase --exec`.
 *
 * `-c key=value` is understood for keys known to be plain settings and for keys known to name a command; any other key
 * may do anything and makes the command opaque.
 */
import { isOption } from "./interpreters.ts"
import type { Inside } from "./programs.ts"
import type { Opaque, Word } from "./shell-analysis.ts"
import { literalWord } from "./word.ts"

const PLAIN_KEY =
  /^(?:user\.|color\.|advice\.|init\.defaultbranch|log\.|status\.|column\.|i18n\.|push\.|pull\.|fetch\.|rebase\.|branch\.|tag\.|remote\..*\.(?:url|pushurl|fetch)|versionsort\.|safe\.directory|gc\.auto|protocol\.version|commit\.(?:gpgsign|verbose)|merge\.(?:conflictstyle|ff)|submodule\.recurse|core\.(?:quotepath|autocrlf|eol|filemode|ignorecase|abbrev|longpaths|precomposeunicode)|diff\.(?:algorithm|renames|context|noprefix|mnemonicprefix|colormoved))/
const COMMAND_KEY =
  /^(?:core\.(?:pager|editor|sshcommand|askpass|fsmonitor)|sequence\.editor|diff\.external|diff\..*\.(?:command|textconv)|pager\.|interactive\.difffilter|merge\..*\.driver|(?:merge|diff)tool\..*\.cmd|filter\.|credential\.(?:.*\.)?helper|gpg\.(?:.*\.)?program|trailer\..*\.command)/
const GLOBAL_VALUED = new Set(["-C", "--git-dir", "--work-tree", "--namespace", "--super-prefix"])

export const commandsInGit = (words: ReadonlyArray<Word>): Inside => {
  const scripts: Array<Inside["scripts"][number]> = []
  const commands: Array<Inside["commands"][number]> = []
  const opaque: Array<Opaque> = []
  let at = 1
  for (let word = words[at]; word !== undefined; word = words[at]) {
    if (word.dynamic.length > 0 && !GLOBAL_VALUED.has(words[at - 1]?.value ?? "")) {
      opaque.push({ kind: "dynamic-command", detail: "the sub-command of `git` is computed" })
      break
    }
    if (!word.value.startsWith("-")) break
    at++
    if (GLOBAL_VALUED.has(word.value)) at++
    else if (word.value === "-c") {
      const setting = words[at++]
      if (setting !== undefined) readSetting(setting, scripts, commands, opaque)
    } else if (/^--(?:exec-path|config-env)/.test(word.value)) {
      opaque.push({ kind: "redefinition", detail: `\`git ${word.value}\` changes what git runs` })
    }
  }
  readSubcommand(words.slice(at), scripts, commands, opaque)
  return { scripts, commands, opaque, isCarrier: false }
}

const readSetting = (
  setting: Word,
  scripts: Array<Inside["scripts"][number]>,
  commands: Array<Inside["commands"][number]>,
  opaque: Array<Opaque>
): void => {
  const equals = setting.value.indexOf("=")
  const key = (equals === -1 ? setting.value : setting.value.slice(0, equals)).toLowerCase()
  const value = equals === -1 ? "" : setting.value.slice(equals + 1)
  const via = `git -c ${key}`
  if (setting.dynamic.length > 0 && !(PLAIN_KEY.test(key) && !key.includes("$"))) {
    opaque.push({ kind: "dynamic-command", detail: `\`${via}\` has a value that is computed` })
  } else if (key.startsWith("alias.")) {
    if (value.startsWith("!")) scripts.push({ text: value.slice(1), via })
    else commands.push({ words: ["git", ...value.split(/\s+/)].filter((word) => word !== "").map(literalWord), via })
  } else if (COMMAND_KEY.test(key)) {
    if (value !== "" && value !== "true" && value !== "false") scripts.push({ text: value.replace(/^!/, ""), via })
  } else if (!PLAIN_KEY.test(key)) {
    opaque.push({ kind: "redefinition", detail: `\`${via}\` may change what git runs` })
  }
}

/** Options whose value git hands to a shell, by sub-command; `*` is any. Git takes any clear beginning of a long one. */
const SHELL_OPTIONS: ReadonlyArray<{ readonly of: string; readonly long?: string; readonly short?: string }> = [
  { of: "rebase", long: "exec", short: "x" },
  { of: "difftool", long: "extcmd", short: "x" },
  { of: "grep", long: "open-files-in-pager", short: "O" },
  { of: "push", long: "exec" },
  { of: "archive", long: "exec" },
  { of: "ls-remote", long: "exec" },
  { of: "clone", short: "u" },
  { of: "*", long: "upload-pack" },
  { of: "*", long: "receive-pack" }
]
/** Sub-commands and options that run programs in ways not read here. */
const RUNS_PROGRAMS = new Set(["send-email", "instaweb", "shell", "remote-ext", "remote-fd", "for-each-repo", "p4"])

const readSubcommand = (
  words: ReadonlyArray<Word>,
  scripts: Array<Inside["scripts"][number]>,
  commands: Array<Inside["commands"][number]>,
  opaque: Array<Opaque>
): void => {
  const [name = "", second = ""] = words.map((word) => word.value)
  const args = words.slice(1)
  if (RUNS_PROGRAMS.has(name)) opaque.push({ kind: "unclear-wrapper", detail: `\`git ${name}\` runs other programs` })
  if (args.some((word) => /^[A-Za-z][\w+.-]*::/.test(word.value)))
    opaque.push({ kind: "unclear-wrapper", detail: "an address that names a helper program" })
  if (name === "bisect" && second === "run") commands.push({ words: words.slice(2), via: "git bisect run" })
  if (name === "submodule" && words.some((word) => word.value === "foreach")) {
    const text = words.slice(words.findIndex((word) => word.value === "foreach") + 1)
    const script = text.filter((word) => !/^--(?:recursive|quiet)$/.test(word.value)).map((word) => word.value)
    scripts.push({ text: script.join(" "), via: "git submodule foreach" })
  }
  for (const setting of settingsIn(name, args)) readSetting(setting, scripts, commands, opaque)
  for (const [index, { value }] of args.entries()) {
    const given = shellOption(name, value)
    const text = given === undefined || given !== "" ? given : args[index + 1]?.value
    if (text !== undefined && text !== "") scripts.push({ text, via: `git ${name} ${value.replace(/=.*/s, "")}` })
  }
}

/** The text that an option gives to a shell: empty when it is the next word, `undefined` for other options. */
const shellOption = (subcommand: string, value: string): string | undefined => {
  if (subcommand === "filter-branch" && /^--[a-z]+-filter(?:=|$)/.test(value)) return value.split(/=(.*)/s)[1] ?? ""
  for (const { long, of, short } of SHELL_OPTIONS) {
    if (of !== "*" && of !== subcommand) continue
    if (long !== undefined && isOption(value, long)) return value.split(/=(.*)/s)[1] ?? ""
    const glued = short === undefined ? null : new RegExp(`^-[A-Za-z]*?${short}(.*)$`, "s").exec(value)
    if (glued !== null) return glued[1] ?? ""
  }
  return undefined
}

/** Settings that stay: `git config key value`, `git clone -c key=value`. Reading one is no setting. */
const settingsIn = (name: string, args: ReadonlyArray<Word>): ReadonlyArray<Word> => {
  if (name === "config") {
    const operands = args.filter((word) => !word.value.startsWith("-") && word.value !== "set")
    const at = operands.findIndex((word) => word.value.includes(".") || word.dynamic.length > 0)
    const [key, value] = at === -1 ? [] : operands.slice(at)
    if (
      key === undefined ||
      value === undefined ||
      args.some((word) => /^(?:--get|get$|--unset|unset$)/.test(word.value))
    )
      return []
    return [{ ...value, value: `${key.value}=${value.value}`, dynamic: [...key.dynamic, ...value.dynamic] }]
  }
  if (name !== "clone") return []
  return args.flatMap((word, index) => {
    if (word.value === "-c" || word.value === "--config") return args.slice(index + 1, index + 2)
    return /^--conf[a-z]*=/.test(word.value) ? [{ ...word, value: word.value.replace(/^--[a-z]*=/, "") }] : []
  })
}
