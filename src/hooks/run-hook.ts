/**
 * Runs the program of one hook: the input on its standard input, both outputs bounded, the time bounded. It leads a
 * process group of its own, and whatever ends it (its time, a cancelled turn, its own exit) ends the group with it.
 */
import { Cause, Duration, Effect } from "effect"
import { monotonicMillis } from "../kernel/monotonic-time.ts"
import { none, type Sandbox } from "../sandbox/sandbox.ts"
import { shellProgram } from "../shell/invocation.ts"
import { type BoundedOutput, boundedOutput } from "../system/bounded-output.ts"
import { type ChildVariables, withVariables } from "../system/child-variables.ts"
import { leftNothing } from "../system/left-behind.ts"
import { COMMAND_MARK } from "../system/process-table.ts"
import { endTree, hasGroup } from "../system/process-tree.ts"
import { spawnProgram } from "../system/programs.ts"
import type { HookEnd } from "./result.ts"

export interface RunRequest {
  readonly command: string
  /** The JSON document. */
  readonly input: string
  readonly cwd: string
  readonly env: ChildVariables
  readonly platform: NodeJS.Platform
  /** Stands around it; absent: nothing does. */
  readonly sandbox?: Sandbox["Type"] | undefined
  readonly timeoutMs: number
  /** Carried by all its processes, so that those that left the group are found as well. */
  readonly mark: string
  /** From the request to end to the end by force; for tests. */
  readonly grace?: Duration.DurationInput
}

export interface HookRun {
  readonly end: HookEnd
  readonly durationMs: number
  /** No process of it is left, for sure. */
  readonly leftNothing: boolean
}

const TIMEOUT_GRACE = Duration.seconds(5)
/** Nobody waits longer for a hook of something that was cancelled. */
const CANCEL_GRACE = Duration.seconds(2)
/** A program that runs longer has a reader for its outputs. */
const MOMENT_MS = 100

/**
 * What the program of a hook writes, within bounds. Reading begins late: until then the kernel keeps what is written, and
 * for the many programs that end at once it can be taken whole, which is far cheaper than reading as it comes.
 */
type Child = Bun.Subprocess<Buffer, "pipe", "pipe">

interface Written {
  readonly stdout: string
  readonly stderr: string
}

interface Outputs {
  /** From now on it is read as it comes: a program that runs on must not wait for a reader. */
  readonly begin: () => void
  /** After the end of the program. `isAlone`: no other process holds the outputs, so that nothing more can come. */
  readonly rest: (isAlone: boolean) => Effect.Effect<Written>
  readonly close: () => void
}

export const MAX_OUTPUT_BYTES = 1024 * 1024
const BOUND = { maxBytes: MAX_OUTPUT_BYTES }

/** A process that left the group may hold the outputs open. */
const OUTPUT_WAIT = Duration.seconds(1)

/** The child must have been started lazily. */
const outputsOf = (child: Child): Outputs => {
  let collected: { readonly stdout: BoundedOutput; readonly stderr: BoundedOutput } | undefined
  const collecting = () => {
    collected ??= { stdout: boundedOutput(child.stdout, BOUND), stderr: boundedOutput(child.stderr, BOUND) }
    return collected
  }
  const whole = async (): Promise<Written> => {
    const [stdout, stderr] = await Promise.all([child.stdout.text(), child.stderr.text()])
    return { stdout, stderr }
  }
  return {
    begin: () => void collecting(),
    rest: (isAlone) =>
      Effect.suspend(() => {
        if (isAlone && collected === undefined) return Effect.promise(whole)
        const { stderr, stdout } = collecting()
        const ended = Effect.promise(() => Promise.all([stdout.ended, stderr.ended]))
        return Effect.map(Effect.timeoutOption(ended, OUTPUT_WAIT), () => ({
          stdout: stdout.text(),
          stderr: stderr.text()
        }))
      }),
    close: () => {
      collected?.stdout.close()
      collected?.stderr.close()
    }
  }
}

export const runHook = Effect.fn("Hooks.run")(function* (request: RunRequest) {
  const since = yield* monotonicMillis
  const run = yield* Effect.acquireUseRelease(start(request), (running) => attend(running, request), tidy).pipe(
    Effect.catchTag("UnknownException", ({ error }) => Effect.succeed(notStarted(error)))
  )
  return { ...run, durationMs: (yield* monotonicMillis) - since } satisfies HookRun
})

type Attended = Omit<HookRun, "durationMs">

const notStarted = (error: unknown): Attended => ({
  end: { _tag: "NotStarted", detail: error instanceof Error ? error.message : String(error) },
  leftNothing: true
})

interface Running {
  readonly child: Bun.Subprocess<Buffer, "pipe", "pipe">
  readonly mark: string
  readonly outputs: Outputs
}

const start = Effect.fnUntraced(function* (request: RunRequest) {
  const { cwd, env, input, mark, sandbox = none } = request
  const program = yield* sandbox
    .confine({ argv: argvOf(request), cwd, env: withVariables(env, { [COMMAND_MARK]: mark }) }, { access: "write" })
    .pipe(Effect.mapError((fault) => new Cause.UnknownException(fault, fault.message)))
  return yield* Effect.try((): Running => {
    const child = spawnProgram(program, {
      // Written in the background; a program that does not read it is no failure.
      stdin: Buffer.from(input),
      stdout: "pipe",
      stderr: "pipe",
      lazy: true,
      detached: true
    })
    return { child, mark, outputs: outputsOf(child) }
  })
})

const argvOf = ({ command, cwd, env, platform }: RunRequest): ReadonlyArray<string> => {
  const { dialect, path } = shellProgram(platform, env, cwd)
  return dialect === "powershell"
    ? [path, "-NoProfile", "-NonInteractive", "-Command", `${command}\nexit $LASTEXITCODE`]
    : [path, "-c", command]
}

/** In a longer time the numbers of processes may have begun anew, and tell nothing. */
const SHORT_MS = 2_000

const attend = Effect.fnUntraced(function* (
  running: Running,
  { grace, timeoutMs }: RunRequest
): Effect.fn.Return<Attended> {
  const { child, mark, outputs } = running
  const since = yield* monotonicMillis
  const exitWithin = (ms: number) =>
    Effect.timeoutOption(
      Effect.promise(() => child.exited),
      Duration.millis(ms)
    )
  let code = yield* exitWithin(Math.min(MOMENT_MS, timeoutMs))
  if (code._tag === "None" && timeoutMs > MOMENT_MS) {
    outputs.begin()
    code = yield* exitWithin(timeoutMs - MOMENT_MS)
  }
  if (code._tag === "None") {
    yield* endTree(child.pid, mark, grace ?? TIMEOUT_GRACE)
    return { end: { _tag: "TimedOut", limitMs: timeoutMs }, leftNothing: false }
  }
  if (hasGroup(child.pid)) yield* endTree(child.pid, mark, grace ?? CANCEL_GRACE)
  const isShort = (yield* monotonicMillis) - since < SHORT_MS
  const isAlone = isShort && leftNothing(child.pid, mark)
  const written = yield* outputs.rest(isAlone)
  const end: HookEnd =
    child.signalCode === null
      ? { _tag: "Exited", code: code.value, ...written }
      : { _tag: "Signalled", signal: String(child.signalCode), ...written }
  return { end, leftNothing: isAlone }
})

/** Also where the turn was cancelled meanwhile. */
const tidy = Effect.fnUntraced(function* ({ child, mark, outputs }: Running) {
  if (child.exitCode === null && child.signalCode === null) yield* endTree(child.pid, mark, CANCEL_GRACE)
  outputs.close()
})
