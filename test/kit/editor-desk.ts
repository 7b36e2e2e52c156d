/** A line editor at a terminal made of variables: type, and look at the screen. */
import { Effect, Layer } from "effect"
import { ExternalEditor, type ExternalEditorError } from "../../src/repl/editor/external-editor.ts"
import * as Editor from "../../src/repl/editor/line-editor.ts"
import * as Keyboard from "../../src/repl/terminal/keyboard.ts"
import * as Screen from "../../src/repl/terminal/screen.ts"
import type { TerminalStyle } from "../../src/repl/terminal/terminal-features.ts"
import { screenModel } from "./screen-model.ts"
import { testTerminal } from "./terminal-device.ts"

const animated: TerminalStyle = { colors: false, unicode: true, animates: true, links: false }

export interface Desk {
  /** Types, and lets the editor work it off. */
  readonly type: (keys: string) => Effect.Effect<void>
  readonly lines: () => ReadonlyArray<string>
  readonly cursor: () => number
  readonly written: Array<string>
  readonly resize: () => void
}

interface DeskOptions {
  readonly columns?: number
  readonly edit?: (text: string) => Effect.Effect<string, ExternalEditorError>
  readonly style?: TerminalStyle
}

const unchanged = (text: string) => Effect.succeed(text)

/** Long enough for everything that does not wait. */
export const settle = Effect.forEach(Array.from({ length: 60 }), () => Effect.yieldNow(), { discard: true })

export const atDesk = <A>(
  body: (desk: Desk, editor: Editor.LineEditor["Type"]) => Effect.Effect<A, unknown, Screen.Screen | Keyboard.Keyboard>,
  { columns = 40, edit = unchanged, style = animated }: DeskOptions = {}
) =>
  Effect.suspend(() => {
    const terminal = testTerminal()
    const model = screenModel(columns)
    const written: Array<string> = []
    const desk: Desk = {
      type: (keys) =>
        Effect.zipRight(
          Effect.sync(() => terminal.type(keys)),
          settle
        ),
      lines: model.lines,
      cursor: model.cursor,
      written,
      resize: terminal.resize
    }
    const screen = Screen.layer({
      write: (text) =>
        Effect.sync(() => {
          written.push(text)
          model.write(text)
        }),
      columns: () => columns,
      style,
      notificationMethod: "auto",
      isInTmux: false
    })
    const external = Layer.succeed(ExternalEditor, { edit: ({ text }) => edit(text) })
    const keyboard = Keyboard.layer(terminal.device, { raw: style.animates })
    return Effect.flatMap(Editor.LineEditor, (editor) =>
      Effect.zipRight(warmUp(terminal.type), body(desk, editor))
    ).pipe(Effect.provide(Editor.layer.pipe(Layer.provideMerge(Layer.mergeAll(screen, keyboard, external)))))
  })

/** In the first read LF counts as Enter; the tests are about later ones. */
const warmUp = (type: (keys: string) => void) =>
  Effect.zipRight(
    Effect.sync(() => type("x")),
    Effect.flatMap(Keyboard.Keyboard, ({ next }) => next)
  )

export const prompt = () => "> "
