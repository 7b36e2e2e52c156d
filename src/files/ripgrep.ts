/**
 * Runs ripgrep with bounds: output is handed on as it comes and may be cut off at any time, the run ends after its
 * time limit, and the process is ended when the caller stops listening or is interrupted. Which ripgrep that is stands
 * below.
 */

import { lstatSync, mkdirSync, readFileSync, realpathSync } from "node:fs"
import { delimiter, isAbsolute, join } from "node:path"
import { Context, Duration, Effect, Layer, Option, Schema } from "effect"
import { Environment } from "../config/environment.ts"
import { cachedOnce } from "../kernel/cached-once.ts"
import { none, Sandbox } from "../sandbox/sandbox.ts"
import { childVariables } from "../system/child-variables.ts"
import { setFileMode } from "../system/file-mode.ts"
import { type Program, type ProgramError, runProgram } from "../system/programs.ts"
import { writeAtomically } from "./atomic-write.ts"
import { isInside } from "./containment.ts"

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

export interface ProgramSources {
  readonly cwd: string
  readonly home: string | undefined
  readonly platform: NodeJS.Platform
  /** The variable `PATH`. */
  readonly searchPath: string
  /** Path of the embedded program; `null` without one. */
  readonly embedded: Effect.Effect<string | null>
}

/**
 * Finds a ripgrep to run: the embedded one, unpacked once for this user; else one of the system.
 *
 * The unpacked file is compared byte for byte with the embedded one before it is used in a process: it lies in a place
 * that other programs of the user may write, and comparing five megabytes costs less than hashing them. A program found
 * on `PATH` must really lie in a system folder and never below the working folder, where a repository could plant one.
 */
export const findRipgrep = Effect.fn("findRipgrep")(function* (sources: ProgramSources) {
  const embedded = yield* sources.embedded
  const unpacked = embedded === null ? Option.none<string>() : yield* unpack(embedded, sources)
  return Option.orElse(unpacked, () => Option.fromNullable(systemRipgrep(sources)))
})

/** Programs inside the binary lie in a file system that only the runtime sees. */
const isInsideBinary = (path: string): boolean => path.startsWith("/$bunfs/") || /^[A-Z]:[\\/]~BUN/.test(path)

const unpack = (embedded: string, sources: ProgramSources): Effect.Effect<Option.Option<string>> => {
  if (!isInsideBinary(embedded)) return Effect.succeedSome(embedded)
  if (sources.home === undefined) return Effect.succeedNone
  const folder = join(sources.home, ".gemini", "tmp", "bin")
  return Effect.gen(function* () {
    const program = yield* Effect.try(() => readFileSync(embedded))
    const name = `rg-${Bun.hash(program).toString(16)}${sources.platform === "win32" ? ".exe" : ""}`
    const file = join(folder, name)
    if (isSameProgram(file, program)) return file
    yield* Effect.try(() => mkdirSync(folder, { recursive: true, mode: 0o700 }))
    const real = join(yield* Effect.try(() => realpathSync(folder)), name)
    yield* writeAtomically(real, program, { mode: 0o755 })
    yield* Effect.try(() => setFileMode(real, 0o755))
    return real
  }).pipe(Effect.option)
}

const isSameProgram = (file: string, program: Buffer): boolean => {
  try {
    const stat = lstatSync(file)
    return (
      stat.isFile() && stat.size === program.length && (stat.mode & 0o100) !== 0 && readFileSync(file).equals(program)
    )
  } catch {
    return false
  }
}

const SYSTEM_FOLDERS: Partial<Record<NodeJS.Platform, ReadonlyArray<string>>> = {
  win32: ["C:\\Windows", "C:\\Program Files", "C:\\Program Files (x86)", "C:\\ProgramData\\chocolatey"]
}

const UNIX_FOLDERS = [
  "/usr",
  "/bin",
  "/sbin",
  "/opt",
  "/nix/store",
  "/snap",
  "/run/current-system",
  "/home/linuxbrew/.linuxbrew"
]

const systemRipgrep = ({ cwd, platform, searchPath }: ProgramSources): string | null => {
  const trusted = SYSTEM_FOLDERS[platform] ?? UNIX_FOLDERS
  for (const folder of searchPath.split(delimiter)) {
    if (!isAbsolute(folder)) continue
    const real = realOrNull(join(folder, platform === "win32" ? "rg.exe" : "rg"))
    if (real !== null && !isInside(cwd, real) && trusted.some((place) => isInside(place, real))) return real
  }
  return null
}

const realOrNull = (path: string): string | null => {
  try {
    return realpathSync(path)
  } catch {
    return null
  }
}
