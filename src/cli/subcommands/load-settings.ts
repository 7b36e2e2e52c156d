/** The configuration as a sub-command finds it where it was started. What cannot be read is one line, and where to look. */
import { Effect } from "effect"
import { type ConfigError, formatIssue } from "../../config/config-error.ts"
import { type LoadInput, loadConfig } from "../../config/load.ts"
import { CliContext } from "../cli-context.ts"
import { usageError } from "../usage-error.ts"

export interface LoadSettingsOptions extends Pick<LoadInput, "tolerant" | "isHidden"> {
  readonly skipTrust?: boolean
  readonly ignoreEnv?: boolean
  /** Another folder than the one where the command was started. */
  readonly cwd?: string
}

export const loadSettings = Effect.fnUntraced(function* (options: LoadSettingsOptions = {}) {
  const { cwd, env } = yield* CliContext
  const { skipTrust = false, ignoreEnv = false, ...rest } = options
  const input: LoadInput = { cwd, env, platform: process.platform, flags: { skipTrust, ignoreEnv }, ...rest }
  return yield* loadConfig(input).pipe(Effect.catchTag("ConfigError", unreadableSettings))
})

export const unreadableSettings = (error: ConfigError) =>
  usageError(
    error.issues.map(formatIssue).join("; "),
    "Correct the file first; gemini config validate shows all faults."
  )
