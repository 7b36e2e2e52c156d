/** `/docs`: where the settings, tools and files that this program shares with the Node-based one are described. */
import { Effect } from "effect"
import { type CommandResult, slash } from "../command.ts"

export const docs = slash({
  name: "docs",
  description: "Where the documentation is",
  run: () =>
    Effect.succeed<CommandResult>({
      _tag: "OpenUrl",
      url: "https://geminicli.com/docs/",
      told: "`gemini --help` and /help describe this program; what it shares with the Node-based Gemini CLI stands at:"
    })
})
