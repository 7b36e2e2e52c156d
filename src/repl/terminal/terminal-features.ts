/** What the terminal of a conversation can do, from what it says about itself. Pure. */
import type { EnvironmentView } from "../../config/environment.ts"
import type { SettingsView } from "../../config/settings.ts"
import type { TerminalStyle } from "./terminal-style.ts"

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
const isUnicode = ({ get, platform }: EnvironmentView): boolean => {
  if (platform === "darwin" || platform === "win32") return true
  const locale = [get("LC_ALL"), get("LC_CTYPE"), get("LANG")].find((value) => value !== undefined && value !== "")
  return /utf-?8/i.test(locale ?? "")
}

/** Terminals that are known to show links; others may print the address as garbage. */
const LINKING = new Set(["iTerm.app", "WezTerm", "vscode", "ghostty", "Hyper", "rio"])

const showsLinks = (get: EnvironmentView["get"]): boolean =>
  LINKING.has(get("TERM_PROGRAM") ?? "") ||
  (get("WT_SESSION") ?? "") !== "" ||
  (get("KITTY_WINDOW_ID") ?? "") !== "" ||
  Number(get("VTE_VERSION") ?? 0) >= 5000
