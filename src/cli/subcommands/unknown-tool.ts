/** A tool that does not exist, with those that may have been meant. */
import { closestNames } from "../../kernel/closest-name.ts"
import { type UsageError, usageError } from "../usage-error.ts"

export const unknownTool = (typed: string, names: ReadonlyArray<string>): UsageError => {
  const near = closestNames(typed, names)
  return usageError(
    `Unknown tool "${typed}"`,
    near.length === 0 ? "gemini tools list shows all tools." : `Did you mean ${near.join(", ")}?`
  )
}
