/**
 * What "always allow" means for a command that a person has approved: the command as it is, or, for a program that is
 * many in one, its sub-command. Approving `git status` must not approve `git push --force`.
 */
import { programWords, type ShellAnalysis, type SimpleCommand, type Word } from "./analysis/shell-analysis.ts"
import { joinWords } from "./analysis/word.ts"

/** Programs with sub-commands, and the sub-commands that have their own. `*`: all have. */
const SUB_COMMANDS: Readonly<Record<string, ReadonlyArray<string> | "*">> = {
  apt: [],
  aws: "*",
  az: "*",
  brew: [],
  bun: ["run", "pm"],
  cargo: [],
  deno: [],
  docker: ["buildx", "builder", "compose", "container", "context", "image", "network", "system", "volume"],
  dotnet: ["add", "list", "remove", "tool"],
  gcloud: "*",
  gh: "*",
  git: ["bisect", "config", "notes", "reflog", "remote", "stash", "submodule", "worktree"],
  go: ["mod", "tool", "work"],
  gradle: [],
  helm: ["repo"],
  kubectl: ["config", "rollout"],
  make: [],
  mvn: [],
  npm: ["run"],
  pip: [],
  pip3: [],
  pnpm: ["run"],
  podman: ["container", "image", "network", "volume"],
  poetry: [],
  rustup: ["component", "target", "toolchain"],
  systemctl: [],
  terraform: ["state", "workspace"],
  uv: ["pip", "tool"],
  yarn: ["run"]
}

/** Names of all programs that a text runs, each once, as a person is asked about them. */
export const rootCommandsOf = (analysis: ShellAnalysis): ReadonlyArray<string> => {
  const names = analysis.commands.map((command) => command.name).filter((name) => name !== "")
  if (names.length > 0) return [...new Set(names)]
  const first = analysis.text.trim().split(/\s+/)[0] ?? ""
  return first === "" ? [] : [first]
}

/** One prefix for each command. Empty where a part is known only at run time: then there is nothing to remember. */
export const alwaysPrefixes = (analysis: ShellAnalysis): ReadonlyArray<string> => {
  if (analysis.opaque.length > 0) return []
  const own = analysis.commands.filter((command) => command.forms.at(-1)?.role !== "carrier")
  const prefixes = own.map(prefixOf)
  const known = prefixes.filter((prefix) => prefix !== undefined)
  return known.length === prefixes.length ? [...new Set(known)] : []
}

export const hasRedirection = (analysis: ShellAnalysis): boolean =>
  analysis.commands.some((command) => command.redirections.some((redirection) => !redirection.isHarmless))

const prefixOf = (command: SimpleCommand): string | undefined => {
  const words = programWords(command)
  const kept = words.slice(0, subCommandLength(words) ?? words.length)
  const isExact = kept.length > 0 && kept.every((word) => word.dynamic.length === 0 && !word.hasGlob && !word.hasAnsiC)
  return isExact && command.opaque.length === 0 ? joinWords(kept) : undefined
}

/** How many words name the sub-command; `undefined`: the program has none, or options stand before it. */
const subCommandLength = (words: ReadonlyArray<Word>): number | undefined => {
  const [program, first, second] = words.map((word) => word.value)
  if (program === undefined || first === undefined || !Object.hasOwn(SUB_COMMANDS, program)) return undefined
  if (!isSubCommand(first)) return undefined
  const nested = SUB_COMMANDS[program]
  if (nested !== "*" && nested?.includes(first) !== true) return 2
  return second !== undefined && isSubCommand(second) ? 3 : undefined
}

const isSubCommand = (word: string): boolean => /^[A-Za-z][\w:.-]*$/.test(word)
