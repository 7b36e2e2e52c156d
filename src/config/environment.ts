/**
 * The process as the rest of the program sees it: variables (with the `.env` file folded in), folders, platform.
 * Read once at start-up; no other file looks at `process.env`.
 */
import { Context } from "effect"

export interface EnvironmentView {
  /** Variables of the process, completed by the one `.env` file that applies. */
  readonly variables: Readonly<Record<string, string>>
  readonly get: (name: string) => string | undefined
  /** The working folder, as a real path. */
  readonly cwd: string
  /** `GEMINI_CLI_HOME`, else the user's home; absent where neither exists. */
  readonly home: string | undefined
  readonly platform: NodeJS.Platform
  /** The `.env` file that was loaded, with the names it contributed. */
  readonly dotenv: { readonly file: string; readonly names: ReadonlyArray<string> } | undefined
}

export class Environment extends Context.Tag("agent/config/Environment")<Environment, EnvironmentView>() {}
