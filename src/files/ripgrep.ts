/**
 * Runs ripgrep with bounds: output is handed on as it comes and may be cut off at any time, the run ends after its time
 * limit, and the process is ended when the caller stops listening or is interrupted.
 */
import { Context, Duration, Effect, Layer, Option, Schema } from "effect"
import { Environment } from "../config/environment.ts"
import { cachedOnce } from "../kernel/cached-once.ts"
import { none, Sandbox } from "../sandbox/sandbox.ts"
import { childVariables } from "../system/child-variables.ts"
import { type Program, type ProgramError, runProgram } from "../system/programs.ts"
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
    const sandbox = yield* Sandbox
    const program = yield* cachedOnce(
      findRipgrep({
        cwd: environment.cwd,
        home: environment.home,
        platform: environment.platform,
        searchPath: environment.get("PATH") ?? "",
        embedded: Effect.promise(async () => (await import("./ripgrep-embedded.live.ts")).embeddedRipgrep())
      })
    )
    return Ripgrep.of({
      program,
      run: (request) => Effect.flatMap(program, (found) => search(found, request, sandbox))
    })
  })
)

/** No ripgrep: searches run in process. For `tools.useRipgrep: false`. */
export const layerNone = Layer.succeed(Ripgrep, {
  program: Effect.succeedNone,
  run: (request) => search(Option.none(), request, none)
})

const MAX_STDERR = 16 * 1024

const search = Effect.fn("Ripgrep.run")(function* (
  program: Option.Option<string>,
  { args, cwd, onOutput, timeout }: RipgrepRequest,
  sandbox: Sandbox["Type"]
) {
  if (Option.isNone(program)) return yield* new RipgrepError({ kind: "start", detail: "No ripgrep is available." })
  const bare: Program = {
    argv: [program.value, "--no-config", ...args],
    cwd,
    // No variable of ours reaches it: neither settings of ripgrep nor credentials.
    env: childVariables({ inherits: {} })
  }
  // Where only commands are confined that run unasked, a search is ours and needs no wall.
  const confined = (yield* sandbox.confines("write"))
    ? yield* sandbox
        .confine(bare, { access: "read", reads: [program.value] })
        .pipe(Effect.mapError(({ message }) => new RipgrepError({ kind: "start", detail: message })))
    : bare
  return yield* runProgram({
    argv: confined.argv,
    cwd: confined.cwd,
    env: confined.env,
    onStdout: onOutput,
    maxOutputBytes: MAX_STDERR,
    onTooMuch: "drop",
    timeout,
    reach: "group",
    leftovers: "end",
    grace: 0
  }).pipe(Effect.mapError((error) => troubleOf(error, timeout)))
})

const troubleOf = ({ detail, kind }: ProgramError, limit: Duration.DurationInput): RipgrepError =>
  kind === "timeout"
    ? new RipgrepError({ kind, detail: `The search took longer than ${Duration.format(limit)}.` })
    : new RipgrepError({ kind: "start", detail: `ripgrep ${detail}` })
