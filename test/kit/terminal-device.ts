/** A terminal made of variables, for tests of the keyboard and of what reads it. */
import type { TerminalDevice } from "../../src/repl/terminal/terminal-device.ts"

export interface TestTerminal {
  readonly device: TerminalDevice
  readonly type: (text: string | Uint8Array) => void
  readonly hangUp: () => void
  readonly resize: () => void
  /** What happened to the terminal, in order. */
  readonly log: Array<string>
}

export const testTerminal = (): TestTerminal => {
  const log: Array<string> = []
  let reader: { readonly onBytes: (bytes: Uint8Array) => void; readonly onEnd: () => void } | undefined
  let onResize = (): void => {}
  const encoder = new TextEncoder()
  return {
    log,
    type: (text) => reader?.onBytes(typeof text === "string" ? encoder.encode(text) : text),
    hangUp: () => reader?.onEnd(),
    resize: () => onResize(),
    device: {
      read: (onBytes, onEnd) => {
        log.push("read")
        reader = { onBytes, onEnd }
        return () => {
          log.push("pause")
          reader = undefined
        }
      },
      setRaw: (isRaw) => void log.push(isRaw ? "raw" : "cooked"),
      stop: () => void log.push("stop"),
      interrupt: () => void log.push("interrupt"),
      onContinue: () => () => {},
      onStopRequest: () => () => {},
      onResize: (listener) => {
        onResize = listener
        return () => {}
      }
    }
  }
}
