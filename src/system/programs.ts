/**
 * The door for child processes: no other file starts one. A program that came through here has variables that were made
 * for it (`child-variables.ts`), outputs and a time that are bounded, and ends with whoever wanted it.
 *
 * `spawnProgram` is the bare start, for those who talk to a program while it runs. The others are runs to the end:
 * `runProgram` for its outputs, `runAtTerminal` for one that takes the terminal, `runAside` for one that lives on.
 */

import { realpathSync } from "node:fs"
import { delimiter, isAbsolute, relative, sep } from "node:path"
import { Data, Duration, Effect, Exit, Predicate } from "effect"
import { messageOf } from "../kernel/cause-chain.ts"
import { type BoundedOutput, boundedOutput, eachChunk } from "./bounded-output.ts"
import { type ChildVariables, withVariables } from "./child-variables.ts"
import { COMMAND_MARK } from "./process-table.ts"
import { endTree, hasGroup, signalProcess } from "./process-tree.ts"

export interface Program {
  readonly argv: ReadonlyArray<string>
  readonly cwd: string
  readonly env: ChildVariables
  /**
   * The working folder, where nobody configured the program: its name means the one of the machine, whatever the folder
   * brings.
   */
  readonly notIn?: string
}

/**
 * Where the machine has a program; `null`: nowhere. A relative part of the search path, or one inside of the working folder,
 * leads to programs of whatever project is worked in.
 */
export const machineProgram = (name: string, path: string, cwd: string): string | null => {
  const folders = path.split(delimiter).filter((folder) => isAbsolute(folder) && !isOfProject(folder, cwd))
  return folders.length === 0 ? null : Bun.which(name, { PATH: folders.join(delimiter) })
}

/** Whoever works in one of these works on the machine. */
const SYSTEM_FOLDERS: ReadonlySet<string> = new Set(["/bin", "/sbin", "/usr/bin", "/usr/sbin", "/usr/local/bin"])

const isOfProject = (folder: string, cwd: string): boolean =>
  cwd !== "/" &&
  !SYSTEM_FOLDERS.has(folder) &&
  [folder, realOf(folder)].some((one) => isBelow(cwd, one) || isBelow(realOf(cwd), one))

const isBelow = (outer: string, path: string): boolean => {
  const way = relative(outer, path)
  return !isAbsolute(way) && way !== ".." && !way.startsWith(`..${sep}`)
}

const realOf = (path: string): string => {
  try {
    return realpathSync(path)
  } catch {
    return path
  }
}

type Input = Bun.SpawnOptions.Writable
type Output = Bun.SpawnOptions.Readable

/** Throws what the system says when the program cannot be started. */
export const spawnProgram = <const In extends Input, const Out extends Output, const Err extends Output>(
  { argv, cwd, env, notIn }: Program,
  options: Omit<Bun.SpawnOptions.SpawnOptions<In, Out, Err>, "cwd" | "env">
): Bun.Subprocess<In, Out, Err> =>
  Bun.spawn<In, Out, Err>(notIn === undefined ? [...argv] : ofMachine(argv, env, notIn), {
    ...options,
    cwd,
    env: { ...env }
  })

const ofMachine = ([name = "", ...args]: ReadonlyArray<string>, env: ChildVariables, cwd: string): Array<string> => {
  if (/[/\\]/.test(name)) return [name, ...args]
  const program = machineProgram(name, env.PATH ?? env.Path ?? "", cwd)
  if (program === null) throw Object.assign(new Error(`${name} is not installed`), { code: "ENOENT" })
  return [program, ...args]
}

export interface ProgramRequest extends Program {
  /** Absent: there is nothing to read. */
  readonly stdin?: string
  /** Absent: whoever waits for it has a limit of their own. */
  readonly timeout?: Duration.DurationInput
  /** Of each output. */
  readonly maxOutputBytes: number
  /** More than that ends the program (`fail`, the default), or the rest of it is dropped. */
  readonly onTooMuch?: "fail" | "drop"
  /** Takes standard output as it comes; `false` when no more is wanted, which ends the program. */
  readonly onStdout?: (bytes: Uint8Array) => boolean
  /**
   * What is ended with it: the group that it leads, or, for programs that nobody knows, everything that it started,
   * wherever that went. What leaves a group is hard to find, and looking for it takes milliseconds.
   */
  readonly reach: "group" | "tree"
  /** Processes that are left after a good end are ended, or meant to stay. */
  readonly leftovers: "end" | "keep"
  /** From the request to end to the end by force. Zero: by force at once. */
  readonly grace: Duration.DurationInput
}

