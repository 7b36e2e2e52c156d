/** Rows of `ui`: nearly all of them belong to the full-screen program and are only accepted here. */
import { count, flag, list, oneOf, openObject, setting, text, unsupported } from "../setting.ts"

export const uiSettings = {
  "ui.debugRainbow": flag(false, "tui", "Render debugging"),
  "ui.theme": text(undefined, "tui", "Theme name"),
  "ui.autoThemeSwitching": flag(true, "tui", "Follow terminal background"),
  "ui.terminalBackgroundPollingInterval": count(60, "tui", "Seconds between background checks"),
  "ui.customThemes": openObject({}, "tui", "User themes"),
  "ui.hideWindowTitle": flag(false, "useful", "No terminal title"),
  "ui.inlineThinkingMode": setting(oneOf("off", "full"))("off", "useful", "Print thoughts inline"),
  "ui.showStatusInTitle": flag(false, "tui", "Thoughts in title"),
  "ui.dynamicWindowTitle": flag(true, "useful", "Status icon in title"),
  "ui.showHomeDirectoryWarning": flag(true, "useful", "Warn when started in the home dir"),
  "ui.showCompatibilityWarnings": unsupported("there are no such warnings")(
    flag(true, "useful", "Terminal/OS warnings"),
    false
  ),
  "ui.hideTips": flag(false, "tui", "No tips"),
  "ui.escapePastedAtSymbols": unsupported("a pasted @ counts like a typed one")(
    flag(false, "useful", "Pasted @ is literal")
  ),
  "ui.showShortcutsHint": flag(true, "tui", "Hint above input"),
  "ui.compactToolOutput": flag(true, "tui", "Dense tool display"),
  "ui.hideBanner": flag(false, "useful", "No logo"),
  "ui.hideContextSummary": flag(false, "tui", "No context line"),
  "ui.footer.items": list(undefined, "tui", "Footer entries"),
  "ui.footer.showLabels": flag(true, "tui", "Footer header row"),
  "ui.footer.hideCWD": flag(false, "tui", "Hide cwd"),
  "ui.footer.hideSandboxStatus": flag(false, "tui", "Hide sandbox state"),
  "ui.footer.hideModelInfo": flag(false, "useful", "Hide model"),
  "ui.footer.hideContextPercentage": flag(true, "tui", "Hide context %"),
  "ui.wrap": setting(oneOf("soft", "hard"))("soft", "useful", "Leave text to the terminal to wrap, or break it"),
  "ui.hideFooter": flag(false, "useful", "No footer"),
  "ui.collapseDrawerDuringApproval": flag(true, "tui", "Collapse drawer"),
  "ui.showMemoryUsage": flag(false, "tui", "Show RSS"),
  "ui.showLineNumbers": flag(true, "tui", "Line numbers in code"),
  "ui.showCitations": flag(false, "useful", "Print citations after answers"),
  "ui.showModelInfoInChat": flag(false, "useful", "Print model per turn"),
  "ui.showUserIdentity": unsupported("the account is not shown")(flag(true, "useful", "Show account"), false),
  "ui.useAlternateBuffer": flag(false, "tui", "Full-screen buffer"),
  "ui.renderProcess": flag(true, "tui", "Separate renderer"),
  "ui.terminalBuffer": flag(false, "tui", "New renderer"),
  "ui.useBackgroundColor": flag(true, "tui", "Background colours"),
  "ui.incrementalRendering": flag(true, "tui", "Partial redraw"),
  "ui.showSpinner": flag(true, "tui", "Spinner"),
  "ui.loadingPhrases": setting(oneOf("tips", "witty", "all", "off"))("off", "tui", "Text while waiting"),
  "ui.errorVerbosity": setting(oneOf("low", "full"))("low", "useful", "Hide or show recovered errors"),
  "ui.customWittyPhrases": list([], "tui", "Own phrases"),
  "ui.accessibility.enableLoadingPhrases": flag(true, "tui", "Old form of ui.loadingPhrases"),
  "ui.accessibility.screenReader": flag(false, "useful", "Plain output; same as --screen-reader")
}
