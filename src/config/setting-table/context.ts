/** Rows of `context` (context files, extra roots, ignore rules) and of `ui`. */

import { joinsTrustedFolders } from "../project-direction.ts"
import { concatList, count, flag, list, oneOf, openObject, setting, TextList, text, unionList } from "../setting.ts"

const nameToList = (value: unknown): unknown => (typeof value === "string" ? [value] : value)

export const contextSettings = {
  "context.fileName": setting(TextList, { normalize: nameToList })(
    undefined,
    "essential",
    "Name or names of context files; replaces GEMINI.md"
  ),
  "context.importFormat": setting(oneOf("tree", "flat"))(
    "tree",
    "essential",
    "How @path imports of context files are laid out"
  ),
  "context.includeDirectoryTree": flag(true, "essential", "Folder tree in the first turn"),
  "context.projectFacts": flag(
    true,
    "useful",
    "Git state, manifests, extensions and tools that are off, in the first turn of a trusted folder"
  ),
  "context.discoveryMaxDirs": count(
    200,
    "useful",
    "Folders scanned for context files when experimental.jitContext is off"
  ),
  "context.memoryBoundaryMarkers": list([".git"], "essential", "Names that stop the upward search; [] = no parents"),
  "context.includeDirectories": concatList(
    [],
    "essential",
    "Extra workspace roots; missing ones skipped with warning",
    joinsTrustedFolders
  ),
  "context.loadMemoryFromIncludeDirectories": flag(
    undefined,
    "useful",
    "false: no context files of the extra workspace roots"
  ),
  "context.fileFiltering.respectGitIgnore": flag(true, "essential", "Apply .gitignore"),
  "context.fileFiltering.respectGeminiIgnore": flag(true, "essential", "Apply .geminiignore"),
  "context.fileFiltering.enableFileWatcher": flag(false, "tui", "Live @ index"),
  "context.fileFiltering.enableRecursiveFileSearch": flag(true, "useful", "@name also looks below the working folder"),
  "context.fileFiltering.enableFuzzySearch": flag(true, "useful", "Fuzzy @ completion"),
  "context.fileFiltering.maxFileCount": count(20000, "useful", "Most paths that @ completion looks through"),
  "context.fileFiltering.customIgnoreFilePaths": unionList([], "useful", "More ignore files, strongest first")
}

/** Rows of `ui`: nearly all of them belong to the full-screen program and are only accepted here. */
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
  "ui.showCompatibilityWarnings": flag(true, "useful", "Warn of a terminal that cannot show everything"),
  "ui.hideTips": flag(false, "tui", "No tips"),
  "ui.escapePastedAtSymbols": flag(false, "useful", "Pasted @ is literal"),
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
  "ui.showUserIdentity": flag(true, "useful", "Show the account at the start of a conversation"),
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
