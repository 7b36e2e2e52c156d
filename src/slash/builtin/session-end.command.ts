/** `/clear` and `/quit`: the end of a conversation. What was said stays in the record of its session. */
import { Effect } from "effect"
import { type CommandResult, slash } from "../command.ts"
import { parseArguments } from "../command-arguments.ts"

export const clear = slash({
  name: "clear",
  aliases: ["new"],
  description: "Begin a new, empty session",
  run: () => Effect.succeed<CommandResult>({ _tag: "NewSession" })
})

export const quit = slash({
  name: "quit",
  aliases: ["exit"],
  description: "Leave; --delete forgets the session",
  usage: "[--delete]",
  run: ({ args }) => Effect.succeed<CommandResult>({ _tag: "Quit", deletesSession: parseArguments(args).has("delete") })
})
