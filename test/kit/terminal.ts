/** The binary on a pseudo-terminal: what a person types and sees. */
import { BINARY, environmentOf, type RunOptions, type Workspace } from "./run-gemini.ts"

export interface TerminalSession {
  readonly pid: number
  /** Sends these characters as if typed; `\u0003` is Ctrl-C. */
  readonly type: (keys: string) => void
  /** Everything that was shown so far, byte for byte. */
  readonly screen: () => string
  /** The same without sequences: what stays when nothing is ever redrawn. */
  readonly plain: () => string
  /** Resolves when these words have appeared; rejects when the program ends without them. */
  readonly shows: (words: string) => Promise<void>
  /** The same, for words that appear after this call. */
  readonly showsNext: (words: string) => Promise<void>
  /** Resolves when the prompt waits: it is the last thing on the screen when everything before it is there. */
  readonly waits: () => Promise<void>
  readonly signal: (signal: NodeJS.Signals) => void
  readonly resize: (columns: number, rows: number) => void
  /** The window is closed: the terminal is gone. */
  readonly hangUp: () => void
  /** 128 and more where a signal ended it. */
  readonly exitCode: Promise<number>
}

export interface TerminalOptions extends Pick<RunOptions, "server" | "env"> {
  readonly columns?: number
  readonly rows?: number
  /** For a long conversation; 30 seconds where nothing is said. */
  readonly hangAfterMs?: number
}

/** Far above what any step needs on a slow machine. */
const PATIENCE_NS = 12_000_000_000
const HANG_AFTER_MS = 30_000

export const startInTerminal = (
  place: Workspace,
  args: ReadonlyArray<string>,
  options: TerminalOptions = {}
): TerminalSession => {
  const decoder = new TextDecoder()
  let seen = ""
  let hasEnded = false
  const child = Bun.spawn([BINARY, ...args], {
    cwd: place.cwd,
    env: { ...environmentOf(place.root, options.server), TERM: "xterm-256color", ...options.env },
    terminal: {
      cols: options.columns ?? 80,
      rows: options.rows ?? 24,
      data: (_, bytes) => {
        seen += decoder.decode(bytes, { stream: true })
      }
    }
  })
  const watchdog = setTimeout(() => child.kill("SIGKILL"), options.hangAfterMs ?? HANG_AFTER_MS)
  const exitCode = child.exited.then((code) => {
    hasEnded = true
    clearTimeout(watchdog)
    return code
  })
  const until = async (what: string, isShown: () => boolean) => {
    const patience = Bun.nanoseconds() + PATIENCE_NS
    while (!isShown()) {
      if (hasEnded || Bun.nanoseconds() > patience)
        throw new Error(`${what} never appeared; the screen was: ${JSON.stringify(seen.slice(-4000))}`)
      await Bun.sleep(10)
    }
  }
  const appears = (words: string, from: number) =>
    until(JSON.stringify(words), () => withoutSequences(seen.slice(from)).includes(words))
  return {
    pid: child.pid,
    type: (keys) => void child.terminal?.write(keys),
    screen: () => seen,
    plain: () => withoutSequences(seen),
    shows: (words) => appears(words, 0),
    showsNext: (words) => appears(words, seen.length),
    waits: () => until("the prompt", () => withoutSequences(seen).endsWith("> ")),
    signal: (signal) => child.kill(signal),
    resize: (columns, rows) => child.terminal?.resize(columns, rows),
    hangUp: () => child.terminal?.close(),
    exitCode
  }
}

/** Sequences of every kind: CSI, OSC, DCS and the short ones. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are the subject here.
const SEQUENCE = /\u001b(?:\[[0-?]*[ -/]*[@-~]|[\]PX^_][^\u0007\u001b]*(?:\u0007|\u001b\\)|[ -/]*[0-~])/g

export const withoutSequences = (text: string): string => text.replace(SEQUENCE, "")

/** What line mode may send: erase to the end of the line, move within it, colours, paste brackets, title, notification. */
const LINE_EDITING = /^\[(?:\??2004[hl]|K|\d*[CG]|[\d;:]*m)$|^\](?:0|2|8|9|777);/

/** Sequences in this text that reach beyond the current line; empty when it keeps to the rule. */
export const reachingSequences = (text: string): ReadonlyArray<string> =>
  [...text.matchAll(SEQUENCE)].map(([sequence]) => sequence).filter((sequence) => !LINE_EDITING.test(sequence.slice(1)))
