/**
 * Two readers look at a line: the grammar, which lists every command for prohibitions, and the reader of plain bash, on
 * which permissions stand. A command counts as understood only where both see the same words in the same place.
 */
import type { ShellAnalysis, SimpleCommand } from "../../shell/analysis/shell-analysis.ts"
import type { LineReading, UnderstoodCommand } from "./reading.ts"

export type Understanding = { readonly command: UnderstoodCommand } | { readonly why: string }

/** One for each command of the analysis, in its order. */
export const understandings = (
  analysis: ShellAnalysis,
  reading: LineReading | undefined
): ReadonlyArray<Understanding> => {
  if (reading?._tag !== "Understood") {
    const why = reading?.detail ?? "it was not read"
    return analysis.commands.map(() => ({ why }))
  }
  const groups = groupsOf(analysis.commands)
  const agrees =
    groups.length === reading.commands.length &&
    groups.every(([first], index) => isSame(first, reading.commands[index]))
  if (!agrees) return analysis.commands.map(() => ({ why: "two readings of it differ" }))
  return groups.flatMap((group, index): ReadonlyArray<Understanding> => {
    const [command, ...nested] = flattened(reading.commands[index])
    if (command === undefined) return group.map(() => ({ why: "two readings of it differ" }))
    const inside = group.slice(1)
    const isNestedSame = inside.length === nested.length && inside.every((one, at) => isSame(one, nested[at]))
    return [
      { command },
      ...inside.map((_, at): Understanding => {
        const found = isNestedSame ? nested[at] : undefined
        return found === undefined ? { why: "which command it runs is not clear" } : { command: found }
      })
    ]
  })
}

/** Each command that is written in the line, with those found inside its arguments. */
const groupsOf = (commands: ReadonlyArray<SimpleCommand>): ReadonlyArray<ReadonlyArray<SimpleCommand>> => {
  const groups: Array<Array<SimpleCommand>> = []
  for (const command of commands) {
    if (command.isNested) groups.at(-1)?.push(command)
    else groups.push([command])
  }
  return groups
}

const flattened = (command: UnderstoodCommand | undefined): ReadonlyArray<UnderstoodCommand> =>
  command === undefined ? [] : [command, ...command.nested.flatMap(flattened)]

/** The grammar takes them apart, so only the name is compared. */
const TAKEN_APART = new Set(["declare", "export", "local", "readonly", "typeset", "unset", "unsetenv"])

/** Of a test the grammar gives them as words like others, quoted. */
const BRACKETS: Readonly<Record<string, string>> = { "'['": "[", "']'": "]", "'[['": "[[", "']]'": "]]" }

const isSame = (wide: SimpleCommand | undefined, read: UnderstoodCommand | undefined): boolean => {
  if (wide === undefined || read === undefined) return false
  const all = (wide.forms[0]?.words ?? []).map(({ raw }) => BRACKETS[raw] ?? raw)
  // A word of the shell to the one, a program to the other; it only measures.
  const seen = all[0] === "time" && read.written[0] !== "time" ? all.slice(all[1] === "-p" ? 2 : 1) : all
  if (seen[0] !== read.written[0]) return false
  return (
    TAKEN_APART.has(seen[0] ?? "") ||
    (seen.length === read.written.length && seen.every((raw, at) => raw === read.written[at]))
  )
}
