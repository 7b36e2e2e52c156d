/** The environment of a hook's program: ours without credentials, the places of the session, and what the hook adds. */
import { interpolateText } from "../config/interpolate.ts"
import type { Places } from "../config/programs/run-files.ts"
import { sanitizedEnvironment } from "../shell/child-environment.ts"
import { type ChildVariables, withVariables } from "../system/child-variables.ts"
import type { RedactionRules } from "../system/environment-redaction.ts"
import type { Hook } from "./hook.ts"

export interface HookSurroundings {
  readonly variables: Readonly<Record<string, string>>
  readonly redaction: RedactionRules
  readonly cwd: string
  readonly plansDir: string
  readonly sessionId: string
}

/** Also put into the text of the command. */
export const placesOf = ({ cwd, plansDir, sessionId }: HookSurroundings): Places => ({
  GEMINI_PROJECT_DIR: cwd,
  GEMINI_CWD: cwd,
  GEMINI_PLANS_DIR: plansDir,
  GEMINI_SESSION_ID: sessionId,
  CLAUDE_PROJECT_DIR: cwd
})

/** What the person wrote into `env` may hold any variable of theirs: that is a wish, and it is not filtered. */
export const hookEnvironment = (hook: Hook, around: HookSurroundings): ChildVariables => {
  const lookup = (name: string) => (Object.hasOwn(around.variables, name) ? around.variables[name] : undefined)
  return withVariables(sanitizedEnvironment(around.variables, around.redaction), {
    ...placesOf(around),
    ...hook.given,
    ...Object.fromEntries(Object.entries(hook.env).map(([name, value]) => [name, interpolateText(value, lookup)]))
  })
}
