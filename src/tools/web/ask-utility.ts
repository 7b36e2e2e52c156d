/** One question of a web tool to a utility model. */
import { askModel } from "../../model/utility-call.ts"
import type { UtilityAlias } from "../../model/utility-models.ts"
import { userText } from "../../protocol/content.ts"

export const askUtility = (alias: UtilityAlias, prompt: string) =>
  askModel({ alias, contents: [userText(prompt)], role: "utility_tool" })
