/** What the terminal can show. Everything is off on a dumb terminal, for a screen reader and where there is no terminal. */
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

export const plainStyle: TerminalStyle = { colors: false, unicode: false, animates: false, links: false }
