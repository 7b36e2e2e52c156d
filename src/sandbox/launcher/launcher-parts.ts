/** What launchers are made of: the numbers of calls, how a step is refused, mounts of one's own, becoming another program. */
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

/** By this a file is come to over no link: what is put in its place meanwhile is not taken for it. */
export const opening = (path: string): LauncherStep => ({
  call: OPENAT2,
  args: [HERE, textBlock(path), HOW_TO_OPEN, 24]
})

const HOW_TO_OPEN: Block = (() => {
  const [PATH_ONLY, CLOSE_ON_EXEC, NO_LINKS] = [0o10000000n, 0o2000000n, 4n]
  return { bytes: new Uint8Array(new BigUint64Array([PATH_ONLY | CLOSE_ON_EXEC, 0n, NO_LINKS]).buffer) }
})()

export const ONLY_READ: Block = { bytes: new Uint8Array(new BigUint64Array([1n, 0n, 0n, 0n]).buffer) }

/** Since 2019 new calls have the same number everywhere. */
const [OPEN_TREE, MOVE_MOUNT, OPENAT2] = [428, 429, 437]
export const [CLOSE_RANGE, MOUNT_SETATTR] = [436, 442]

export interface OnlyWritable {
  /** Those that are not there any more are left out. */
  readonly folders: ReadonlyArray<string>
  readonly cwd: string
  /** Stands for those. */
  readonly closedFile: string
}

/**
 * All else can only be read, in a table of mounts of its own. Root owns the files of the machine, devices among them, and
 * whoever owns a file may change its mode, times and attributes: rules of Landlock do not know these.
 */
export const onlyWritable = (
  { closedFile, cwd, folders }: OnlyWritable,
  calls: LauncherCalls
): ReadonlyArray<LauncherStep> => {
  const [NEW_TABLE, PRIVATE, ALL_BELOW, A_COPY, CLOSE_ON_EXEC] = [0x20000, 0x44000, 0x8000, 1, 0o2000000]
  const [ITSELF, BOTH_THEMSELVES, PATH_ONLY] = [0x1000, 0x44, 0o10000000]
  const [root, nothing] = [textBlock("/"), textBlock("")]
  const fatal = refused("mounts of its own")
  const numbersOf = (index: number) => [FIRST_FREE + 2 * index, FIRST_FREE + 2 * index + 1] as const
  return [
    { call: calls.unshare, args: [NEW_TABLE], fatal },
    { call: calls.mount, args: [0, root, 0, PRIVATE, 0], fatal },
    ...folders.flatMap((folder, index): ReadonlyArray<LauncherStep> => {
      const [place] = numbersOf(index)
      return [
        { ...opening(folder), skip: { onSuccess: 1 } },
        { call: calls.openat, args: [HERE, textBlock(closedFile), PATH_ONLY | CLOSE_ON_EXEC, 0], fatal },
        { call: OPEN_TREE, args: [place, nothing, A_COPY | ALL_BELOW | ITSELF | CLOSE_ON_EXEC], fatal }
      ]
    }),
    { call: MOUNT_SETATTR, args: [HERE, root, ALL_BELOW, ONLY_READ, 32], fatal },
    ...folders.map((_, index): LauncherStep => {
      const [place, copy] = numbersOf(index)
      return { call: MOVE_MOUNT, args: [copy, nothing, place, nothing, BOTH_THEMSELVES], fatal }
    }),
    { call: CLOSE_RANGE, args: [FIRST_FREE, 0xffffffff, 0], fatal },
    // Else it would stand in the same folder below the new mount.
    { call: calls.chdir, args: [textBlock(cwd)] }
  ]
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
  readonly unshare: number
  readonly chdir: number
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
    unshare: 272,
    chdir: 80,
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
    unshare: 97,
    chdir: 49,
    capset: 91,
    prctl: 167,
    execve: 221,
    faccessat: 48,
    rt_sigaction: 134
  }
}
