/**
 * Finds a ripgrep to run: the embedded one, unpacked once for this user; else one of the system.
 *
 * The unpacked file is compared byte for byte with the embedded one before it is used in a process: it lies in a place
 * that other programs of the user may write, and comparing five megabytes costs less than hashing them. A program found
 * on `PATH` must really lie in a system folder and never below the working folder, where a repository could plant one.
 */
import { lstatSync, mkdirSync, readFileSync, realpathSync } from "node:fs"
import { delimiter, isAbsolute, join } from "node:path"
import { Effect, Option } from "effect"
import { setFileMode } from "../system/file-mode.ts"
import { writeAtomically } from "./atomic-write.ts"
import { isInside } from "./containment.ts"

export interface ProgramSources {
  readonly cwd: string
  readonly home: string | undefined
  readonly platform: NodeJS.Platform
  /** The variable `PATH`. */
  readonly searchPath: string
  /** Path of the embedded program; `null` without one. */
  readonly embedded: Effect.Effect<string | null>
}

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
