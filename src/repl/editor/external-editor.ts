/**
 * Text in the user's own editor: a long prompt, a proposed change. The text goes through a private temporary file, and
 * the editor has the terminal to itself while it runs.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { basename, join } from "node:path"
import { Context, Effect, Layer, Schema } from "effect"
import type { EnvironmentView } from "../../config/environment.ts"
import { childVariables } from "../../system/child-variables.ts"
import { machineProgram, runAtTerminal } from "../../system/programs.ts"
import { Keyboard } from "../terminal/keyboard.ts"

export class ExternalEditorError extends Schema.TaggedError<ExternalEditorError>()("ExternalEditorError", {
  /** `none`: no editor is configured. `failed`: it could not be started, or ended with an error. */
  kind: Schema.Literal("none", "failed"),
  command: Schema.String,
  detail: Schema.String
}) {
  override get message() {
    return this.kind === "none"
      ? "no editor is set: set $VISUAL or $EDITOR, or general.preferredEditor in the settings"
      : `the editor (${this.command}) ${this.detail}`
  }
}

export interface EditorRequest {
  readonly text: string
  /** Name of the temporary file, for the editor's colours: `prompt.md`, or the name of the file to be changed. */
  readonly fileName: string
}

export class ExternalEditor extends Context.Tag("agent/repl/ExternalEditor")<
  ExternalEditor,
  {
    /** The text as the editor left it. */
    readonly edit: (request: EditorRequest) => Effect.Effect<string, ExternalEditorError>
  }
>() {}

export interface ExternalEditorOptions {
  readonly environment: EnvironmentView
  /** `general.preferredEditor` */
  readonly preferred: string | undefined
  /** `general.openEditorInNewWindow` */
  readonly opensNewWindow: boolean
}

export const layer = (options: ExternalEditorOptions) =>
  Layer.effect(
    ExternalEditor,
    Effect.map(Keyboard, (keyboard) => ({
      edit: Effect.fn("ExternalEditor.edit")(function* (request: EditorRequest) {
        const command = editorCommand({
          preferred: options.preferred,
          opensNewWindow: options.opensNewWindow,
          get: options.environment.get,
          platform: options.environment.platform,
          exists: (program) =>
            machineProgram(program, options.environment.get("PATH") ?? "", options.environment.cwd) !== null
        })
        if (command === undefined) return yield* new ExternalEditorError({ kind: "none", command: "", detail: "" })
        const folder = yield* Effect.acquireRelease(
          Effect.try({ try: () => mkdtempSync(join(tmpdir(), "gemini-edit-")), catch: failure(command) }),
          (made) => Effect.sync(() => rmSync(made, { recursive: true, force: true }))
        )
        const file = join(folder, basename(request.fileName) || "text")
        yield* Effect.try({
          try: () => writeFileSync(file, request.text, { mode: 0o600 }),
          catch: failure(command)
        })
        yield* keyboard.released(runEditor([...command, file], options.environment))
        const text = yield* Effect.try({ try: () => readFileSync(file, "utf8"), catch: failure(command) })
        // Editors end the last line; the text had its own end.
        return request.text.endsWith("\n") ? text : text.replace(/\r?\n$/, "")
      }, Effect.scoped)
    }))
  )

const runEditor = Effect.fnUntraced(function* (command: ReadonlyArray<string>, { cwd, variables }: EnvironmentView) {
  const editor = { argv: command, cwd, env: childVariables({ inherits: variables }), notIn: cwd } as const
  const exitCode = yield* Effect.mapError(runAtTerminal(editor, "inherit"), failure(command))
  if (exitCode !== 0) {
    return yield* new ExternalEditorError({
      kind: "failed",
      command: nameOf(command),
      detail: `ended with exit code ${exitCode}; the text is unchanged`
    })
  }
})

const failure = (command: ReadonlyArray<string>) => (cause: unknown) =>
  new ExternalEditorError({
    kind: "failed",
    command: nameOf(command),
    detail: `could not be used: ${cause instanceof Error ? cause.message : String(cause)}`
  })

/** Through a shell, the words of the variable stand at the end of the shell's own. */
const nameOf = ([program = "", , , words]: ReadonlyArray<string>): string =>
  program === "/bin/sh" && words !== undefined ? words : program

interface EditorChoice {
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

/**
 * Which program edits a file, and with which words before its name: the setting, then `$VISUAL`, then `$EDITOR`, then
 * what is there. `undefined`: there is no editor.
 */
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
