import { describe, expect, test } from "bun:test"
import { chmodSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { Effect, Layer } from "effect"
import { it } from "../../../test/kit/it.ts"
import { tempFolder } from "../../../test/kit/temp-folder.ts"
import { testTerminal } from "../../../test/kit/terminal-device.ts"
import * as Keyboard from "../terminal/keyboard.ts"
import { ExternalEditor, editorCommand, layer } from "./external-editor.ts"

const choose = (
  variables: Readonly<Record<string, string>>,
  options: { preferred?: string; platform?: NodeJS.Platform; installed?: ReadonlyArray<string>; window?: boolean } = {}
) =>
  editorCommand({
    preferred: options.preferred,
    opensNewWindow: options.window ?? false,
    get: (name) => variables[name],
    platform: options.platform ?? "linux",
    exists: (program) => options.installed?.includes(program) ?? false
  })

describe("which editor", () => {
  test("the setting wins over the variables", () => {
    expect(choose({ EDITOR: "ed" }, { preferred: "vscode" })).toEqual(["code", "--wait"])
    expect(choose({ EDITOR: "ed" }, { preferred: "zed", window: true })).toEqual(["zed", "--wait", "--new-window"])
    expect(choose({ EDITOR: "ed" }, { preferred: "neovim" })).toEqual(["nvim"])
  })
  test("$VISUAL wins over $EDITOR, and both are shell words", () => {
    expect(choose({ VISUAL: "emacs -nw", EDITOR: "ed" })).toEqual(["/bin/sh", "-c", 'exec emacs -nw "$@"', "emacs -nw"])
    expect(choose({ EDITOR: "code --wait" }, { platform: "win32" })).toEqual(["code", "--wait"])
  })
  test("an unknown setting and empty variables count as nothing", () => {
    expect(choose({ VISUAL: " " }, { preferred: "constructor", installed: ["nano", "vi"] })).toEqual(["vi"])
    expect(choose({})).toBeUndefined()
  })
})

const withEditor = (script: string, text: string) =>
  Effect.gen(function* () {
    const folder = yield* tempFolder({ "of mine/ed": `#!/bin/sh\n${script}\n` })
    const program = join(folder, "of mine", "ed")
    chmodSync(program, 0o755)
    const variables = {
      EDITOR: `"${program}" --flag`,
      PATH: "/usr/bin:/bin",
      OUT: join(folder, "out"),
      BUN_OPTIONS: "x"
    }
    const terminal = testTerminal()
    const editor = layer({
      environment: {
        variables,
        get: (name) => Object.entries(variables).find(([key]) => key === name)?.[1],
        cwd: folder,
        home: undefined,
        platform: "linux",
        dotenv: undefined
      },
      preferred: undefined,
      opensNewWindow: false
    }).pipe(Layer.provide(Keyboard.layer(terminal.device, { raw: true })))
    const result = yield* Effect.flatMap(ExternalEditor, ({ edit }) => edit({ text, fileName: "prompt.md" })).pipe(
      Effect.provide(editor),
      Effect.either
    )
    return { result, log: terminal.log, out: () => readFileSync(join(folder, "out"), "utf8") }
  })

describe("the editor", () => {
  it.live("gets the text in a file of that name and the terminal to itself; its text comes back", () =>
    Effect.gen(function* () {
      const { log, out, result } = yield* withEditor(
        'echo "$1 $(basename "$2") $(stat -c %a "$2") [$BUN_OPTIONS] $(cat "$2")" > "$OUT"; echo "new text" > "$2"',
        "old text"
      )
      expect(result).toMatchObject({ _tag: "Right", right: "new text" })
      expect(out()).toBe("--flag prompt.md 600 [] old text\n")
      expect(log).toEqual(["raw", "read", "pause", "cooked", "raw", "read", "pause", "cooked"])
    })
  )

  it.live("that fails changes nothing and is named", () =>
    Effect.gen(function* () {
      const { result } = yield* withEditor("exit 3", "old text")
      expect(result._tag === "Left" ? result.left.message : "").toMatch(/ed" --flag\) ended with exit code 3/)
    })
  )
})
