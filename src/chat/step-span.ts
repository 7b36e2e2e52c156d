/** How one step of the loop is named in a trace: telemetry tells what a person said from what the program said in their place. */
import type { Content } from "../protocol/content.ts"
import type { PromptId } from "../protocol/ids.ts"
import { followsTools } from "./tool-messages.ts"

export const spanOf = (message: Content, { promptId }: { readonly promptId: PromptId }) => {
  const name = followsTools(message) ? "system_prompt" : "user_prompt"
  const attributes = {
    "gen_ai.operation.name": name,
    "gen_ai.prompt.name": promptId,
    "gen_ai.input.messages": () => message
  }
  return [name, { attributes }] as const
}
