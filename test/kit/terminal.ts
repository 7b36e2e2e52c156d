/** The binary on a pseudo-terminal: what a person types and sees. */
import { BINARY, environmentOf, type RunOptions, type Workspace } from "./run-gemini.ts"

export interface TerminalSession {
  /** Sends these characters as if typed; `\u0003` is Ctrl-C. */
  readonly type: (keys: string) => void
  /** Everything that was shown so far. */
  readonly screen: () => string
  /** Resolves when these words have appeared; rejects when the program ends without them. */
  readonly shows: (words: string) => Promise<void>
  readonly exitCode: Promise<number>
}

/** Far above what any step needs on a slow machine. */
const HANG_AFTER_MS = 20_000

export const startInTerminal = (
  place: Workspace,
  args: ReadonlyArray<string>,
  options: Pick<RunOptions, "server"> = {}
): TerminalSession => {
  const decoder = new TextDecoder()
  let seen = ""
  let hasEnded = false
  const child = Bun.spawn([BINARY, ...args], {
    cwd: place.cwd,
    env: { ...environmentOf(place.root, options.server), TERM: "xterm-256color" },
    terminal: {
      cols: 80,
      rows: 24,
      data: (_, bytes) => {
        seen += decoder.decode(bytes, { stream: true })
      }
    }
  })
  const watchdog = setTimeout(() => child.kill("SIGKILL"), HANG_AFTER_MS)
  const exitCode = child.exited.then((code) => {
    hasEnded = true
    clearTimeout(watchdog)
    return code
  })
  return {
    type: (keys) => void child.terminal?.write(keys),
    screen: () => seen,
    shows: async (words) => {
      while (!seen.includes(words)) {
        if (hasEnded) throw new Error(`"${words}" never appeared; the screen was: ${seen}`)
        await Bun.sleep(10)
      }
    },
    exitCode
  }
}
