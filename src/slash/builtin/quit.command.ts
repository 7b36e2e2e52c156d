/** `/quit`: the end of the conversation. */
import { Effect } from "effect"
import { type CommandResult, slash } from "../command.ts"
import { parseArguments } from "../command-arguments.ts"

export const quit = slash({
  name: "quit",
  aliases: ["exit"],
  description: "Leave; --delete forgets the session",
  usage: "[--delete]",
  run: ({ args }) => Effect.succeed<CommandResult>({ _tag: "Quit", deletesSession: parseArguments(args).has("delete") })
})
