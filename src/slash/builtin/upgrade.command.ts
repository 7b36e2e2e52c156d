/** `/upgrade`: more quota, for those who sign in with a Google account. */
import { Effect } from "effect"
import { type CommandResult, print, slash } from "../command.ts"
import { SessionFacts } from "../session-facts.ts"

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