export interface ProgramEnd {
  /** `null`: ended by a signal, or because no more was wanted of it. */
  readonly exitCode: number | null
  readonly signal: string | null
  /** Empty where it was taken as it came. */
  readonly stdout: string
  readonly stderr: string
}

/** The program did not come to an end of its own. */
export class ProgramError extends Data.TaggedError("ProgramError")<{
  readonly kind: "start" | "timeout" | "output"
  readonly program: string
  /** Completes a sentence whose subject is the program. */
  readonly detail: string
  /** The system's word, such as `ENOENT`, where it could not be started. */
  readonly code?: string
}> {
  override get message() {
    return `${this.program} ${this.detail}`
  }
}

export const runProgram = Effect.fn("Programs.run")(
  (request: ProgramRequest): Effect.Effect<ProgramEnd, ProgramError> =>
    Effect.acquireUseRelease(start(request), (running) => attended(running, request), tidy)
)

/** It has the terminal to itself until it ends; its exit code. */
export const runAtTerminal = (program: Program, outputs: "inherit" | "ignore"): Effect.Effect<number, ProgramError> =>
  Effect.acquireUseRelease(
    starting(program, () => spawnProgram(program, { stdin: "inherit", stdout: outputs, stderr: outputs })),
    (child) => Effect.promise(() => child.exited),
    (child) => Effect.sync(() => void (isOver(child) || child.kill()))
  )

/** All that it says goes to standard error; its exit code. */
export const runToDiagnostics = (program: Program): Effect.Effect<number, ProgramError> =>
  Effect.acquireUseRelease(
    starting(program, () => spawnProgram(program, { stdin: "ignore", stdout: STDERR, stderr: "inherit" })),
    (child) => Effect.promise(() => child.exited),
    (child) => Effect.sync(() => void (isOver(child) || child.kill()))
  )

const STDERR = 2

/**
 * For programs of the desktop, which may be meant to stay: they are waited for and never ended. `false`: it is not
 * installed, failed, or is still at it.
 */
export const runAside = (
  program: Program,
  { stdin, within }: { readonly stdin?: string; readonly within: Duration.DurationInput }
): Effect.Effect<boolean> =>
  starting(program, () =>
    spawnProgram(program, { stdin: inputOf(stdin), stdout: "ignore", stderr: "ignore", detached: LEADS_GROUP })
  ).pipe(
    Effect.flatMap((child) => {
      child.unref()
      return Effect.timeout(endable(Effect.promise(() => child.exited)), within)
    }),
    Effect.map((exitCode) => exitCode === 0),
    Effect.orElseSucceed(() => false)
  )

/** A group and a session of its own: it can be ended as a whole, and has no terminal to ask at. */
const LEADS_GROUP = process.platform !== "win32"

type Child = Bun.Subprocess<Input, "pipe", "pipe">

interface Running {
  readonly child: Child
  readonly request: ProgramRequest
  readonly mark: string
  readonly stdout: Pick<BoundedOutput, "ended" | "close" | "text">
  readonly stderr: BoundedOutput
  /** More came than is wanted. */
  readonly over: Promise<"over">
  /** Its reader has had enough. */
  readonly isCut: () => boolean
}

/** It is read to its end, also while it is being ended: what it writes then must not end it by a broken pipe. */
const start = (request: ProgramRequest): Effect.Effect<Running, ProgramError> =>
  starting(request, () => {
    const mark = request.reach === "tree" ? crypto.randomUUID() : ""
    const env = mark === "" ? request.env : withVariables(request.env, { [COMMAND_MARK]: mark })
    const child = spawnProgram(
      { ...request, env },
      { stdin: inputOf(request.stdin), stdout: "pipe", stderr: "pipe", detached: LEADS_GROUP }
    )
    const over = Promise.withResolvers<"over">()
    const bound = {
      maxBytes: request.maxOutputBytes,
      onOver: () => (request.onTooMuch === "drop" ? undefined : over.resolve("over"))
    }
    const taken = request.onStdout === undefined ? undefined : handOn(child, request.onStdout)
    return {
      child,
      request,
      mark,
      stdout: taken ?? boundedOutput(child.stdout, bound),
      stderr: boundedOutput(child.stderr, bound),
      over: over.promise,
      isCut: taken?.isCut ?? (() => false)
    }
  })

const inputOf = (text: string | undefined): Input => (text === undefined ? "ignore" : Buffer.from(text))

