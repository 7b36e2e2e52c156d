/**
 * Starts a program as the leader of its own session and group, and delivers what it writes, in order, as it comes.
 *
 * Its output is a named pipe that is unlinked at once, not the socket pair that Bun would make: both outputs
 * share it, so that their order is kept; `/dev/stdout` and `/dev/stderr` can be opened; and it is faster. A terminal is
 * used where one is wanted. Where no named pipe can be made, Bun's own pipe serves.
 */
import { closeSync, constants, openSync, readSync, rmSync } from "node:fs"
import { join } from "node:path"
import { eachChunk } from "../system/bounded-output.ts"
import type { ChildVariables } from "../system/child-variables.ts"
import { spawnProgram } from "../system/programs.ts"

export interface LaunchOptions {
  readonly argv: ReadonlyArray<string>
  readonly cwd: string
  readonly env: ChildVariables
  /** A private folder for the time of the start. */
  readonly folder: string
  /** Size of the terminal; absent: pipes, and nothing to read on standard input. */
  readonly terminal: TerminalSize | undefined
  /** A new file that takes the output instead of us; we read it when asked to. */
  readonly file: string | undefined
  readonly onOutput: (bytes: Uint8Array) => void
}

export interface TerminalSize {
  readonly columns: number
  readonly rows: number
}

export interface Launched {
  readonly child: Bun.Subprocess
  readonly isTerminal: boolean
  readonly terminal?: Bun.Terminal
  /** The end of the output: all who could write are gone. A terminal has none, since we hold its other side. */
  readonly ended: Promise<void>
  /** Reads what has been written to the file since the last time; nothing to do for pipes and terminals. */
  readonly refresh: () => void
  /** Stops reading. Whoever still writes then learns that nobody listens. */
  readonly close: () => void
}

/** The side of a command's terminal on which a person sits. */
export interface CommandTerminal {
  readonly write: (bytes: Uint8Array) => void
  readonly resize: (size: TerminalSize) => void
  /** Whether the program takes keys one by one, as one that draws does, rather than lines. */
  readonly takesKeys: () => boolean
  /** Somebody sits there: silence is no sign that it hangs. */
  readonly setAttended: (isAttended: boolean) => void
  /** What was typed and the command has not read, once it has ended. */
  readonly unread: () => Uint8Array
}

/** Throws when the program cannot be started. */
export const launch = async (options: LaunchOptions): Promise<Launched> => {
  if (options.file !== undefined) return launchToFile(options, options.file)
  if (options.terminal !== undefined) {
    const launched = launchInTerminal(options, options.terminal)
    if (launched !== undefined) return launched
    options.onOutput(Buffer.from("[GEMINI_CLI_WARNING: no terminal could be opened; the command runs without one.]\n"))
  }
  return launchOnPipe(options, await makePipe(options))
}

const launchInTerminal = (options: LaunchOptions, size: TerminalSize): Launched | undefined => {
  let terminal: Bun.Terminal
  try {
    terminal = new Bun.Terminal({
      cols: size.columns,
      rows: size.rows,
      name: "xterm-256color",
      data: (_terminal, bytes) => options.onOutput(bytes)
    })
  } catch {
    return undefined
  }
  let child: Bun.Subprocess
  try {
    child = spawnProgram(options, { terminal, detached: true })
  } catch (cause) {
    terminal.close()
    throw cause
  }
  const unending = new Promise<void>(() => {})
  return { child, terminal, isTerminal: true, ended: unending, refresh: () => {}, close: () => terminal.close() }
}

const launchToFile = (options: LaunchOptions, file: string): Launched => {
  const write = openSync(file, constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT | constants.O_EXCL, 0o600)
  const read = openSync(file, constants.O_RDONLY)
  try {
    const child = spawnProgram(options, { stdin: "ignore", stdout: write, stderr: write, detached: true })
    const chunk = Buffer.alloc(64 * 1024)
    let isOpen = true
    const refresh = (): void => {
      for (let count = isOpen ? -1 : 0; count !== 0; ) {
        count = readSync(read, chunk)
        options.onOutput(chunk.subarray(0, count))
      }
    }
    const close = (): void => {
      if (isOpen) closeSync(read)
      isOpen = false
    }
    return { child, isTerminal: false, ended: child.exited.then(() => {}), refresh, close }
  } catch (cause) {
    closeSync(read)
    throw cause
  } finally {
    closeSync(write)
  }
}

interface NamedPipe {
  readonly read: number
  readonly write: number
}

const makePipe = async ({ cwd, env, folder }: LaunchOptions): Promise<NamedPipe | undefined> => {
  const path = join(folder, "output")
  try {
    const made = spawnProgram(
      { argv: ["mkfifo", "-m", "600", path], cwd, env, notIn: cwd },
      { stdin: "ignore", stdout: "ignore", stderr: "ignore" }
    )
    if ((await made.exited) !== 0) return undefined
    // The reader first and without waiting, else each side would wait for the other.
    const read = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK)
    const write = openSync(path, constants.O_WRONLY)
    rmSync(path)
    return { read, write }
  } catch {
    return undefined
  }
}

const launchOnPipe = (options: LaunchOptions, pipe: NamedPipe | undefined): Launched => {
  if (pipe === undefined) {
    const child = spawnProgram(options, { stdin: "ignore", stdout: "pipe", stderr: "ignore", detached: true })
    return deliver(child, child.stdout, options.onOutput, () => {})
  }
  try {
    const child = spawnProgram(options, { stdin: "ignore", stdout: pipe.write, stderr: pipe.write, detached: true })
    return deliver(child, Bun.file(pipe.read).stream(), options.onOutput, () => closeSync(pipe.read))
  } catch (cause) {
    closeSync(pipe.read)
    throw cause
  } finally {
    closeSync(pipe.write)
  }
}

const deliver = (
  child: Bun.Subprocess,
  stream: ReadableStream<Uint8Array>,
  onOutput: (bytes: Uint8Array) => void,
  release: () => void
): Launched => {
  const { close, ended } = eachChunk(stream, onOutput)
  return { child, isTerminal: false, ended: ended.finally(release), refresh: () => {}, close }
}

/** What is typed when the command has ended is kept with what it did not read. */
export const sideOf = (
  { child, terminal }: { readonly child: Bun.Subprocess; readonly terminal: Bun.Terminal },
  unread: Array<Uint8Array>,
  setAttended: (isAttended: boolean) => void
): CommandTerminal => ({
  // Between its end and our hearing of it nobody reads any more.
  write: (bytes) => {
    const hasEnded = terminal.closed || child.exitCode !== null || child.signalCode !== null
    if (hasEnded) unread.push(bytes.slice())
    else terminal.write(bytes)
  },
  resize: ({ columns, rows }) => void (terminal.closed || terminal.resize(columns, rows)),
  takesKeys: () => !terminal.closed && (terminal.localFlags & LINE_BY_LINE) === 0,
  setAttended,
  unread: () => Buffer.concat(unread)
})

/** `ICANON` of termios. */
const LINE_BY_LINE = process.platform === "darwin" ? 0x100 : 0x2
