/**
 * Gives every command a name of its own. Built-in ones keep theirs; of two others with the same name neither is the
 * stronger, so both are called by where they come from, and the person is told.
 */
import type { Command, CommandSource } from "./command.ts"

export interface Named {
  readonly commands: ReadonlyArray<Command>
  /** One line for each that was renamed. */
  readonly notices: ReadonlyArray<string>
}

export const resolveNames = (builtins: ReadonlyArray<Command>, others: ReadonlyArray<Command>): Named => {
  const taken = new Set(builtins.map(({ name }) => name))
  const counts = new Map<string, number>()
  for (const command of others) counts.set(wantedName(command), (counts.get(wantedName(command)) ?? 0) + 1)
  // Names that nobody disputes are given first, so that a renamed one cannot take them.
  for (const [name, count] of counts) if (count === 1) taken.add(name)
  const builtinNames = new Set(builtins.map(({ name }) => name))
  const notices: Array<string> = []
  const commands = others.map((command) => {
    const wanted = wantedName(command)
    if (counts.get(wanted) === 1 && !builtinNames.has(wanted)) return { ...command, name: wanted }
    const name = firstFree(qualified(command), taken)
    taken.add(name)
    notices.push(`/${wanted} is not unique: that of ${originOf(command.source)} is /${name}`)
    return { ...command, name }
  })
  return { commands: [...builtins, ...commands], notices }
}

const wantedName = (command: Command): string =>
  command.source._tag === "Skill" && command.source.extension !== undefined ? qualified(command) : command.name

const qualified = ({ name, source }: Command): string => {
  switch (source._tag) {
    case "BuiltIn":
      return name
    case "File":
      return `${source.scope}.${name}`
    case "McpPrompt":
      return `${source.server}.${name}`
    case "Extension":
      return `${source.extension}:${name}`
    case "Skill":
      return source.extension === undefined ? name : `${source.extension}:${name}`
  }
}

const firstFree = (name: string, taken: ReadonlySet<string>): string => {
  let candidate = name
  for (let number = 2; taken.has(candidate); number++) candidate = `${name}${number}`
  return candidate
}

export const originOf = (source: CommandSource): string => {
  switch (source._tag) {
    case "BuiltIn":
      return "gemini"
    case "File":
      return source.file
    case "McpPrompt":
      return `the MCP server ${source.server}`
    case "Extension":
      return `the extension ${source.extension}`
    case "Skill":
      return "a skill"
  }
}
