/** What a terminal can show, and what that of a conversation can do, from what it says about itself. Pure. */
import type { EnvironmentView } from "../../config/environment.ts"
import type { SettingsView } from "../../config/settings.ts"

export interface TerminalFacts {
  readonly environment: EnvironmentView
  readonly settings: SettingsView
  readonly options: { readonly screenReader?: boolean | undefined }
  readonly stdoutIsTerminal: boolean
}

/** Without a terminal that understands sequences, or for a screen reader, everything is plain lines. */
export const terminalStyle = ({ environment, options, settings, stdoutIsTerminal }: TerminalFacts): TerminalStyle => {
  const { get } = environment
  const isRead = options.screenReader ?? settings.get("ui.accessibility.screenReader")
  const animates = stdoutIsTerminal && !isRead && isCapable(get("TERM"), environment.platform)
  return {
    animates,
    colors: animates && (get("NO_COLOR") ?? "") === "",
    unicode: animates && isUnicode(environment),
    links: animates && showsLinks(get),
    ...(isRead ? { isSpoken: true } : {}),
    ...(settings.get("ui.wrap") === "hard" ? { wrapsHard: true } : {})
  }
}

const isCapable = (term: string | undefined, platform: NodeJS.Platform): boolean =>
  term === undefined || term === "" ? platform === "win32" : term !== "dumb"

/** The first of these variables that is set decides, as in every program of the system. */
const localeOf = ({ get }: Pick<EnvironmentView, "get">): string =>
  [get("LC_ALL"), get("LC_CTYPE"), get("LANG")].find((value) => value !== undefined && value !== "") ?? ""

const isUnicode = (environment: EnvironmentView): boolean =>
  environment.platform === "darwin" || environment.platform === "win32" || /utf-?8/i.test(localeOf(environment))

/** `ui.showCompatibilityWarnings`: what this terminal will show wrong, and what helps. */
export const compatibilityWarnings = (environment: EnvironmentView): ReadonlyArray<string> => {
  const { get, platform } = environment
  const locale = localeOf(environment)
  const isSet = (name: string) => (get(name) ?? "") !== ""
  return [
    // Without a set of characters a terminal gets ASCII marks, and what the model says is mostly shown all the same.
    ...(platform !== "win32" && /\.(?!utf-?8)[\w-]+/i.test(locale)
      ? [`[WARNING] the locale ${locale} is not UTF-8: letters beyond ASCII may look wrong here (LANG=C.UTF-8 helps)`]
      : []),
    ...(platform === "win32" && !["WT_SESSION", "TERM_PROGRAM", "ConEmuPID", "TERM"].some(isSet)
      ? ["[WARNING] this console may not show everything: Windows Terminal does"]
      : [])
  ]
}

/** Terminals that are known to show links; others may print the address as garbage. */
const LINKING = new Set(["iTerm.app", "WezTerm", "vscode", "ghostty", "Hyper", "rio"])

const showsLinks = (get: EnvironmentView["get"]): boolean =>
  LINKING.has(get("TERM_PROGRAM") ?? "") ||
  (get("WT_SESSION") ?? "") !== "" ||
  (get("KITTY_WINDOW_ID") ?? "") !== "" ||
  Number(get("VTE_VERSION") ?? 0) >= 5000

export interface TerminalStyle {
  /** SGR sequences: bold, dim, colours. Off with `NO_COLOR`. */
  readonly colors: boolean
  /** Characters outside ASCII: marks, frames, spinner. */
  readonly unicode: boolean
  /** One line at the bottom may change: the line editor, a status line, a line that is still being streamed. */
  readonly animates: boolean
  /** OSC 8 hyperlinks. */
  readonly links: boolean
  /** By a screen reader: words and sentences in place of marks, frames and markup. */
  readonly isSpoken?: boolean
  /** `ui.wrap: hard`: text is broken at the width of the window, instead of leaving that to the terminal. */
  readonly wrapsHard?: boolean
}

/**
 * What the terminal can show. Everything is off on a dumb terminal, for a screen reader and where there is no terminal.
 */
export const plainStyle: TerminalStyle = { colors: false, unicode: false, animates: false, links: false }
