/**
 * The only writer to the terminal in line mode. What is printed stays and is never touched again. Below it stands at
 * most one temporary line, drawn with nothing but CR, erase-to-end-of-line, cursor-right and colours: the line that is
 * being edited if there is one, else a status line or the unfinished line of a streamed answer.
 */
import { Context, type Effect } from "effect"
import type { TerminalStyle } from "./terminal-style.ts"

export interface TemporaryLine {
  /** One line without line breaks; SGR sequences are allowed. It is cut to the width of the window. */
  readonly text: string
  /** Where the cursor stands, in cells from the left; at the end when absent. */
  readonly cursor?: number
}

export class Screen extends Context.Tag("agent/repl/Screen")<
  Screen,
  {
    /** Width of the window in cells, as it is now. */
    readonly columns: Effect.Effect<number>
    readonly style: TerminalStyle
    /** Whole lines that stay; a missing line break at the end is added. The temporary line moves below them. */
    readonly print: (text: string) => Effect.Effect<void>
    /** The status line or the unfinished line of an answer. Without `style.animates` it is not shown at all. */
    readonly show: (line: TemporaryLine | undefined) => Effect.Effect<void>
    /**
     * The line being edited: it hides the one of `show`. Without `style.animates` it is a question at which the
     * terminal's own line editing waits: written once, and again after something was printed.
     */
    readonly edit: (line: TemporaryLine | undefined) => Effect.Effect<void>
    /** The terminal itself ended the line, by echoing Enter: the cursor is at the start of a fresh one. */
    readonly lineEnded: Effect.Effect<void>
    /** After the window changed or another program used the screen: draws the temporary line from nothing. */
    readonly redraw: Effect.Effect<void>
    readonly bell: Effect.Effect<void>
    readonly title: (text: string) => Effect.Effect<void>
    /** A desktop notification, by the sequence of `general.notificationMethod`. */
    readonly notify: (text: string) => Effect.Effect<void>
    /** Puts text on the clipboard of the terminal (OSC 52), also over ssh. */
    readonly setClipboard: (text: string) => Effect.Effect<void>
  }
>() {}
