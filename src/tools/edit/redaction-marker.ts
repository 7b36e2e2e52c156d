/**
 * Secrets are shown to the model as `[REDACTED:NAME]`. Written back, the marker would destroy the secret in the user's
 * file. `replace` puts the secret of the same file back in its place; any other text with a marker that the file itself
 * does not hold is refused.
 */
import { ToolFailure } from "../tool.ts"

const MARKER = /\[REDACTED:[^\]\s]{1,200}\]/g

/** `null` when the text may be written. */
export const redactionFault = (text: string, current: string, path: string): ToolFailure | null => {
  const foreign = (text.match(MARKER) ?? []).find((marker) => !current.includes(marker))
  if (foreign === undefined) return null
  return new ToolFailure({
    type: "invalid_tool_params",
    message:
      `Nothing was written to ${path}: the text contains ${foreign}, which stands for a secret that you were not shown. ` +
      "Leave the lines with the secret as they are and change only the lines around them."
  })
}
