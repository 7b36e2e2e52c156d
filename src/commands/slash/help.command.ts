/** `/help`: all commands, and the signs with which a line begins. */
import { Effect } from "effect"
import { type Command, print, slash } from "../command.ts"
import { CommandRegistry } from "../command-registry.ts"
import { textTable } from "../text-table.ts"

export const help = slash({
  name: "help",
  description: "What can be typed here",
  isConcurrent: true,
  run: Effect.fnUntraced(function* () {
    const registry = yield* CommandRegistry
    const shown = (yield* registry.commands).filter(({ isHidden }) => isHidden !== true)
    const rows = shown.toSorted((one, other) => (one.name < other.name ? -1 : 1)).map(row)
    return print(
      [
        "Type a prompt, or a line that begins with one of these:",
        "  /command   a command of the list below; a beginning of its name is enough",
        "  !command   run it in the shell; a lone ! switches to shell mode",
        "Anywhere in a prompt:",
        "  @path      attach a file or a folder; @file:10-20 only these lines",
        "/shortcuts shows the keys. Commands that print something take --json.",
        "",
        textTable(rows, "  ")
      ].join("\n"),
      shown.map(({ aliases = [], description, name, subcommands = [], usage }) => ({
        name,
        aliases,
        description,
        usage: usage ?? null,
        subcommands: subcommands.map((sub) => sub.name)
      }))
    )
  })
})

const row = ({ aliases = [], description, name, subcommands = [], usage }: Command): ReadonlyArray<string> => [
  [`/${name}`, ...(usage === undefined ? [] : [usage])].join(" "),
  [
    description,
    ...(subcommands.length === 0 ? [] : [`[${subcommands.map((sub) => sub.name).join(", ")}]`]),
    ...(aliases.length === 0 ? [] : [`(also ${aliases.map((alias) => `/${alias}`).join(", ")})`])
  ].join(" ")
]
