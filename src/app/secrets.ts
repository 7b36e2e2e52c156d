/** Values that never reach the model or a transcript. */
import type { LoadedConfig } from "../config/load.ts"
import type { Secret } from "../kernel/redact-secrets.ts"

/** Variables whose values are credentials of this agent. */
const CREDENTIALS = ["GEMINI_API_KEY", "GOOGLE_API_KEY", "GOOGLE_CLOUD_ACCESS_TOKEN"]

export const secretsOf = ({ environment }: LoadedConfig): ReadonlyArray<Secret> =>
  CREDENTIALS.flatMap((name) => {
    const value = environment.get(name)
    return value === undefined ? [] : [{ name, value }]
  })
