/** What is wrong with the user's configuration, always with the place to look at. Ends a run with exit code 52. */
import { Schema } from "effect"

export const ConfigIssue = Schema.Struct({
  file: Schema.String,
  line: Schema.optionalWith(Schema.Int, { exact: true }),
  column: Schema.optionalWith(Schema.Int, { exact: true }),
  key: Schema.optionalWith(Schema.String, { exact: true }),
  message: Schema.String
})
export type ConfigIssue = typeof ConfigIssue.Type

/** `error` stops a run; `warning` is shown once; `note` only appears in `gemini config validate`. */
export type Severity = "error" | "warning" | "note"

export interface Finding extends ConfigIssue {
  readonly severity: Severity
}

/** `file:line:column: key: message`, the form that editors and terminals make clickable. */
export const formatIssue = (issue: ConfigIssue): string => {
  const line = issue.line === undefined ? "" : `:${issue.line}`
  const column = issue.line === undefined || issue.column === undefined ? "" : `:${issue.column}`
  const key = issue.key === undefined ? "" : `${issue.key}: `
  return plain(`${issue.file}${line}${column}: ${key}${issue.message}`)
}

const MAX_LINE = 400

/** Names come from files of others: nothing in them may move the cursor or fill the screen. */
const plain = (text: string): string =>
  (text.length > MAX_LINE ? `${text.slice(0, MAX_LINE)}…` : text).replace(
    /\p{Cc}/gu,
    (unit) => `\\x${unit.charCodeAt(0).toString(16).padStart(2, "0")}`
  )

export class ConfigError extends Schema.TaggedError<ConfigError>()("ConfigError", {
  issues: Schema.NonEmptyArray(ConfigIssue)
}) {
  override get message() {
    const [first, ...rest] = this.issues
    return rest.length === 0
      ? `Invalid configuration: ${formatIssue(first)}`
      : `Invalid configuration:\n${this.issues.map((issue) => `  ${formatIssue(issue)}`).join("\n")}`
  }
}

/**
 * Something was asked for that only a trusted folder may give.
 * The folder is not trusted, and something was asked for that needs trust.
 */
export class UntrustedFolder extends Schema.TaggedError<UntrustedFolder>()("UntrustedFolder", {
  folder: Schema.String,
  /** What cannot be honoured: a flag, or the rule that forbids the folder. */
  because: Schema.String
}) {
  override get message() {
    return `${this.folder} is not a trusted folder: ${this.because}`
  }
}
