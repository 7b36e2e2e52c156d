/**
 * The commands that `git` can be told to run by its arguments: aliases, pagers, editors, helpers, `rebase --exec`.
 *
 * `-c key=value` is understood for keys known to be plain settings and for keys known to name a command; any other key
 * may do anything and makes the command opaque.
 */
import type { Inside } from "./programs.ts"
import type { Opaque, Word } from "./shell-analysis.ts"
import { literalWord } from "./word.ts"

const PLAIN_KEY =
  /^(?:user\.|color\.|advice\.|init\.defaultbranch|log\.|status\.|column\.|i18n\.|push\.|pull\.|fetch\.|rebase\.|branch\.|tag\.|versionsort\.|safe\.directory|gc\.auto|protocol\.version|commit\.(?:gpgsign|verbose)|merge\.(?:conflictstyle|ff)|submodule\.recurse|core\.(?:quotepath|autocrlf|eol|filemode|ignorecase|abbrev|longpaths|precomposeunicode)|diff\.(?:algorithm|renames|context|noprefix|mnemonicprefix|colormoved))/
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
    } else if (/^--(?:exec-path=|config-env)/.test(word.value)) {
      opaque.push({ kind: "redefinition", detail: `\`git ${word.value}\` changes what git runs` })
    }
  }
  readSubcommand(words.slice(at), scripts, commands)
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
  if (setting.dynamic.length > 0) {
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

/** Options whose value git hands to a shell, by sub-command; `*` is any. */
const SHELL_OPTIONS: ReadonlyArray<readonly [string, RegExp]> = [
  ["rebase", /^(?:-x|--exec)(?:=|$)/],
  ["difftool", /^(?:-x|--extcmd)(?:=|$)/],
  ["filter-branch", /^--[a-z]+-filter(?:=|$)/],
  ["grep", /^(?:-O|--open-files-in-pager)/],
  ["push", /^--exec(?:=|$)/],
  ["archive", /^--exec(?:=|$)/],
  ["ls-remote", /^--exec(?:=|$)/],
  ["*", /^--(?:upload-pack|receive-pack)(?:=|$)/]
]

const readSubcommand = (
  words: ReadonlyArray<Word>,
  scripts: Array<Inside["scripts"][number]>,
  commands: Array<Inside["commands"][number]>
): void => {
  const [name = "", second = ""] = words.map((word) => word.value)
  if (name === "bisect" && second === "run") commands.push({ words: words.slice(2), via: "git bisect run" })
  if (name === "submodule" && words.some((word) => word.value === "foreach")) {
    const text = words.slice(words.findIndex((word) => word.value === "foreach") + 1)
    const script = text.filter((word) => !/^--(?:recursive|quiet)$/.test(word.value)).map((word) => word.value)
    scripts.push({ text: script.join(" "), via: "git submodule foreach" })
  }
  for (const [subcommand, option] of SHELL_OPTIONS) {
    if (subcommand !== "*" && subcommand !== name) continue
    for (const [index, word] of words.entries()) {
      if (!option.test(word.value)) continue
      const [, attached] = word.value.split(/=(.*)/s)
      const text = attached ?? (word.value.startsWith("-O") ? word.value.slice(2) : words[index + 1]?.value)
      if (text !== undefined && text !== "")
        scripts.push({ text, via: `git ${name} ${word.value.replace(/=.*/s, "")}` })
    }
  }
}
