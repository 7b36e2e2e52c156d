/** What a line that begins with `/` could become: names, sub-commands, and arguments where a command knows them. */
import { Effect } from "effect"
import type { Command, CommandCandidate, CommandCompletion } from "./command.ts"

export const completeLine = Effect.fnUntraced(function* (
  commands: ReadonlyArray<Command>,
  text: string,
  cursor: number
) {
  const before = text.slice(0, cursor)
  let from = before.indexOf("/") + 1
  let level = commands
  let parent: Command | undefined
  for (;;) {
    const word = /^\S+(?=\s)/.exec(before.slice(from))?.[0]
    if (word === undefined) break
    const found = level.find(({ aliases, name }) => name === word || aliases?.includes(word) === true)
    if (found === undefined) return parent === undefined ? nothing(cursor) : yield* argumentsOf(parent, before, from)
    parent = found
    from += word.length
    from += /^\s*/.exec(before.slice(from))?.[0].length ?? 0
    level = found.subcommands ?? []
  }
  const names = namesIn(level, before.slice(from))
  if (parent === undefined) return { from, candidates: names }
  const known = yield* argumentsOf(parent, before, from)
  return names.length === 0 ? known : { from, candidates: [...names, ...(known.from === from ? known.candidates : [])] }
})

const nothing = (cursor: number): CommandCompletion => ({ from: cursor, candidates: [] })

const argumentsOf = (command: Command, before: string, from: number): Effect.Effect<CommandCompletion> =>
  command.complete === undefined
    ? Effect.succeed(nothing(before.length))
    : Effect.map(command.complete(before.slice(from)), ({ candidates, from: inside }) => ({
        from: from + inside,
        candidates
      }))

/** A name that was typed whole comes first; aliases only where no name begins so. */
const namesIn = (level: ReadonlyArray<Command>, typed: string): ReadonlyArray<CommandCandidate> => {
  const shown = level.filter(({ isHidden }) => isHidden !== true)
  const candidate = (value: string, { description }: Command): CommandCandidate => ({ value, hint: description })
  const byName = shown.filter(({ name }) => name.startsWith(typed)).map((command) => candidate(command.name, command))
  const found =
    byName.length > 0
      ? byName
      : shown.flatMap((command) =>
          (command.aliases ?? []).filter((alias) => alias.startsWith(typed)).map((alias) => candidate(alias, command))
        )
  return found.toSorted(
    (one, other) => Number(other.value === typed) - Number(one.value === typed) || (one.value < other.value ? -1 : 1)
  )
}

/** The candidates that begin with the last word of what was typed. */
export const completeWord = (typed: string, words: ReadonlyArray<CommandCandidate>): CommandCompletion => {
  const from = /\S*$/.exec(typed)?.index ?? typed.length
  return { from, candidates: words.filter(({ value }) => value.startsWith(typed.slice(from))) }
}
