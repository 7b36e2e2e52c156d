/** Which program edits a file, and with which words: the setting, then `$VISUAL`, then `$EDITOR`, then what is there. */
export interface EditorChoice {
  /** `general.preferredEditor` */
  readonly preferred: string | undefined
  readonly opensNewWindow: boolean
  readonly get: (variable: string) => string | undefined
  readonly platform: NodeJS.Platform
  /** The program with this name can be started. */
  readonly exists: (program: string) => boolean
}

/** Editors with a window return at once unless they are told to wait. */
const WINDOWED: Readonly<Record<string, string>> = {
  vscode: "code",
  vscodium: "codium",
  windsurf: "windsurf",
  cursor: "cursor",
  zed: "zed",
  antigravity: "agy"
}

const IN_TERMINAL: Readonly<Record<string, ReadonlyArray<string>>> = {
  vim: ["vim"],
  neovim: ["nvim"],
  emacs: ["emacs", "-nw"],
  hx: ["hx"]
}

/** The words before the file's name; `undefined`: there is no editor. */
export const editorCommand = (choice: EditorChoice): ReadonlyArray<string> | undefined =>
  preferredCommand(choice) ??
  variableCommand(choice, "VISUAL") ??
  variableCommand(choice, "EDITOR") ??
  ["vi", "nano", "notepad.exe"]
    .filter(choice.exists)
    .slice(0, 1)
    .map((program) => [program])[0]

const preferredCommand = ({ opensNewWindow, preferred = "" }: EditorChoice): ReadonlyArray<string> | undefined => {
  if (Object.hasOwn(IN_TERMINAL, preferred)) return IN_TERMINAL[preferred]
  const program = Object.hasOwn(WINDOWED, preferred) ? WINDOWED[preferred] : undefined
  if (program === undefined) return undefined
  return [program, "--wait", ...(opensNewWindow ? ["--new-window"] : [])]
}

/** The variables hold shell words: `code --wait`, `"/path with blanks/ed"`. */
const variableCommand = ({ get, platform }: EditorChoice, name: string): ReadonlyArray<string> | undefined => {
  const value = get(name)?.trim() ?? ""
  if (value === "") return undefined
  return platform === "win32" ? value.split(/\s+/) : ["/bin/sh", "-c", `exec ${value} "$@"`, value]
}
