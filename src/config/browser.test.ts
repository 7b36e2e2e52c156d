import { expect, test } from "bun:test"
import { browserProgram } from "./browser.ts"
import type { EnvironmentView } from "./environment.ts"

const on = (platform: NodeJS.Platform, variables: Record<string, string> = {}): EnvironmentView => ({
  variables,
  get: (name) => variables[name],
  cwd: "/w",
  home: "/h",
  platform,
  dotenv: undefined
})

test.each<[EnvironmentView, string | undefined]>([
  [on("linux", { DISPLAY: ":0" }), "xdg-open"],
  [on("linux"), undefined],
  [on("linux", { DISPLAY: ":0", NO_BROWSER: "" }), undefined],
  [on("linux", { DISPLAY: ":0", CI: "1" }), undefined],
  [on("linux", { DISPLAY: ":0", BROWSER: "www-browser" }), undefined],
  [on("linux", { DISPLAY: ":0", DEBIAN_FRONTEND: "noninteractive" }), undefined],
  [on("linux", { WAYLAND_DISPLAY: "w", SSH_CONNECTION: "1" }), "xdg-open"],
  [on("darwin"), "open"],
  [on("darwin", { SSH_CONNECTION: "1" }), undefined],
  [on("win32"), "rundll32"]
])("browser of %o", (environment, program) => expect(browserProgram(environment)?.[0]).toBe(program))
