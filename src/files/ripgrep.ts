/**
 * Runs ripgrep with bounds: output is handed on as it comes and may be cut off at any time, the run ends after its time
 * limit, and the process is ended when the caller stops listening or is interrupted.
 */
import { Context, Duration, Effect, Layer, Option, Schema } from "effect"
import { Environment } from "../config/environment.ts"
import { cachedOnce } from "../kernel/cached-once.ts"
import { findRipgrep } from "./ripgrep-program.ts"

export class RipgrepError extends Schema.TaggedError<RipgrepError>()("RipgrepError", {
  kind: Schema.Literal("start", "timeout", "failed"),
  detail: Schema.String
}) {
  override get message() {
    return this.detail
  }
}

export interface RipgrepRequest {
  readonly args: ReadonlyArray<string>
  readonly cwd: string
  readonly timeout: Duration.DurationInput
  /** Takes the next piece of output; `false` when no more is wanted. */
  readonly onOutput: (bytes: Uint8Array) => boolean
}

export interface RipgrepEnd {
  /** `null` when the output was cut off by the caller. 2 also when only some files could not be read. */
  readonly exitCode: number | null
  /** The beginning of what it complained about. */
  readonly stderr: string
}

export class Ripgrep extends Context.Tag("agent/files/Ripgrep")<
  Ripgrep,
  {
    /** Path of the program; none where the in-process search has to do. Looked up once. */
    readonly program: Effect.Effect<Option.Option<string>>
    readonly run: (request: RipgrepRequest) => Effect.Effect<RipgrepEnd, RipgrepError>
  }
>() {}

export const layer = Layer.effect(
  Ripgrep,
  Effect.gen(function* () {
    const environment = yield* Environment
    const program = yield* cachedOnce(
      findRipgrep({
        cwd: environment.cwd,
        home: environment.home,
        platform: environment.platform,
        searchPath: environment.get("PATH") ?? "",
        embedded: Effect.promise(async () => (await import("./ripgrep-embedded.live.ts")).embeddedRipgrep())
      })
    )
    return Ripgrep.of({ program, run: (request) => Effect.flatMap(program, (found) => runProgram(found, request)) })
  })
)

/** No ripgrep: searches run in process. For `tools.useRipgrep: false`. */
export const layerNone = Layer.succeed(Ripgrep, {
  program: Effect.succeedNone,
  run: (request) => runProgram(Option.none(), request)
})

const MAX_STDERR = 16 * 1024

const runProgram = (program: Option.Option<string>, request: RipgrepRequest): Effect.Effect<RipgrepEnd, RipgrepError> =>
  Effect.gen(function* () {
    if (Option.isNone(program)) return yield* new RipgrepError({ kind: "start", detail: "No ripgrep is available." })
    const child = yield* start(program.value, request)
    const [isWhole, stderr] = yield* Effect.promise(() =>
      Promise.all([forward(child, request.onOutput), beginningOf(child.stderr)])
    )
    const exitCode = yield* Effect.promise(() => child.exited)
    return { exitCode: isWhole ? exitCode : null, stderr }
  }).pipe(
    Effect.scoped,
    Effect.timeoutFail({
      duration: request.timeout,
      onTimeout: () =>
        new RipgrepError({
          kind: "timeout",
          detail: `The search took longer than ${Duration.format(request.timeout)}.`
        })
    }),
    Effect.withSpan("Ripgrep.run")
  )

type Child = Bun.Subprocess<"ignore", "pipe", "pipe">

/** No variable of ours reaches it: neither settings of ripgrep nor credentials. */
const start = (program: string, request: RipgrepRequest) =>
  Effect.acquireRelease(
    Effect.try({
      try: (): Child =>
        Bun.spawn([program, "--no-config", ...request.args], {
          cwd: request.cwd,
          env: {},
          stdin: "ignore",
          stdout: "pipe",
          stderr: "pipe"
        }),
      catch: (cause) => new RipgrepError({ kind: "start", detail: `ripgrep could not be started: ${String(cause)}` })
    }),
    (child) => Effect.sync(() => child.kill("SIGKILL"))
  )

/** `false` when the reader had enough. */
const forward = async (child: Child, onOutput: (bytes: Uint8Array) => boolean): Promise<boolean> => {
  for await (const bytes of child.stdout) {
    if (onOutput(bytes)) continue
    child.kill("SIGKILL")
    return false
  }
  return true
}

const beginningOf = async (stream: ReadableStream<Uint8Array>): Promise<string> => {
  const decoder = new TextDecoder()
  let text = ""
  for await (const bytes of stream) if (text.length < MAX_STDERR) text += decoder.decode(bytes, { stream: true })
  return text.slice(0, MAX_STDERR)
}
