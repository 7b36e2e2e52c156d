/** Settings that a sub-command cannot do without and cannot read: one line, and where to look. */
import { type ConfigError, formatIssue } from "../../config/config-error.ts"
import { usageError } from "../usage-error.ts"

export const unreadableSettings = (error: ConfigError) =>
  usageError(
    error.issues.map(formatIssue).join("; "),
    "Correct the file first; gemini config validate shows all faults."
  )
