/** The browser of the person, where there is one that the person would see. Everything that opens a page asks here. */
import { Effect } from "effect"
import { childVariables } from "../system/child-variables.ts"
import { runAside } from "../system/programs.ts"
import type { EnvironmentView } from "./environment.ts"

/** `undefined` where the person would not see the browser, or does not want one. */
export const browserProgram = ({ get, platform }: EnvironmentView): ReadonlyArray<string> | undefined => {
  const isSuppressed = get("NO_BROWSER") !== undefined || isSet(get("CI")) || get("BROWSER") === "www-browser"
  if (isSuppressed || get("DEBIAN_FRONTEND") === "noninteractive") return undefined
  if (platform === "linux") {
    return ["DISPLAY", "WAYLAND_DISPLAY", "MIR_SOCKET"].some((name) => isSet(get(name))) ? ["xdg-open"] : undefined
  }
  if (isSet(get("SSH_CONNECTION")) || isSet(get("SSH_TTY"))) return undefined
  return platform === "darwin" ? ["open"] : ["rundll32", "url.dll,FileProtocolHandler"]
}

const isSet = (value: string | undefined): boolean => value !== undefined && value !== ""

/** Whether it works is not known: the address stands on the screen in any case. A browser may be the program itself. */
export const openPage = (url: string, environment: EnvironmentView): Effect.Effect<void> => {
  const program = browserProgram(environment)
  const { cwd, variables } = environment
  return program === undefined
    ? Effect.void
    : Effect.asVoid(
        runAside(
          { argv: [...program, url], cwd, env: childVariables({ inherits: variables }), notIn: cwd },
          { within: 0 }
        )
      )
}
