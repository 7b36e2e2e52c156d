import { expect, test } from "bun:test"
import type { EnvironmentView } from "../../config/environment.ts"
import { makeSettings } from "../../config/settings.ts"
import { type TerminalFacts, terminalStyle } from "./terminal-features.ts"
import { plainStyle, type TerminalStyle } from "./terminal-style.ts"

const all: TerminalStyle = { animates: true, colors: true, unicode: true, links: false }

const styleWith = (
  variables: Record<string, string>,
  change: Partial<Pick<TerminalFacts, "options" | "stdoutIsTerminal">> = {},
  platform: NodeJS.Platform = "linux"
): TerminalStyle => {
  const environment: EnvironmentView = {
    variables,
    get: (name) => variables[name],
    cwd: "/w",
    home: "/h",
    platform,
    dotenv: undefined
  }
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
