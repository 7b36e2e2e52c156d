/**
 * The only writer to the terminal in line mode. What is printed stays and is never touched again. Below it stands at
 * most one temporary line, drawn with nothing but CR, erase-to-end-of-line, cursor-right and colours: the line that is
 * being edited if there is one, else a status line or the unfinished line of a streamed answer.
 *
 * Whoever gives it text has made it readable; all of it passes the cleaner here once more, so that what a room forgot
 * can at most be coloured, and never act.
 */
import { Context, Effect, Layer } from "effect"
import { readMonotonicMillis } from "../../kernel/monotonic-time.ts"
import { readableLine, styledText } from "../../kernel/readable-text.ts"
import { type LentWriter, lentWriter } from "./lent-writer.ts"
import { type Drawn, draw, erase, fit, settle, type TemporaryLine } from "./temporary-line.ts"
import type { TerminalStyle } from "./terminal-features.ts"

export class Screen extends Context.Tag("agent/repl/Screen")<
  Screen,
  {
    /** Width of the window in cells, as it is now. */
    readonly columns: Effect.Effect<number>
    readonly size: Effect.Effect<{ readonly columns: number; readonly rows: number }>
    readonly style: TerminalStyle
    /**
     * Gives the terminal to another program for a while: what it writes reaches the terminal as it is, and what others
     * print meanwhile waits.
     */
    readonly lend: <A, E, R>(use: (write: LentWriter) => Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
    /** Whole lines that stay; a missing line break at the end is added. The temporary line moves below them. */
    readonly print: (text: string) => Effect.Effect<void>
    /**
     * Text that stays, and may end inside a line: it goes on with the next text of this kind, and nothing stands below
     * it meanwhile. From now on `line` is the one of `show`: what stands there already is not drawn again.
     */
    readonly printOver: (text: string, line: TemporaryLine | undefined) => Effect.Effect<void>
    /** The status line or the unfinished line of an answer. Without `style.animates` it is not shown at all. */
    readonly show: (line: TemporaryLine | undefined) => Effect.Effect<void>
    /**
     * The line being edited: it hides the one of `show`. Without `style.animates` it is a question at which the
     * terminal's own line editing waits: written once, and again after something was printed.
     */
    readonly edit: (line: TemporaryLine | undefined) => Effect.Effect<void>
    /** The line being edited is done: these lines stay in its place. */
    readonly finishEdit: (text: string) => Effect.Effect<void>
    /** The terminal itself ended the line, by echoing Enter: the cursor is at the start of a fresh one. */
    readonly lineEnded: Effect.Effect<void>
    /** After the window changed or another program used the screen: draws the temporary line from nothing. */
    readonly redraw: Effect.Effect<void>
    /** The window is empty, but for the temporary line at its top. What scrolled by stays. */
    readonly clear: Effect.Effect<void>
    readonly bell: Effect.Effect<void>
    readonly title: (text: string) => Effect.Effect<void>
    /** A desktop notification, by the sequence of `general.notificationMethod`. */
    readonly notify: (text: string) => Effect.Effect<void>
    /** Puts text on the clipboard of the terminal (OSC 52), also over ssh. `false`: too large, or not possible here. */
    readonly setClipboard: (text: string) => Effect.Effect<boolean>
  }
>() {}

export interface ScreenOptions {
  /** Hands the text to the terminal. Called by one fiber at a time. */
  readonly write: (text: string) => Effect.Effect<void>
  /** Width of the window in cells, at this moment. */
  readonly columns: () => number
  readonly rows?: () => number
  readonly style: TerminalStyle
  readonly notificationMethod: NotificationMethod
  /** Runs inside tmux, which passes sequences to the terminal around it only when they are wrapped. */
  readonly isInTmux: boolean
}

/** A key waits at most this long for what is being printed. */
const BREATHE_EVERY_MS = 8

export const layer = (options: ScreenOptions) => Layer.effect(Screen, makeScreen(options))

const makeScreen = Effect.fnUntraced(function* (options: ScreenOptions) {
  const { style } = options
  const clock = yield* Effect.clock
  const turn = yield* Effect.makeSemaphore(1)
  const surface = style.animates ? animatedSurface(options.columns) : plainSurface()

  /** Composing and writing are one step: what is remembered is what the terminal got. */
  const change = (compose: () => string): Effect.Effect<void> =>
    turn
      .withPermits(1)(
        Effect.suspend(() => {
          const text = compose()
          return text === "" ? Effect.void : options.write(text)
        })
      )
      .pipe(Effect.uninterruptible)
  const invisible = (sequence: string): Effect.Effect<void> => (style.animates ? change(() => sequence) : Effect.void)
  const forTerminal = (sequence: string): string => (options.isInTmux ? throughTmux(sequence) : sequence)

  let lastBreath = readMonotonicMillis(clock)
  // An answer that is all there already would be printed to its end before the next key is looked at.
  const breathe = Effect.suspend(() => {
    if (readMonotonicMillis(clock) - lastBreath < BREATHE_EVERY_MS) return Effect.void
    return Effect.tap(Effect.sleep(0), () => {
      lastBreath = readMonotonicMillis(clock)
    })
  })

  return Screen.of({
    columns: Effect.sync(options.columns),
    size: Effect.sync(() => ({ columns: options.columns(), rows: options.rows?.() ?? DEFAULT_ROWS })),
    style,
    lend: (use) =>
      turn.withPermits(1)(
        Effect.acquireUseRelease(
          Effect.gen(function* () {
            const paste = style.animates ? PASTE_OFF : ""
            yield* options.write(surface.leave() + paste)
            return yield* lentWriter(options.write)
          }),
          ({ write }) => use(write),
          ({ finish }) =>
            Effect.flatMap(finish, (end) => options.write(end + (style.animates ? PASTE_ON : "") + surface.redraw()))
        )
      ),
    print: (text) =>
      Effect.zipRight(
        change(() => surface.print(cleanLines(text))),
        breathe
      ),
    printOver: (text, line) =>
      Effect.zipRight(
        change(() => surface.printOver(styledText(text), cleanRow(line))),
        breathe
      ),
    show: (line) => change(() => surface.show(cleanRow(line))),
    edit: (line) => change(() => surface.edit(cleanRow(line))),
    finishEdit: (text) => change(() => surface.finishEdit(cleanLines(text))),
    lineEnded: change(surface.lineEnded),
    redraw: change(surface.redraw),
    clear: style.animates ? change(surface.clear) : Effect.void,
    bell: invisible(BELL),
    title: (text) => invisible(titleSequence(text)),
    notify: (text) => {
      const sequence = notificationSequence(options.notificationMethod, text)
      return invisible(sequence === BELL ? BELL : forTerminal(sequence))
    },
    setClipboard: (text) => {
      const sequence = clipboardSequence(text)
      return sequence === undefined || !style.animates
        ? Effect.succeed(false)
        : Effect.as(invisible(forTerminal(sequence)), true)
    }
  })
})

const DEFAULT_ROWS = 24
const PASTE_ON = "\u001b[?2004h"
const PASTE_OFF = "\u001b[?2004l"

const cleanLines = (text: string): string => styledText(text.endsWith("\n") ? text : `${text}\n`)

/** A line break in it would leave the row that is drawn over. */
const cleanRow = (line: TemporaryLine | undefined): TemporaryLine | undefined =>
  line === undefined ? undefined : { ...line, text: styledText(line.text).replaceAll("\n", " ") }

/** What the operations of the screen write, given what stands at the bottom. */
interface Surface {
  readonly print: (lines: string) => string
  readonly printOver: (text: string, line: TemporaryLine | undefined) => string
  readonly show: (line: TemporaryLine | undefined) => string
  readonly edit: (line: TemporaryLine | undefined) => string
  readonly finishEdit: (lines: string) => string
  readonly lineEnded: () => string
  readonly redraw: () => string
  readonly clear: () => string
  /** Makes room for another program, at the start of a line. */
  readonly leave: () => string
}

const animatedSurface = (columns: () => number): Surface => {
  let shown: TemporaryLine | undefined
  let edited: TemporaryLine | undefined
  let drawn: Drawn | undefined
  /** The last line that stays has no end yet: the cursor is behind it, and nothing may be drawn there. */
  let isOpen = false
  /** What goes on with that line while the person edits theirs below it. */
  let held = ""

  const update = (): string => {
    if (isOpen) return ""
    const line = edited ?? shown
    const wanted = line === undefined ? undefined : fit(line, columns())
    const text = wanted === undefined ? erase(drawn) : draw(drawn, wanted)
    drawn = wanted
    return text
  }
  const put = (text: string): string => {
    if (text === "") return ""
    const put = settle(drawn, text)
    drawn = undefined
    isOpen = !text.endsWith("\n")
    return put
  }
  const print = (lines: string): string => closed() + put(lines) + update()
  /** Ends the open line. */
  const closed = (): string => {
    const end = isOpen ? "\n" : ""
    isOpen = false
    return end
  }
  /** Where the person edits, an unfinished line is given out in rows: only they can stand above. */
  const aboveEdited = (text: string): string => {
    const rows = rowsOf(held + text, columns())
    held = rows.rest
    return put(rows.whole) + update()
  }
  const released = (): string => {
    const text = held
    held = ""
    return put(text)
  }
  return {
    print,
    printOver: (text, line) => {
      shown = line
      return edited === undefined ? put(text) + update() : aboveEdited(text)
    },
    show: (line) => {
      shown = line
      return update()
    },
    edit: (line) => {
      edited = line
      return line === undefined ? released() + update() : closed() + update()
    },
    finishEdit: (lines) => {
      edited = undefined
      return closed() + put(lines) + released() + update()
    },
    lineEnded: () => {
      drawn = undefined
      return ""
    },
    clear: () => {
      drawn = undefined
      return `${closed()}\u001b[H\u001b[2J${update()}`
    },
    leave: () => {
      const text = closed() + erase(drawn)
      drawn = undefined
      return text
    },
    redraw: () => {
      if (isOpen) return ""
      const text = "\r\u001b[K"
      drawn = undefined
      return text + update()
    }
  }
}

/** Whole lines, with the rows of the last one that are full; and what is left of it. */
const rowsOf = (text: string, columns: number): { readonly whole: string; readonly rest: string } => {
  const end = text.lastIndexOf("\n") + 1
  const last = text.slice(end)
  if (Bun.stringWidth(last) < columns) return { whole: text.slice(0, end), rest: last }
  const rows = Bun.wrapAnsi(last, Math.max(1, columns - 1), { hard: true, trim: false }).split(/\n ?/)
  const rest = rows.pop() ?? ""
  return { whole: text.slice(0, end) + rows.map((row) => `${row.trimEnd()}\n`).join(""), rest }
}

/** No line ever changes: a question is written where it is asked, and again when something came in between. */
const plainSurface = (): Surface => {
  let question: string | undefined
  let isOpen = false
  let held = ""

  const put = (text: string): string => {
    if (text !== "") isOpen = !text.endsWith("\n")
    return text
  }
  /** To a line of its own: behind an open line, or behind a question. */
  const fresh = (): string => {
    const end = isOpen || question !== undefined ? "\n" : ""
    isOpen = false
    return end
  }
  const print = (lines: string): string => fresh() + put(lines) + (question ?? "")
  const released = (): string => {
    const text = held
    held = ""
    return put(text)
  }
  return {
    print,
    printOver: (text) => {
      if (question === undefined) return put(text)
      const end = (held + text).lastIndexOf("\n") + 1
      const whole = (held + text).slice(0, end)
      held = (held + text).slice(end)
      return whole === "" ? "" : print(whole)
    },
    show: () => "",
    edit: (line) => {
      if (line?.text === question) return ""
      const text = fresh() + (line?.text ?? "")
      question = line?.text
      return line === undefined ? text + released() : text
    },
    finishEdit: (lines) => {
      const text = fresh() + put(lines)
      question = undefined
      return text + released()
    },
    lineEnded: () => {
      question = undefined
      return released()
    },
    clear: () => "",
    leave: fresh,
    redraw: () => question ?? ""
  }
}

// Sequences that change nothing visible in the text: title, notifications, clipboard. Texts in them are made harmless.

type NotificationMethod = "auto" | "osc9" | "osc777" | "bell"

const BELL = "\u0007"

const titleSequence = (text: string): string => `\u001b]2;${harmless(text)}\u0007`

const notificationSequence = (method: NotificationMethod, text: string): string => {
  if (method === "bell") return BELL
  // Terminals that know neither show nothing; the bell goes with OSC 9 so that those who can only ring do so.
  return method === "osc777" ? `\u001b]777;notify;gemini;${harmless(text)}\u0007` : `\u001b]9;${harmless(text)}\u0007`
}

/** More is refused by most terminals. */
const MAX_CLIPBOARD_BYTES = 100_000

/** `undefined`: too large for the clipboard of a terminal. */
const clipboardSequence = (text: string): string | undefined => {
  const bytes = Buffer.from(text)
  return bytes.length > MAX_CLIPBOARD_BYTES ? undefined : `\u001b]52;c;${bytes.toString("base64")}\u0007`
}

/** Inside tmux a sequence for the terminal around it must be wrapped. */
const throughTmux = (sequence: string): string => `\u001bPtmux;${sequence.replaceAll("\u001b", "\u001b\u001b")}\u001b\\`

const harmless = (text: string): string => readableLine(text).slice(0, 200)
