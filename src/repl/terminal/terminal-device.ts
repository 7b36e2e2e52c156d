/**
 * The terminal as the system gives it: bytes in, raw mode, signals. `processTerminal` is the one of this process; tests
 * have another. Raw mode is left on every way out: by the keyboard's scope, and at the exit of the process as a last
 * resort.
 */
import { writeSync } from "node:fs"

export interface TerminalDevice {
  /** Starts reading; the result stops it, and what is typed from then on is left to other programs. */
  readonly read: (onBytes: (bytes: Uint8Array) => void, onEnd: () => void) => () => void
  /** Keys one by one without echo, or lines edited by the terminal. */
  readonly setRaw: (isRaw: boolean) => void
  /** Stops this program, as Ctrl-Z does, until it is continued. Does nothing where no shell could continue it. */
  readonly stop: () => void
  /** What Ctrl-C does in a terminal that is not raw. */
  readonly interrupt: () => void
  readonly onContinue: (listener: () => void) => () => void
  readonly onResize: (listener: () => void) => () => void
  /** Somebody else wants this program to stop (SIGTSTP): the listener tidies up, then calls `stop`. */
  readonly onStopRequest: (listener: () => void) => () => void
}

const BRACKETED_PASTE_ON = "\u001b[?2004h"
const BRACKETED_PASTE_OFF = "\u001b[?2004l"

/** `features`: the terminal understands escape sequences. */
export const processTerminal = (features: { readonly bracketedPaste: boolean }): TerminalDevice => {
  // Not a `ReadStream` of our own: its pending read would take the next key even while it is paused.
  const { stdin } = process
  let isRaw = false

  const setRaw = (wanted: boolean): void => {
    if (wanted === isRaw) return
    isRaw = wanted
    try {
      stdin.setRawMode(wanted)
      if (features.bracketedPaste) writeSync(1, wanted ? BRACKETED_PASTE_ON : BRACKETED_PASTE_OFF)
    } catch {
      // The terminal is gone; reading says so.
    }
  }
  process.once("exit", () => setRaw(false))
  // Also while nobody reads.
  stdin.on("error", () => {})

  return {
    setRaw,
    read: (onBytes, onEnd) => {
      stdin.on("data", onBytes)
      stdin.on("end", onEnd)
      // EIO: the terminal was closed.
      stdin.on("error", onEnd)
      stdin.resume()
      return () => {
        stdin.pause()
        stdin.off("data", onBytes)
        stdin.off("end", onEnd)
        stdin.off("error", onEnd)
      }
    },
    stop: () => {
      if (process.platform === "win32") return
      const listeners = process.listeners("SIGTSTP")
      process.removeAllListeners("SIGTSTP")
      // The whole job, as the terminal would: a script around us stops as well. Children of ours have their own groups.
      process.kill(0, "SIGTSTP")
      for (const listener of listeners) process.on("SIGTSTP", listener)
    },
    interrupt: () => void process.kill(process.pid, "SIGINT"),
    onContinue: (listener) => onSignal("SIGCONT", listener),
    onResize: (listener) => onSignal("SIGWINCH", listener),
    onStopRequest: (listener) => onSignal("SIGTSTP", listener)
  }
}

const onSignal = (signal: NodeJS.Signals, listener: () => void): (() => void) => {
  if (process.platform === "win32" && signal !== "SIGWINCH") return () => {}
  process.on(signal, listener)
  return () => void process.off(signal, listener)
}