const starting = <A>({ argv: [program = ""] }: Program, spawn: () => A): Effect.Effect<A, ProgramError> =>
  Effect.try({
    try: spawn,
    catch: (cause) =>
      new ProgramError({
        kind: "start",
        program,
        detail: `cannot be started: ${messageOf(cause)}`,
        ...(Predicate.hasProperty(cause, "code") ? { code: String(cause.code) } : {})
      })
  })

const attended = (running: Running, request: ProgramRequest): Effect.Effect<ProgramEnd, ProgramError> => {
  const { timeout } = request
  if (timeout === undefined) return attend(running)
  return Effect.timeoutFail(endable(attend(running)), {
    duration: timeout,
    onTimeout: () =>
      new ProgramError({
        kind: "timeout",
        program: request.argv[0] ?? "",
        detail: `was ended: it took longer than ${Duration.format(timeout)}`
      })
  })
}

/** One side of a race. Where nothing can be interrupted (a finalizer), a race would otherwise wait for both. */
const endable = Effect.interruptible

/** Output that a process holds open after the end of the program is waited for no longer than this. */
const DRAIN_WITHIN = Duration.seconds(1)

const attend = ({ child, isCut, over, request, stderr, stdout }: Running): Effect.Effect<ProgramEnd, ProgramError> => {
  const read = Effect.promise(() => Promise.race([Promise.all([stdout.ended, stderr.ended]), over]))
  const exited = Effect.promise(() => child.exited)
  const isHeldOpen = Effect.zipRight(exited, Effect.sleep(DRAIN_WITHIN))
  return Effect.raceFirst(endable(read), endable(isHeldOpen)).pipe(
    Effect.filterOrFail(
      (how) => how !== "over",
      () =>
        new ProgramError({
          kind: "output",
          program: request.argv[0] ?? "",
          detail: `was ended: it wrote more than ${request.maxOutputBytes} bytes`
        })
    ),
    Effect.zipRight(exited),
    Effect.map((exitCode): ProgramEnd => {
      const signal = child.signalCode === null ? null : String(child.signalCode)
      return {
        exitCode: signal === null && !isCut() ? exitCode : null,
        signal,
        stdout: stdout.text(),
        stderr: stderr.text()
      }
    })
  )
}

/** The program is ended when its reader has had enough: it has nothing left to do. */
const handOn = (child: Child, take: (bytes: Uint8Array) => boolean) => {
  let isCut = false
  const reading = eachChunk(child.stdout, (bytes) => {
    if (isCut || take(bytes)) return
    isCut = true
    signalGroup(child, "SIGKILL")
  })
  return { ...reading, text: () => "", isCut: () => isCut }
}

const isOver = (child: Bun.Subprocess): boolean => child.exitCode !== null || child.signalCode !== null

const tidy = Effect.fnUntraced(function* (running: Running, exit: Exit.Exit<unknown, unknown>) {
  const { child, request, stderr, stdout } = running
  // What left the group is not seen by a look at the group.
  const mayBeLeft = request.leftovers === "end" && (request.reach === "tree" || hasGroup(child.pid))
  if (!isOver(child) || Exit.isFailure(exit) || mayBeLeft) yield* endProgram(running)
  stdout.close()
  stderr.close()
})

const endProgram = ({ child, mark, request }: Running): Effect.Effect<void> =>
  request.reach === "tree"
    ? Effect.zipRight(endTree(child.pid, mark, request.grace), untilExit(child, FORCED_WITHIN))
    : endGroup(child, request.grace)

/** A process that hangs in the kernel does not even end by force. */
const FORCED_WITHIN = Duration.seconds(1)

const endGroup = Effect.fnUntraced(function* (child: Child, grace: Duration.DurationInput) {
  if (!Duration.equals(Duration.decode(grace), Duration.zero)) {
    signalGroup(child, "SIGTERM")
    yield* untilExit(child, grace)
  }
  signalGroup(child, "SIGKILL")
  yield* untilExit(child, FORCED_WITHIN)
  for (let look = 0; look < LOOKS && hasGroup(child.pid); look += 1) yield* Effect.sleep(LOOK_EVERY)
})

/** The others of the group die a moment after it. Where nobody fetches their exit codes, they seem to stay. */
const LOOKS = 20
const LOOK_EVERY = Duration.millis(5)

const signalGroup = (child: Child, signal: NodeJS.Signals): void => {
  if (LEADS_GROUP) signalProcess(-child.pid, signal)
  else child.kill(signal)
}

const untilExit = (child: Child, limit: Duration.DurationInput): Effect.Effect<void> =>
  Effect.asVoid(Effect.timeoutOption(endable(Effect.promise(() => child.exited)), limit))
