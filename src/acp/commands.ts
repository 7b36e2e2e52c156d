/** Slash commands in an editor: which of them it is offered, and which one a prompt names. */
import type { AvailableCommand } from "@agentclientprotocol/sdk"
import type { Command } from "../slash/command.ts"

/** Of the built-in ones those that answer with text; the others belong to a terminal. */
const OFFERED = new Set(["memory", "extensions", "init", "restore", "about", "help", "compress", "stats"])

export const isOffered = ({ isHidden, name, source }: Command): boolean =>
  isHidden !== true && (source._tag !== "BuiltIn" || OFFERED.has(name))

/** Sub-commands stand in the list under their whole names. */
export const availableCommands = (commands: ReadonlyArray<Command>): Array<AvailableCommand> =>
  commands.filter(isOffered).flatMap((command) => listed(command, command.name))

const listed = (command: Command, path: string): ReadonlyArray<AvailableCommand> => [
  {
    name: path,
    description: command.description,
    ...(command.usage === undefined ? {} : { input: { hint: command.usage } })
  },
  ...(command.subcommands ?? [])
    .filter(({ isHidden }) => isHidden !== true)
    .flatMap((sub) => listed(sub, `${path} ${sub.name}`))
]

/** The line that a command is looked up by; `undefined` for what cannot be one. Some editors write `$` for `/`. */
export const commandLine = (text: string): string | undefined => {
  const line = text.trim()
  return /^[/$][^\s/$*]/.test(line) ? `/${line.slice(1)}` : undefined
}
