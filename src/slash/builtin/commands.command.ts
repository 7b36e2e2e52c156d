/** `/commands`: custom commands by where they come from, and what is wrong with their files. */
import { Effect } from "effect"
import { type Command, print, slash } from "../command.ts"
import { originOf } from "../command-names.ts"
import { CommandRegistry } from "../command-registry.ts"
import { textTable } from "../text-table.ts"

const list = Effect.fnUntraced(function* () {
  const registry = yield* CommandRegistry
  return listed(yield* registry.commands, yield* registry.notices)
})

export const commands = slash({
  name: "commands",
  description: "Custom commands",
  run: list,
  subcommands: [
    slash({ name: "list", description: "Custom commands and their files", run: list }),
    slash({
      name: "reload",
      aliases: ["refresh"],
      description: "Read the custom commands again",
      run: Effect.fnUntraced(function* () {
        const registry = yield* CommandRegistry
        const notices = yield* registry.reload
        return listed(yield* registry.commands, notices)
      })
    })
  ]
})

const listed = (all: ReadonlyArray<Command>, notices: ReadonlyArray<string>) => {
  const custom = all.filter(({ source }) => source._tag !== "BuiltIn" && source._tag !== "Skill")
  const rows = custom.map(({ description, name, source }) => [`/${name}`, description, originOf(source)])
  return print(
    [
      custom.length === 0
        ? "No custom commands. They are TOML files in ~/.gemini/commands and .gemini/commands."
        : textTable(rows),
      ...notices
    ].join("\n"),
    {
      commands: custom.map(({ description, name, source }) => ({ name, description, origin: originOf(source) })),
      notices
    }
  )
}
