/** A conversation's terminal without a terminal: what is printed is a list, what is entered comes from the test. */
import { Effect, Layer, Queue } from "effect"
import { LineEditor, type LineResult, type ReadLineRequest } from "../../src/repl/editor/line-editor.ts"
import { Keyboard } from "../../src/repl/terminal/keyboard.ts"
import { Screen } from "../../src/repl/terminal/screen.ts"
import { plainStyle } from "../../src/repl/terminal/terminal-features.ts"

export interface ReplRoom {
  /** Lines that stay. */
  readonly printed: Array<string>
  /** Temporary lines, one after another; `""` where it was removed. */
  readonly shown: Array<string>
  /** Readings that were begun. */
  readonly readings: Array<ReadLineRequest>
  /** `busy`, `idle`, `discard`, `notify ...`, `title ...`: what else happened. */
  readonly log: Array<string>
  readonly enter: (...results: ReadonlyArray<LineResult | string>) => Effect.Effect<void>
  readonly layer: Layer.Layer<Screen | LineEditor | Keyboard>
}

export const makeReplRoom = Effect.map(Queue.unbounded<LineResult>(), (entered): ReplRoom => {
  const printed: Array<string> = []
  const shown: Array<string> = []
  const readings: Array<ReadLineRequest> = []
  const log: Array<string> = []
  const note = (text: string) => Effect.sync(() => void log.push(text))
  const screen = Layer.succeed(Screen, {
    columns: Effect.succeed(80),
    size: Effect.succeed({ columns: 80, rows: 24 }),
    lend: (use) =>
      use(
        Object.assign((text: string) => Effect.sync(() => void printed.push(text)), {
          now: (text: string) => void printed.push(text)
        })
      ),
    style: plainStyle,
    print: (text) => Effect.sync(() => void printed.push(text)),
    printOver: (text) => Effect.sync(() => void printed.push(text)),
    show: (line) => Effect.sync(() => void shown.push(line?.text ?? "")),
    edit: () => Effect.void,
    finishEdit: () => Effect.void,
    lineEnded: Effect.void,
    redraw: Effect.void,
    clear: note("clear"),
    bell: note("bell"),
    title: (text) => note(`title ${text}`),
    notify: (text) => note(`notify ${text}`),
    setClipboard: (text) => Effect.as(note(`clipboard ${text}`), true)
  })
  const editor = Layer.succeed(LineEditor, {
    readLine: (request) =>
      Effect.suspend(() => {
        readings.push(request)
        return Effect.zipRight(request.heading ?? Effect.void, Queue.take(entered))
      }),
    setBusy: (isBusy) => note(isBusy ? "busy" : "idle"),
    setViKeys: (isOn) => note(isOn ? "vi" : "emacs"),
    viKeys: Effect.succeed(false)
  })
  const keyboard = Layer.succeed(Keyboard, {
    isRaw: true,
    next: Effect.never,
    typed: Effect.never,
    cancelled: Effect.never,
    leaving: <A, E, R>(work: Effect.Effect<A, E, R>) => work,
    discardTyped: note("discard"),
    withoutEcho: <A, E, R>(reading: Effect.Effect<A, E, R>) => reading,
    lent: <A, E, R>(_: unknown, use: Effect.Effect<A, E, R>) => use,
    released: <A, E, R>(program: Effect.Effect<A, E, R>) => program
  })
  return {
    printed,
    shown,
    readings,
    log,
    enter: (...results) =>
      Effect.asVoid(
        Queue.offerAll(
          entered,
          results.map((result): LineResult => (typeof result === "string" ? { _tag: "Line", text: result } : result))
        )
      ),
    layer: Layer.mergeAll(screen, editor, keyboard)
  }
})

export const CTRL_C: LineResult = { _tag: "Interrupted" }
export const ESC: LineResult = { _tag: "Escaped" }
export const CTRL_D: LineResult = { _tag: "EndOfInput" }
