/** Which command a line means. Pure. */
import type { Command } from "./command.ts"

export type Match =
  | {
      readonly _tag: "Found"
      readonly command: Command
      /** Names from the top, as they are called: `memory show`. */
      readonly path: string
      readonly args: string
      /** `--json` stood behind it. */
      readonly wantsJson: boolean
    }
  | { readonly _tag: "Unknown"; readonly word: string }

export const matchCommand = (commands: ReadonlyArray<Command>, line: string): Match => {
  const words = line
    .trim()
    .slice(1)
    .split(/\s+/)
    .filter((word) => word !== "")
  const [first = ""] = words
  const top = findNamed(commands, first)
  if (top === undefined) return { _tag: "Unknown", word: first }
  const chain = [top]
  for (const word of words.slice(1)) {
    const parent = chain[chain.length - 1] ?? top
    const next = findSub(parent, word)
    if (next === undefined) break
    chain.push(next)
  }
  const wantsJson = top.source._tag === "BuiltIn" && words.at(-1) === "--json"
  return settle(chain, words.slice(0, wantsJson ? -1 : undefined), wantsJson)
}

/** What a sub-command without arguments cannot take belongs to its parent: `/plan copy the file` is a prompt. */
const settle = (chain: ReadonlyArray<Command>, words: ReadonlyArray<string>, wantsJson: boolean): Match => {
  const last = chain.at(-1)
  const parent = chain.at(-2)
  const args = words.slice(chain.length)
  if (last === undefined) return { _tag: "Unknown", word: words[0] ?? "" }
  const isParents = args.length > 0 && last.usage === undefined && last.subcommands === undefined
  if (isParents && parent?.usage !== undefined) return settle(chain.slice(0, -1), words, wantsJson)
  return {
    _tag: "Found",
    command: last,
    path: chain.map(({ name }) => name).join(" "),
    args: args.join(" "),
    wantsJson
  }
}

/** By name, then by alias, then by a beginning that only one visible command has. */
const findNamed = (commands: ReadonlyArray<Command>, word: string): Command | undefined =>
  exactly(commands, word) ?? byBeginning(commands, word)

/** Where the parent takes arguments, a beginning of a sub-command may as well be one of them. */
const findSub = ({ subcommands = [], usage }: Command, word: string): Command | undefined =>
  exactly(subcommands, word) ?? (usage === undefined ? byBeginning(subcommands, word) : undefined)

const exactly = (commands: ReadonlyArray<Command>, word: string): Command | undefined =>
  commands.find(({ name }) => name === word) ?? commands.find(({ aliases }) => aliases?.includes(word) === true)

const byBeginning = (commands: ReadonlyArray<Command>, word: string): Command | undefined => {
  if (word === "") return undefined
  const begun = commands.filter(
    ({ aliases = [], isHidden, name }) => isHidden !== true && [name, ...aliases].some((one) => one.startsWith(word))
  )
  return begun.length === 1 ? begun[0] : undefined
}

/** A line whose first word goes on with `/`, or that has more lines, is text that begins with a path. */
export const looksLikeText = (line: string): boolean => {
  const text = line.trim()
  return /^\/\S*\//.test(text) || text.includes("\n")
}
