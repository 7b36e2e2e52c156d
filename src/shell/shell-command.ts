/**
 * One shell command: started in its own session, read to its end, ended with all its descendants. What it leaves behind
 * (`server &`) keeps its reader, so that it does not die of a broken pipe; the result names it.
 */
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { constants, tmpdir } from "node:os"
import { basename, join } from "node:path"
import { type Clock, Data, Deferred, Duration, Effect, Queue, type Scope } from "effect"
import { readMonotonicMillis } from "../kernel/monotonic-time.ts"
import type { Secret } from "../kernel/redact-secrets.ts"
import type { Confinement, Sandbox } from "../sandbox/sandbox.ts"
import type { ChildVariables } from "../system/child-variables.ts"
import { membersOf, rowOf } from "../system/process-table.ts"
import { endTree, type TreeEnd } from "../system/process-tree.ts"
import { invocation, parseJobs, type ShellProgram } from "./invocation.ts"
import { type CommandTerminal, type Launched, launch, sideOf, type TerminalSize } from "./launch.ts"
import { OutputCapture } from "./output-capture.ts"
import { readingEnvironment } from "./unasked-environment.ts"

export class ShellError extends Data.TaggedError("ShellError")<{
  readonly command: string
  readonly cwd: string
  readonly detail: string
}> {
  override get message() {
    return `the command could not be started in ${this.cwd}: ${this.detail}`
  }
}

export interface ShellRequest {
  readonly command: string
  /** Absolute. */
  readonly cwd: string
  /** A new file that the command writes to by itself, so that it can outlive this program. */
  readonly outputFile?: string
  /** Only reads: programs that the project's own files could make it run are switched off. */
  readonly isReading?: boolean
  /** Runs without a question because it only reads: it is confined to that where a sandbox works. */
  readonly isUnasked?: boolean
  /** Programs that it starts, where that is known. */
  readonly programs?: ReadonlyArray<string>
  /** What a person opened to it. */
  readonly opens?: Confinement["opens"]
  /** Works on a repository: its data may be written inside a sandbox. */
  readonly usesGit?: boolean
  /** Size of the terminal that it gets; absent: pipes, and nothing to read. */
  readonly terminal?: TerminalSize
  /** The person's own: it may ask, page and open editors as in any shell of theirs. */
  readonly isOwn?: boolean
}

export interface ShellResult {
  readonly pid: number
  /** Text of both outputs, without escapes, trimmed; says itself what is missing from it. */
  readonly output: string
  readonly outputBytes: number
  /** File with the beginning of an output that was too long. */
  readonly spillFile: string | undefined
  /** `null`: ended by a signal, or not ended. */
  readonly exitCode: number | null
  readonly signal: number | null
  /** Jobs of the shell that are still running, and daemons that still write to its output. */
  readonly backgroundPids: ReadonlyArray<number>
  /** Somebody still holds the output: what it writes from now on is not in `output`. */
  readonly isOutputHeld: boolean
  /** It ran inside a sandbox, which kept it to this; absent: it did not. */
  readonly confinedTo?: Confinement["access"]
  /** Hosts that the sandbox did not let it connect to. */
  readonly refusedHosts?: ReadonlyArray<string>
  /** Present: the command was ended because it had been silent for `silence`. */
  readonly timedOut: { readonly silence: Duration.Duration; readonly tree: TreeEnd } | undefined
}

/** A running command. Whoever starts one must `end` it or leave it to the background processes. */
export interface ShellCommand {
  readonly command: string
  /** Also the number of its process group. */
  readonly pid: number
  /** The result when the shell has ended. Interrupting the wait does not end the command. */
  readonly wait: Effect.Effect<ShellResult>
  /** Ends every process of the tree, also those that outlived the shell. */
  readonly end: Effect.Effect<TreeEnd>
  /** The end of the output so far. */
  readonly liveText: Effect.Effect<string>
  /** Gives `sink` what is held of the output so far, and from then on all that comes, until the result is called. */
  readonly tee: (sink: (bytes: Uint8Array) => void) => Effect.Effect<() => void>
  /** Present where it runs on a terminal of its own. */
  readonly terminal?: CommandTerminal
}

/** In the private folder of a command. */
const UNREAD = "unread.tmp"

/** A started command together with what the wait for it needs. */
export interface Tracked extends ShellCommand {
  /** The result as far as it is known, for a shell that cannot be ended. */
  readonly unfinished: Effect.Effect<ShellResult>
  readonly lastOutputAt: () => number
  readonly isAttended: () => boolean
  /** Offered to when output came. */
  readonly news: Queue.Dequeue<void>
}

