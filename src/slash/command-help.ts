/** Help as people read it: one command with all that may follow it, or a line for each of many. Pure. */
import type { Command } from "./command.ts"
import { textTable } from "./text-table.ts"

/** `path`: the words that lead to the command. */
export const commandHelp = (command: Command, path: string): string => {
  const { aliases = [], description, run, subcommands = [], usage } = command
  const own = run === undefined ? [] : [[line(path, usage), description]]
  const subs = subcommands.filter(isShown).map((sub) => [line(`${path} ${sub.name}`, sub.usage), sub.description])
  return [
    ...(run === undefined ? [description] : []),
    textTable([...own, ...subs], "  "),
    ...(aliases.length === 0 ? [] : [`Also called ${aliases.map((alias) => `/${alias}`).join(", ")}.`])
  ].join("\n")
}

/** Longer ones would leave no room for the words beside them; `/help <command>` has them. */
const MAX_USAGE_LENGTH = 12

export const commandList = (commands: ReadonlyArray<Command>): string =>
  textTable(
    commands
      .filter(isShown)
      .toSorted((one, other) => (one.name < other.name ? -1 : 1))
      .map(({ aliases = [], description, name, subcommands = [], usage }) => [
        line(name, usage !== undefined && usage.length > MAX_USAGE_LENGTH ? "..." : usage),
        [
          description,
          ...(subcommands.some(isShown)
            ? [
                `[${subcommands
                  .filter(isShown)
                  .map((sub) => sub.name)
                  .join(", ")}]`
              ]
            : []),
          ...(aliases.length === 0 ? [] : [`(also ${aliases.map((alias) => `/${alias}`).join(", ")})`])
        ].join(" ")
      ]),
    "  "
  )

const isShown = ({ isHidden }: Command): boolean => isHidden !== true

const line = (path: string, usage: string | undefined): string => [`/${path}`, usage].filter(Boolean).join(" ")
