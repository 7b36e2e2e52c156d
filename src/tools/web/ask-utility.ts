/** One question to a utility model, with the parameters of its alias. */
import { Effect } from "effect"
import { ModelClient } from "../../model/model-client.ts"
import { type UtilityAlias, UtilityModels } from "../../model/utility-models.ts"
import { userText } from "../../protocol/content.ts"

export const askUtility = Effect.fnUntraced(function* (alias: UtilityAlias, prompt: string) {
  const client = yield* ModelClient
  const utility = yield* UtilityModels
  const { config, model } = utility.configFor(alias)
  return yield* client.generate({
    model,
    contents: [userText(prompt)],
    config,
    role: "utility_tool",
    promptId: yield* utility.promptId
  })
})
