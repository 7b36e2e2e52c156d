/**
 * Runs a program of the user's to its end: text on its standard input, both outputs bounded, the time bounded, and the
 * whole process tree ended when the caller is interrupted or the bound is hit.
 */
import { Data, Duration, Effect, Random } from "effect"
import { endTree } from "../../shell/end-tree.ts"
import { COMMAND_MARK } from "../../shell/process-table.ts"

export interface ProgramRequest {
  readonly argv: ReadonlyArray<string>
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
  readonly stdin: string
  readonly maxOutputBytes: number
  readonly timeout: Duration.DurationInput
}

export interface ProgramResult {
  readonly stdout: string
  readonly stderr: string
  readonly exitCode: number | null
  readonly signal: string | null
}

/** The program did not come to an end that could be reported: it could not be started, was too slow or wrote too much. */
export class ProgramError extends Data.TaggedError("ProgramError")<{ readonly detail: string }> {
  override get message() {
    return this.detail
  }
}

const GRACE = "500 millis"

export const runProgram = Effect.fn("Discovery.runProgram")(
  function* (request: ProgramRequest) {
    const mark = `discovery-${yield* Random.nextIntBetween(0, Number.MAX_SAFE_INTEGER)}`
    const child = yield* Effect.acquireRelease(start(request, mark), (process) =>
      Effect.zipRight(
        endTree(process.pid, mark, GRACE),
        Effect.promise(() => process.exited)
      )
    )
    yield* Effect.forkScoped(endLeftovers(child, mark))
    const [stdout, stderr, exitCode] = yield* Effect.all(
      [collect(child.stdout, request), collect(child.stderr, request), Effect.promise(() => child.exited)],
      { concurrency: "unbounded" }
    )
    const signal = child.signalCode === null ? null : String(child.signalCode)
    return { stdout, stderr, exitCode: signal === null ? exitCode : null, signal } satisfies ProgramResult
  },
  Effect.scoped,
  (effect, request) =>
    Effect.timeoutFail(effect, {
      duration: request.timeout,
      onTimeout: () =>
        new ProgramError({
          detail: `${request.argv[0]} was ended: it took longer than ${Duration.format(request.timeout)}`
        })
    })
)

const start = (request: ProgramRequest, mark: string) =>
  Effect.try({
    try: () =>
      Bun.spawn([...request.argv], {
        cwd: request.cwd,
        env: { ...request.env, [COMMAND_MARK]: mark },
        stdin: Buffer.from(request.stdin),
        stdout: "pipe",
        stderr: "pipe",
        detached: true
      }),
    catch: (cause) => new ProgramError({ detail: `${request.argv[0]} cannot be started: ${reasonOf(cause)}` })
  })

/** A process that the program left behind may hold its outputs open, which nobody waits for longer than this. */
const LEFTOVER_WAIT = "1 second"

const endLeftovers = Effect.fnUntraced(function* (child: Bun.Subprocess, mark: string) {
  yield* Effect.promise(() => child.exited)
  yield* Effect.sleep(LEFTOVER_WAIT)
  yield* endTree(child.pid, mark, GRACE)
})

const reasonOf = (cause: unknown): string => (cause instanceof Error ? cause.message : String(cause))

const collect = (stream: ReadableStream<Uint8Array>, request: ProgramRequest) =>
  Effect.tryPromise({
    try: async (signal) => {
      const reader = stream.getReader()
      signal.addEventListener("abort", () => void reader.cancel().catch(() => {}))
      const chunks: Array<Uint8Array> = []
      let size = 0
      for (;;) {
        const { done, value } = await reader.read()
        if (done) return Buffer.concat(chunks).toString("utf8")
        size += value.length
        if (size > request.maxOutputBytes) throw new Error("too much")
        chunks.push(value)
      }
    },
    catch: () =>
      new ProgramError({ detail: `${request.argv[0]} was ended: it wrote more than ${request.maxOutputBytes} bytes` })
  })