const GRACE = Duration.millis(200)
/** After the shell's end: silence of the output that counts as its end, and the longest wait for that. */
const QUIET = Duration.millis(200)
const TERMINAL_QUIET = Duration.millis(50)
const DRAIN_LIMIT = Duration.seconds(2)

export interface ProcessSetting {
  readonly spillFolder: string
  /** What no file may hold. */
  readonly secrets: ReadonlyArray<Secret>
  readonly program: ShellProgram
  /** That of a command which a person agreed to, or a rule. */
  readonly environmentWith: (mark: string, isOwn: boolean) => ChildVariables
  readonly sandbox: Sandbox["Type"]
}

/** Its end is waited for in `scope`; closing that does not end the command. */
export const startCommand = Effect.fnUntraced(function* (
  request: ShellRequest,
  setting: ProcessSetting,
  scope: Scope.Scope
) {
  const clock = yield* Effect.clock
  const news = yield* Queue.sliding<void>(1)
  const folder = yield* attempt(request, async () => mkdtempSync(join(tmpdir(), "gemini-shell-")))
  const mark = `${process.pid}-${basename(folder)}`
  const size = request.outputFile === undefined ? request.terminal : undefined
  const isTerminal = size !== undefined
  const capture = new OutputCapture({
    isTerminal,
    spillFile: join(setting.spillFolder, `run_shell_command_${mark}.txt`),
    secrets: setting.secrets,
    now: () => readMonotonicMillis(clock)
  })
  const jobsFile = join(folder, "bgpids.tmp")
  const { argv, script } = invocation({
    program: setting.program,
    command: request.command,
    jobsFile,
    isTerminal,
    ...(request.isOwn === true ? { unreadFile: join(folder, UNREAD) } : {})
  })
  const { afterwards, confinedTo, launched, numbersOwn, refusedHosts } = yield* Effect.gen(function* () {
    const environment = setting.environmentWith(mark, isTerminal && request.isOwn === true)
    const env = yield* attempt(request, async () =>
      request.isReading === true ? readingEnvironment(environment, folder) : environment
    )
    const program = yield* confined(request, setting, { argv, env, folder })
    const launched = yield* attempt(request, async () => {
      if (script !== undefined) writeFileSync(script.file, script.text, { mode: 0o600 })
      return await launch({
        ...program,
        folder,
        terminal: size,
        file: request.outputFile,
        onOutput: (bytes) => {
          capture.push(bytes)
          news.unsafeOffer(undefined)
        }
      })
    })
    const access = accessOf(request)
    const confinedTo = (yield* setting.sandbox.confines(access)) ? { confinedTo: access } : {}
    const { afterwards = Effect.void, refusedHosts } = program
    return { launched, numbersOwn: program.numbersOwn === true, confinedTo, afterwards, refusedHosts }
  }).pipe(Effect.tapError(() => Effect.sync(() => rmSync(folder, { recursive: true, force: true }))))

  let isAttended = false
  const unread: Array<Uint8Array> = []
  const settled = yield* Deferred.make<ShellResult>()
  // Started in an uninterruptible region, which a fork inherits; the waits inside have to be ended by each other.
  yield* settle(launched, capture, { folder, mark, numbersOwn, unread }, clock).pipe(
    Effect.map((result) => ({ ...result, ...confinedTo, refusedHosts: refusedHosts?.() ?? [] })),
    Effect.tap(() => afterwards),
    Effect.interruptible,
    Effect.intoDeferred(settled),
    Effect.forkIn(scope)
  )
  return {
    command: request.command,
    pid: launched.child.pid,
    wait: Deferred.await(settled),
    end: Effect.gen(function* () {
      const tree = yield* endTree(launched.child.pid, mark, GRACE)
      // What they wrote last is still to be read. Bounded, because a process may hang in the kernel; each side has to be
      // interruptible by itself, since this runs as a finalizer.
      yield* Effect.raceFirst(
        Effect.interruptible(Deferred.await(settled)),
        Effect.interruptible(Effect.sleep(DRAIN_LIMIT))
      )
      launched.close()
      return tree
    }),
    liveText: Effect.sync(() => {
      launched.refresh()
      return capture.liveText()
    }),
    tee: (sink) =>
      Effect.sync(() => {
        sink(capture.heldBytes())
        return capture.tee(sink)
      }),
    ...(launched.terminal === undefined
      ? {}
      : {
          terminal: sideOf({ child: launched.child, terminal: launched.terminal }, unread, (is) => (isAttended = is))
        }),
    unfinished: Effect.sync(() => resultOf(launched, capture, [], true)),
    lastOutputAt: () => capture.lastOutputAt,
    isAttended: () => isAttended,
    news
  } satisfies Tracked as Tracked
})

const accessOf = ({ isUnasked }: ShellRequest): Confinement["access"] => (isUnasked === true ? "read" : "write")

