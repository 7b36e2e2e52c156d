/**
 * Reads one input from the person: a line, or several that belong together. Two readings may be open at a time: a
 * question (an approval, say) is asked over the reading that was there before, takes the keys until it is answered, and
 * then gives the line back as it was left. A line that its reader gave up before it was finished stands in the next one.
 */
import { Context, Effect, Layer } from "effect"
import { Keyboard } from "../terminal/keyboard.ts"
import { Screen } from "../terminal/screen.ts"
import { ExternalEditor } from "./external-editor.ts"
import type { InputHistory } from "./prompt-history.ts"
import { readCooked } from "./read-cooked.ts"
import { type EditorMemory, readKeys } from "./read-keys.ts"
import { makeReadingStack } from "./reading-stack.ts"

export type LineResult =
  /** What was entered, without the prompt; line breaks inside are `\n`. It has been printed and stays on the screen. */
  | { readonly _tag: "Line"; readonly text: string }
  /** Ctrl-D on an empty line, or the terminal is gone. */
  | { readonly _tag: "EndOfInput" }
  /** Ctrl-C. What had been typed stays on the screen and is given up. */
  | { readonly _tag: "Interrupted"; readonly clearedText?: true }
  /** Esc on an empty line; with text, Esc twice clears it and the reading goes on. */
  | { readonly _tag: "Escaped" }

export interface Candidate {
  /** What stands in the text afterwards. */
  readonly value: string
  /** A few words beside it in the list. */
  readonly hint?: string | undefined
}

export interface Completion {
  /** The candidates replace the text from here to the end of the word, `to`, or to the cursor when that is absent. */
  readonly from: number
  readonly to?: number | undefined
  readonly candidates: ReadonlyArray<Candidate>
}

/** Given up as soon as another key is typed. */
export type Completer = (text: string, cursor: number) => Effect.Effect<Completion>

export interface ReadLineRequest {
  /** Asked at each drawing: an approval mode may change while a line is typed. SGR sequences are allowed. */
  readonly prompt: () => string
  /** Up, Down and Ctrl-R. A question has none. */
  readonly history?: InputHistory | undefined
  readonly completer?: Completer | undefined
  /** Told of text as it is typed: what Tab may need can be got ready. Must not wait. */
  readonly prepare?: ((typed: string) => Effect.Effect<void>) | undefined
  /** Text that stands in the line already, before what was left of a line that nobody read to its end. */
  readonly initial?: string | undefined
  /** Shown once the keys belong to this reading: whoever answers a question at once answers this one. */
  readonly heading?: Effect.Effect<void> | undefined
  /**
   * `false` for a question: Enter always ends the reading, there is no `\`, no fence and no pasted line break, and the
   * line is shown also while something runs.
   */
  readonly multiLine?: boolean | undefined
  /** `ui.escapePastedAtSymbols`: an `@` that is pasted names no file. */
  readonly escapesPastes?: boolean | undefined
  /** What is typed is not shown and not kept: for keys and passwords. */
  readonly isSecret?: boolean | undefined
  /** Keys with a meaning outside the editor, by name: `S-tab`, `C-]`. They win over the editor's own. */
  readonly hotkeys?: Readonly<Record<string, Effect.Effect<void>>> | undefined
}

export class LineEditor extends Context.Tag("agent/repl/LineEditor")<
  LineEditor,
  {
    readonly readLine: (request: ReadLineRequest) => Effect.Effect<LineResult>
    /**
     * While something runs, an empty line is not shown and leaves its place to the status line. Typing shows it; what
     * is entered is the reader's to queue.
     */
    readonly setBusy: (isBusy: boolean) => Effect.Effect<void>
    /** Emacs keys, or those of vi. */
    readonly setViKeys: (isOn: boolean) => Effect.Effect<void>
    readonly viKeys: Effect.Effect<boolean>
  }
>() {}

export const layer = Layer.effect(
  LineEditor,
  Effect.gen(function* () {
    const keyboard = yield* Keyboard
    const screen = yield* Screen
    const external = yield* ExternalEditor
    const readings = makeReadingStack(keyboard)
    const memory: EditorMemory = { kills: [], hasViKeys: false, isBusy: false, left: "" }
    const services = { external, keyboard, memory, readings, screen }
    return LineEditor.of({
      readLine: (request) => (keyboard.isRaw ? readKeys(services, request) : readCooked(services, request)),
      setBusy: (isBusy) =>
        Effect.suspend(() => {
          memory.isBusy = isBusy
          return readings.redraw
        }),
      setViKeys: (isOn) =>
        Effect.sync(() => {
          memory.hasViKeys = isOn
        }),
      viKeys: Effect.sync(() => memory.hasViKeys)
    })
  })
)
