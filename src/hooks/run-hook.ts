/**
 * Runs the program of one hook: the input on its standard input, both outputs bounded, the time bounded. It leads a
 * process group of its own, and whatever ends it (its time, a cancelled turn, its own exit) ends the group with it.
 */
import { Clock, Duration, Effect } from "effect"
import { endTree, hasGroup } from "../shell/end-tree.ts"
import { shellProgram } from "../shell/invocation.ts"
import { leftNothing } from "../shell/left-behind.ts"
import { COMMAND_MARK } from "../shell/process-table.ts"
import type { HookEnd } from "./result.ts"

export interface RunRequest {
  readonly command: string
  /** The JSON document. */
  readonly input: string
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
  readonly platform: NodeJS.Platform
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
/** A process that left the group may hold the outputs open. */
const OUTPUT_WAIT = Duration.seconds(1)

export const runHook = Effect.fn("Hooks.run")(function* (request: RunRequest) {
  const since = yield* Clock.currentTimeMillis
  const run = yield* Effect.acquireUseRelease(start(request), (running) => attend(running, request), tidy).pipe(
    Effect.catchTag("UnknownException", ({ error }) => Effect.succeed(notStarted(error)))
  )
  return { ...run, durationMs: (yield* Clock.currentTimeMillis) - since } satisfies HookRun
})

type Attended = Omit<HookRun, "durationMs">

const notStarted = (error: unknown): Attended => ({
  end: { _tag: "NotStarted", detail: error instanceof Error ? error.message : String(error) },
  leftNothing: true
})

interface Running {
  readonly child: Bun.Subprocess<Buffer, "pipe", "pipe">
  readonly mark: string
  readonly stdout: Collected
  readonly stderr: Collected
}

const start = (request: RunRequest) =>
  Effect.try((): Running => {
    const { cwd, env, input, mark } = request
    const child = Bun.spawn([...argvOf(request)], {
      cwd,
      env: { ...env, [COMMAND_MARK]: mark },
      // Written in the background; a program that does not read it is no failure.
      stdin: Buffer.from(input),
      stdout: "pipe",
      stderr: "pipe",
      detached: true
    })
    return { child, mark, stdout: collect(child.stdout), stderr: collect(child.stderr) }
  })

const argvOf = ({ command, env, platform }: RunRequest): ReadonlyArray<string> => {
  const { dialect, path } = shellProgram(platform, env)
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
  const { child, mark, stderr, stdout } = running
  const since = yield* Clock.currentTimeMillis
  const code = yield* Effect.timeoutOption(
    Effect.promise(() => child.exited),
    Duration.millis(timeoutMs)
  )
  if (code._tag === "None") {
    yield* endTree(child.pid, mark, grace ?? TIMEOUT_GRACE)
    return { end: { _tag: "TimedOut", limitMs: timeoutMs }, leftNothing: false }
  }
  if (hasGroup(child.pid)) yield* endTree(child.pid, mark, grace ?? CANCEL_GRACE)
  if (!stdout.hasEnded() || !stderr.hasEnded()) {
    yield* Effect.timeoutOption(
      Effect.promise(() => Promise.all([stdout.ended, stderr.ended])),
      OUTPUT_WAIT
    )
  }
  const written = { stdout: stdout.text(), stderr: stderr.text() }
  const end: HookEnd =
    child.signalCode === null
      ? { _tag: "Exited", code: code.value, ...written }
      : { _tag: "Signalled", signal: String(child.signalCode), ...written }
  const isShort = (yield* Clock.currentTimeMillis) - since < SHORT_MS
  return { end, leftNothing: isShort && leftNothing(child.pid, mark) }
})

/** Also where the turn was cancelled meanwhile. */
const tidy = ({ child, mark, stderr, stdout }: Running) =>
  Effect.gen(function* () {
    if (child.exitCode === null && child.signalCode === null) yield* endTree(child.pid, mark, CANCEL_GRACE)
    stdout.close()
    stderr.close()
  })

export const MAX_OUTPUT_BYTES = 1024 * 1024
/** Each chunk is fresh memory, and the collector lets a fast writer pile up a hundred megabytes of them. */
const COLLECT_AFTER = 16 * 1024 * 1024

interface Collected {
  readonly ended: Promise<void>
  readonly hasEnded: () => boolean
  readonly text: () => string
  readonly close: () => void
}

/** What is beyond the bound is read and dropped: the program goes on, and its exit code still counts. */
const collect = (stream: ReadableStream<Uint8Array>): Collected => {
  const reader = stream.getReader()
  const chunks: Array<Uint8Array> = []
  let size = 0
  let hasEnded = false
  const read = async (): Promise<void> => {
    let sinceCollection = 0
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return
      if (size < MAX_OUTPUT_BYTES) chunks.push(value.subarray(0, MAX_OUTPUT_BYTES - size))
      size += value.length
      sinceCollection += value.length
      if (sinceCollection > COLLECT_AFTER) {
        sinceCollection = 0
        Bun.gc(true)
      }
    }
  }
  return {
    // A read error means the same as the end: nothing more will come.
    ended: read()
      .catch(() => {})
      .then(() => {
        hasEnded = true
      }),
    hasEnded: () => hasEnded,
    text: () => Buffer.concat(chunks).toString("utf8"),
    close: () => void reader.cancel().catch(() => {})
  }
}
