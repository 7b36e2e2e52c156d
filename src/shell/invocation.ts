/**
 * The program and arguments that run a command text, by platform.
 *
 * On Unix the text is data (`$1`) of a fixed script, never pasted into it, so no text can step out of its frame. The
 * script merges both outputs into one, turns off options that change what words mean, and leaves the background jobs
 * in a file when the shell ends. `eval` sees `shift` first, so that the command has no positional parameters.
 */
import { machineProgram } from "../system/programs.ts"

export interface ShellProgram {
  readonly path: string
  readonly dialect: "bash" | "sh" | "powershell"
}

/** The kernel's limit for one argument is 128 KiB on Linux. */
const MAX_ARGUMENT_BYTES = 120 * 1024

export interface InvocationInput {
  readonly program: ShellProgram
  readonly command: string
  /** Where the shell writes the pids of its background jobs. Must contain no quote; it is a path that we made. */
  readonly jobsFile: string
  readonly isTerminal: boolean
  /** Takes what was typed on the terminal and not read by the command. Must contain no quote either. */
  readonly unreadFile?: string
}

export interface ShellInvocation {
  readonly argv: ReadonlyArray<string>
  /** A text too long for an argument; must be written to this file first. */
  readonly script?: { readonly file: string; readonly text: string }
}

export const invocation = (input: InvocationInput): ShellInvocation => {
  const { command, jobsFile, program } = input
  if (program.dialect === "powershell") {
    const text = input.isTerminal ? `[Console]::OutputEncoding=[Text.Encoding]::UTF8; ${command}` : command
    const isCore = /pwsh(\.exe)?$/i.test(program.path)
    return { argv: [program.path, "-NoProfile", ...(isCore ? [] : ["-NonInteractive"]), "-Command", text] }
  }
  const frame = [
    "exec 2>&1",
    // When the shell, which leads its session, ends, the kernel hangs up on the jobs that it leaves.
    ...(input.isTerminal ? ["trap '' HUP"] : []),
    ...(program.dialect === "bash" ? ["shopt -u promptvars nullglob extglob nocaseglob dotglob"] : []),
    `trap 'jobs -p >"${jobsFile}"${program.dialect === "bash" ? keptInput(input) : ""}' EXIT`
  ]
  if (Buffer.byteLength(command) <= MAX_ARGUMENT_BYTES) {
    return { argv: [program.path, "-c", [...frame, 'eval "shift', '$1"'].join("\n"), program.dialect, command] }
  }
  const file = `${jobsFile}.sh`
  return {
    argv: [program.path, "-c", [...frame, `. "${file}"`].join("\n"), program.dialect],
    script: { file, text: `${command}\n` }
  }
}

/**
 * The terminal forgets what nobody read once the shell, which leads its session, has ended. Reading by characters gives out
 * an unfinished line too; the wait is for the kernel to hand it over.
 */
const keptInput = ({ isTerminal, unreadFile }: InvocationInput): string =>
  isTerminal && unreadFile !== undefined
    ? `; IFS= read -rs -t 0.01 -N 65536 _ahead </dev/tty; [ -z "$_ahead" ] || printf %s "$_ahead" >"${unreadFile}"`
    : ""

/** Never one that a project brings along, whatever the search path says. */
export const shellProgram = (
  platform: NodeJS.Platform,
  variables: Readonly<Record<string, string>>,
  cwd: string
): ShellProgram => {
  const which = (name: string) => machineProgram(name, variables.PATH ?? variables.Path ?? "", cwd)
  if (platform === "win32") {
    const comSpec = variables.ComSpec ?? variables.COMSPEC
    if (comSpec !== undefined && /(powershell|pwsh)(\.exe)?$/i.test(comSpec)) {
      return { path: comSpec, dialect: "powershell" }
    }
    return { path: which("pwsh.exe") ?? "powershell.exe", dialect: "powershell" }
  }
  const bash = which("bash")
  return bash === null ? { path: which("sh") ?? "/bin/sh", dialect: "sh" } : { path: bash, dialect: "bash" }
}

/** What the EXIT trap left: one pid per line. */
export const parseJobs = (text: string): ReadonlyArray<number> =>
  text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => /^\d+$/.test(line))
    .map(Number)
