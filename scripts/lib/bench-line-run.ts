/** The binary at a pseudo-terminal for the bench: what is typed goes in, and a call waits for words on the screen. */
import type { Subject } from "./bench-tools-run.ts"

export interface LineRun extends AsyncDisposable {
  readonly pid: number
  readonly type: (keys: string) => void
  /** Resolves at the moment when the words have come, counted from what was seen before the last call of this. */
  readonly shows: (words: string) => Promise<void>
}

export const INVITATION = "Type your message"

export const startLineRun = (subject: Subject, args: ReadonlyArray<string>): LineRun => {
  const decoder = new TextDecoder()
  let unread = ""
  let waiting: { readonly words: string; readonly resolve: () => void } | undefined
  const look = (): void => {
    const at = waiting === undefined ? -1 : unread.indexOf(waiting.words)
    if (waiting === undefined || at < 0) return
    unread = unread.slice(at + waiting.words.length)
    const { resolve } = waiting
    waiting = undefined
    resolve()
  }
  const child = Bun.spawn([subject.binary, "-m", "scripted", ...args], {
    cwd: subject.cwd,
    env: { ...subject.env, TERM: "xterm-256color" },
    terminal: {
      cols: 80,
      rows: 24,
      data: (_, bytes) => {
        unread += decoder.decode(bytes, { stream: true })
        look()
      }
    }
  })
  return {
    pid: child.pid,
    type: (keys) => void child.terminal?.write(keys),
    shows: (words) => {
      const { promise, resolve } = Promise.withResolvers<void>()
      waiting = { words, resolve }
      look()
      return Promise.race([
        promise,
        child.exited.then((code) => {
          throw new Error(`line mode ended with ${code} before it showed "${words}"`)
        })
      ])
    },
    [Symbol.asyncDispose]: async () => {
      child.kill("SIGTERM")
      await child.exited
    }
  }
}
