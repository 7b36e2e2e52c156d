/** `/docs` and `/upgrade`: pages for the browser. */
import { Effect } from "effect"
import { type CommandResult, print, slash } from "../command.ts"
import { SessionFacts } from "../session-facts.ts"

/** Where the settings, tools and files that this program shares with the Node-based one are described. */
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

/** More quota, for those who sign in with a Google account. */
export const upgrade = slash({
  name: "upgrade",
  description: "Where to get a higher quota",
  run: Effect.fnUntraced(function* () {
    const { authType } = yield* SessionFacts
    if (authType !== "oauth-personal") {
      return print(
        "This is for a sign-in with a Google account; the quota of a key or project is set in its own console."
      )
    }
    return {
      _tag: "OpenUrl",
      url: "https://codeassist.google.com/upgrade",
      told: "Higher quotas are offered at:"
    } satisfies CommandResult as CommandResult
  })
})
