/** Whether a result of a tool may be left out of the history once it is old. Asked for every message, so it needs nothing else. */
import type { FunctionResponse, Part } from "../../protocol/content.ts"

/** Begins the text that stands in the place of a result. */
export const MASK_TAG = "tool_output_masked"

/** A result of no more tokens is shown whole by the preview that would stand in its place. */
export const SMALL_RESULT = 125

/** What these answered is the user's own word or an instruction: it is never old. */
const EXEMPT: ReadonlySet<string> = new Set(["activate_skill", "ask_user", "enter_plan_mode", "exit_plan_mode"])

/** The result of this part, unless it was left out before or must stay. */
export const maskable = (part: Part | undefined): FunctionResponse | undefined => {
  const response = part?.functionResponse
  return response === undefined || EXEMPT.has(response.name ?? "") || isMasked(response.response) ? undefined : response
}

export const isMasked = (response: FunctionResponse["response"]): boolean => {
  const output = response?.output
  return typeof output === "string" && output.startsWith(`<${MASK_TAG}>`)
}