/** The command as it starts: inside a sandbox where there is one for it. Its private folder takes what it leaves for us. */
const confined = (
  request: ShellRequest,
  { sandbox }: ProcessSetting,
  { argv, env, folder }: { readonly argv: ReadonlyArray<string>; readonly env: ChildVariables; readonly folder: string }
) =>
  sandbox
    .confine(
      { argv, cwd: request.cwd, env },
      {
        access: accessOf(request),
        usesGit: request.usesGit === true,
        commands: request.programs ?? [],
        ...(request.opens === undefined ? {} : { opens: request.opens }),
        writes: [folder],
        outlives: request.outputFile !== undefined
      }
    )
    .pipe(
      Effect.mapError(({ message }) => new ShellError({ command: request.command, cwd: request.cwd, detail: message }))
    )

interface Surroundings {
  readonly folder: string
  readonly mark: string
  readonly numbersOwn: boolean
  /** Takes what the command has not read of its terminal. */
  readonly unread: Array<Uint8Array>
}

/** Waits for the shell and then, within bounds, for the rest of its output. */
const settle = Effect.fnUntraced(function* (
  launched: Launched,
  capture: OutputCapture,
  { folder, mark, numbersOwn, unread }: Surroundings,
  clock: Clock.Clock
) {
  const { child } = launched
  yield* Effect.promise(() => child.exited)
  unread.unshift(...bytesOf(join(folder, UNREAD)))
  launched.refresh()
  const isOutputHeld = yield* drain(launched, capture, clock)
  // Numbers that the shell saw inside a sandbox are those of other processes out here.
  const jobs = numbersOwn ? [] : readJobs(join(folder, "bgpids.tmp")).filter((pid) => rowOf(pid) !== undefined)
  // A daemon is no job of the shell any more, but it can be found.
  const backgroundPids = jobs.length === 0 && isOutputHeld ? membersOf(child.pid, mark).map((row) => row.pid) : jobs
  // A terminal never ends by itself; without jobs nobody is left to write to it.
  const isHeld = launched.isTerminal ? backgroundPids.length > 0 : isOutputHeld
  rmSync(folder, { recursive: true, force: true })
  if (!isHeld) {
    launched.close()
    capture.close()
  }
  return resultOf(launched, capture, backgroundPids, isHeld)
})

const resultOf = (
  { child }: Launched,
  capture: OutputCapture,
  backgroundPids: ReadonlyArray<number>,
  isOutputHeld: boolean
): ShellResult => ({
  pid: child.pid,
  output: capture.finalText(),
  outputBytes: capture.totalBytes,
  spillFile: capture.spilled?.file,
  exitCode: child.signalCode === null ? child.exitCode : null,
  signal: signalNumber(child.signalCode),
  backgroundPids,
  isOutputHeld,
  timedOut: undefined
})

const signalNumber = (code: NodeJS.Signals | number | null): number | null =>
  typeof code === "string" ? constants.signals[code] : code

/** True: somebody still holds the output after the shell has ended. */
const drain = Effect.fnUntraced(function* (launched: Launched, capture: OutputCapture, clock: Clock.Clock) {
  const quiet = launched.isTerminal ? TERMINAL_QUIET : QUIET
  const deadline = readMonotonicMillis(clock) + Duration.toMillis(DRAIN_LIMIT)
  const ended = Effect.promise(() => launched.ended).pipe(Effect.as(true))
  for (;;) {
    const before = capture.totalBytes
    const isEnded = yield* Effect.raceFirst(ended, Effect.sleep(quiet).pipe(Effect.as(false)))
    if (isEnded) return false
    if (capture.totalBytes === before || readMonotonicMillis(clock) > deadline) return true
  }
})

/** Nothing where the shell was killed, or everything was read. */
const bytesOf = (file: string): ReadonlyArray<Uint8Array> => {
  try {
    return [readFileSync(file)]
  } catch {
    return []
  }
}

const readJobs = (file: string): ReadonlyArray<number> => {
  try {
    return parseJobs(readFileSync(file, "utf8"))
  } catch {
    // A shell that was killed, or whose command replaced the trap, leaves no list.
    return []
  }
}

const attempt = <A>(request: ShellRequest, run: () => Promise<A>): Effect.Effect<A, ShellError> =>
  Effect.tryPromise({
    try: run,
    catch: (cause) =>
      new ShellError({
        command: request.command,
        cwd: request.cwd,
        // The system reports a missing folder as if the program were missing.
        detail: isFolder(request.cwd) ? (cause instanceof Error ? cause.message : String(cause)) : "no such folder"
      })
  })

const isFolder = (path: string): boolean => {
  try {
    return statSync(path).isDirectory()
  } catch {
    return false
  }
}
