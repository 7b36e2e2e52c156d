import { expect, test } from "bun:test"
import type { EnvironmentView } from "../../config/environment.ts"
import { makeSettings } from "../../config/settings.ts"
import {
  compatibilityWarnings,
  plainStyle,
  type TerminalFacts,
  type TerminalStyle,
  terminalStyle
} from "./terminal-features.ts"

const all: TerminalStyle = { animates: true, colors: true, unicode: true, links: false }

const environmentWith = (variables: Record<string, string>, platform: NodeJS.Platform): EnvironmentView => ({
  variables,
  get: (name) => variables[name],
  cwd: "/w",
  home: "/h",
  platform,
  dotenv: undefined
})

const styleWith = (
  variables: Record<string, string>,
  change: Partial<Pick<TerminalFacts, "options" | "stdoutIsTerminal">> = {},
  platform: NodeJS.Platform = "linux"
): TerminalStyle => {
  const environment = environmentWith(variables, platform)
  const settings = makeSettings({ values: new Map(), sources: new Map() }, [])
  return terminalStyle({ environment, settings, options: {}, stdoutIsTerminal: true, ...change })
}

const usual = { TERM: "xterm-256color", LANG: "en_US.UTF-8" }

test.each<[string, TerminalStyle, TerminalStyle]>([
  ["a usual terminal", styleWith(usual), all],
  ["a dumb one", styleWith({ ...usual, TERM: "dumb" }), plainStyle],
  ["one without a name", styleWith({ LANG: "C.UTF-8" }), plainStyle],
  ["NO_COLOR", styleWith({ ...usual, NO_COLOR: "1" }), { ...all, colors: false }],
  ["an empty NO_COLOR", styleWith({ ...usual, NO_COLOR: "" }), all],
  ["output in a file", styleWith(usual, { stdoutIsTerminal: false }), plainStyle],
  ["a screen reader", styleWith(usual, { options: { screenReader: true } }), { ...plainStyle, isSpoken: true }],
  ["another locale", styleWith({ ...usual, LC_ALL: "C" }), { ...all, unicode: false }],
  ["a terminal with links", styleWith({ ...usual, VTE_VERSION: "7001" }), { ...all, links: true }],
  ["Windows", styleWith({}, {}, "win32"), all]
])("%s", (_, style, expected) => expect(style).toEqual(expected))

test.each<[NodeJS.Platform, Record<string, string>, string | undefined]>([
  ["linux", usual, undefined],
  ["linux", {}, undefined],
  ["linux", { LANG: "C" }, undefined],
  ["linux", { LANG: "C.utf8" }, undefined],
  ["linux", { LANG: "de_DE.ISO-8859-1" }, "the locale de_DE.ISO-8859-1 is not UTF-8"],
  ["darwin", { LC_ALL: "ja_JP.eucJP", LANG: "en_US.UTF-8" }, "the locale ja_JP.eucJP is not UTF-8"],
  ["win32", {}, "this console may not show everything"],
  ["win32", { WT_SESSION: "x" }, undefined]
])("on %s with %j it is said: %p", (platform, variables, said) =>
  expect(compatibilityWarnings(environmentWith(variables, platform))).toEqual(
    said === undefined ? [] : [expect.stringContaining(said)]
  )
)
