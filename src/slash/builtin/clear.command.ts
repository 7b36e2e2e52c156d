/** `/clear`: an empty conversation. What was said stays in the record of its session. */
import { Effect } from "effect"
import { type CommandResult, slash } from "../command.ts"

export const clear = slash({
  name: "clear",
  aliases: ["new"],
  description: "Begin a new, empty session",
  run: () => Effect.succeed<CommandResult>({ _tag: "NewSession" })
})
