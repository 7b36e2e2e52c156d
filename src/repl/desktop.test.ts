import { expect, test } from "bun:test"
import type { EnvironmentView } from "../config/environment.ts"
import { clipboardPrograms } from "./desktop.ts"

const on = (platform: NodeJS.Platform, variables: Record<string, string> = {}): EnvironmentView => ({
  variables,
  get: (name) => variables[name],
  cwd: "/w",
  home: "/h",
  platform,
  dotenv: undefined
})

test.each<[EnvironmentView, ReadonlyArray<string>]>([
  [on("darwin"), ["pbcopy"]],
  [on("win32"), ["clip"]],
  [on("linux"), []],
  [on("linux", { DISPLAY: ":0" }), ["xclip", "xsel"]],
  [on("linux", { DISPLAY: ":0", WAYLAND_DISPLAY: "w" }), ["wl-copy", "xclip", "xsel"]],
  [on("darwin", { SSH_CONNECTION: "1" }), []],
  [on("linux", { DISPLAY: ":0", SSH_TTY: "/dev/pts/1" }), []]
])("clipboard programs of %o", (environment, programs) =>
  expect(clipboardPrograms(environment).map(([name]) => name)).toEqual([...programs])
)
