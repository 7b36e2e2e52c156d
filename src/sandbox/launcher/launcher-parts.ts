/** What launchers have in common: the numbers of calls, how a step is refused, and how another program is become. */
import { ExitCode } from "../../protocol/exit-code.ts"
import { type Block, type LauncherStep, textBlock } from "./launcher-program.ts"

export const refused = (what: string): NonNullable<LauncherStep["fatal"]> => [
  `gemini: the sandbox could not be set up: the kernel refused ${what}`,
  ExitCode.sandbox
]

export const control = (calls: LauncherCalls, what: string, ...args: ReadonlyArray<number | Block>): LauncherStep => ({
  call: calls.prctl,
  args: [...args, ...[0, 0, 0, 0]].slice(0, 5),
  fatal: refused(what)
})

/** From here on descriptors are free. */
export const FIRST_FREE = 3
export const HERE = -100

/** Those that are closed are there afterwards, and lead nowhere. */
export const standardDescriptors = (calls: LauncherCalls): ReadonlyArray<LauncherStep> => {
  const [F_GETFD, READ_AND_WRITE] = [1, 2]
  const nothing = textBlock("/dev/null")
  return [0, 1, 2].flatMap(
    (descriptor): ReadonlyArray<LauncherStep> => [
      { call: calls.fcntl, args: [descriptor, F_GETFD], skip: { onSuccess: 1 } },
      { call: calls.openat, args: [HERE, nothing, READ_AND_WRITE, 0] }
    ]
  )
}

/** What a shell answers for a program that is not there, or may not be run. */
const [EXIT_NOT_FOUND, EXIT_NOT_RUN] = [127, 126]

export const becoming = (candidates: ReadonlyArray<string>, calls: LauncherCalls): ReadonlyArray<LauncherStep> => {
  const paths = candidates.map(textBlock)
  const looks = paths.map(
    (path, index): LauncherStep => ({
      call: calls.faccessat,
      args: [HERE, path, 0],
      skip: { onSuccess: paths.length - index }
    })
  )
  const end = (why: string, exitCode: number): LauncherStep => ({
    call: -1,
    args: [],
    fatal: [`gemini: the command cannot be run in the sandbox: ${why}`, exitCode]
  })
  return [
    ...paths.map((path): LauncherStep => ({ call: calls.execve, args: [path, "argv", "environment"] })),
    ...looks,
    end("it was not found", EXIT_NOT_FOUND),
    end("its file may not be run", EXIT_NOT_RUN)
  ]
}

export interface LauncherCalls {
  readonly fcntl: number
  readonly openat: number
  readonly close: number
  readonly read: number
  readonly mount: number
  readonly capset: number
  readonly prctl: number
  readonly execve: number
  readonly faccessat: number
  readonly rt_sigaction: number
}

export const CALLS: Readonly<Record<string, LauncherCalls>> = {
  x64: {
    fcntl: 72,
    openat: 257,
    close: 3,
    read: 0,
    mount: 165,
    capset: 126,
    prctl: 157,
    execve: 59,
    faccessat: 269,
    rt_sigaction: 13
  },
  arm64: {
    fcntl: 25,
    openat: 56,
    close: 57,
    read: 63,
    mount: 40,
    capset: 91,
    prctl: 167,
    execve: 221,
    faccessat: 48,
    rt_sigaction: 134
  }
}
