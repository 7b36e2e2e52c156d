/** Opens a page in the browser of the person, where there is one. */
import { Effect } from "effect"
import type { EnvironmentView } from "../../config/environment.ts"
import { childVariables } from "../../system/child-variables.ts"
import { runAside } from "../../system/programs.ts"

const OPENERS: Partial<Record<NodeJS.Platform, ReadonlyArray<string>>> = {
  darwin: ["open"],
  win32: ["rundll32", "url.dll,FileProtocolHandler"]
}

/** Whether there is a browser is not known before it was tried, and the address stands on the screen in any case. */
export const openPage = (url: string, { cwd, platform, variables }: EnvironmentView): Effect.Effect<void> =>
  Effect.asVoid(
    runAside(
      { argv: [...(OPENERS[platform] ?? ["xdg-open"]), url], cwd, env: childVariables({ inherits: variables }) },
      { within: 0 }
    )
  )
