/** The machine, and this program on it: version, place, limits, folders, terminal, and the programs that are used. */
import { accessSync, constants, readFileSync, realpathSync, statfsSync, statSync } from "node:fs"
import { totalmem } from "node:os"
import { delimiter, join } from "node:path"
import { Clock, Effect } from "effect"
import type { LoadedConfig } from "../../../config/load.ts"
import { buildFacts } from "../../../kernel/version.ts"
import { childVariables } from "../../../system/child-variables.ts"
import { machineProgram, runProgram } from "../../../system/programs.ts"
import { statOrNone } from "../../../system/regular-file.ts"
import { isTerminal } from "../../../system/terminal.ts"
import { packageOwner } from "../update/package-owner.ts"
import { type Check, check, fault, type HealthFinding, ok, warning } from "./finding.ts"

type Surroundings = Pick<LoadedConfig, "environment" | "storage">

export const machineChecks = ({ environment, storage }: Surroundings): ReadonlyArray<Check> => [
  check("Program", "version", () => [versionFinding(), placeFinding(), ...othersOnPath(environment.get("PATH") ?? "")]),
  check("Machine", "limits", () => [openFiles(), memory(), processor()]),
  check("Machine", "disk", () => [
    diskAt("disk, home", environment.home),
    diskAt("disk, temporary", temporary(environment))
  ]),
  { group: "Machine", name: "clock", look: Effect.map(Clock.currentTimeMillis, (now) => [clock(now)]) },
  check("Home", "folder", () => homeFindings(environment.home, storage.userDir)),
  check("Terminal", "terminal", () => terminalFindings(environment.get)),
  ...PROGRAMS.map((program) => programCheck(program, environment)),
  check("Programs", "editor", () => [editorFinding(environment.get, environment.cwd)])
]

const versionFinding = (): HealthFinding => {
  const { bun, commit, date, target, version } = buildFacts()
  return ok("version", `${version} (${commit}, ${date}, ${target}, Bun ${bun})`)
}

const placeFinding = (): HealthFinding => {
  const owner = packageOwner(process.execPath)
  return ok("installed", `${process.execPath}${owner === undefined ? "" : `, by ${owner.name}`}`)
}

/** Which one a shell starts is decided by the first on `PATH`. */
const othersOnPath = (path: string): ReadonlyArray<HealthFinding> => {
  const found = path
    .split(delimiter)
    .filter((folder) => folder !== "")
    .map((folder) => join(folder, process.platform === "win32" ? "gemini.exe" : "gemini"))
    .filter(isExecutable)
  const own = realOf(process.execPath)
  const [first] = found
  const others = [...new Set(found.filter((file) => realOf(file) !== own))]
  if (first === undefined) {
    return [
      warning("on PATH", "no gemini is on PATH", "Add the folder of this one, or link it into one that is there.")
    ]
  }
  if (others.length === 0) return [ok("on PATH", first)]
  return [
    warning(
      "on PATH",
      `there is another gemini: ${others.join(", ")}; a shell starts ${first}`,
      "Remove the one that is not wanted, or change the order of PATH."
    )
  ]
}

const FEW_FILES = 256

const openFiles = (): HealthFinding => {
  const soft = Number(/^Max open files\s+(\d+)/m.exec(textOf("/proc/self/limits"))?.[1])
  if (Number.isNaN(soft)) return ok("open files", "no limit is told on this system")
  return soft < FEW_FILES
    ? warning("open files", `at most ${soft}`, "Raise it (ulimit -n 1024): searches and servers open many.")
    : ok("open files", `at most ${soft}`)
}

const LITTLE_MEMORY = 256 * 1024 * 1024

const memory = (): HealthFinding => {
  const group = Number(textOf("/sys/fs/cgroup/memory.max") || textOf("/sys/fs/cgroup/memory/memory.limit_in_bytes"))
  const limit = group > 0 ? Math.min(group, totalmem()) : totalmem()
  return limit < LITTLE_MEMORY
    ? warning("memory", sizeText(limit), "Give it at least 256 MiB: large files and long conversations need them.")
    : ok("memory", sizeText(limit))
}

const processor = (): HealthFinding => {
  const flags = /^(?:flags|Features)\s*:(.*)$/m.exec(textOf("/proc/cpuinfo"))?.[1]
  const features =
    flags === undefined ? [] : ["avx2", "avx512f", "asimd"].filter((name) => ` ${flags} `.includes(` ${name} `))
  return ok("processor", [process.arch, ...features].join(", "))
}

const NO_SPACE = 10 * 1024 * 1024
const LITTLE_SPACE = 200 * 1024 * 1024

const diskAt = (name: string, folder: string | undefined): HealthFinding => {
  if (folder === undefined) return warning(name, "there is no such folder", "Set HOME or GEMINI_CLI_HOME.")
  try {
    const { bavail, bsize } = statfsSync(folder)
    const free = bavail * bsize
    if (free < NO_SPACE)
      return fault(name, `${sizeText(free)} free at ${folder}`, "Make room: sessions cannot be recorded.")
    return free < LITTLE_SPACE
      ? warning(name, `${sizeText(free)} free at ${folder}`, "Make room soon.")
      : ok(name, `${sizeText(free)} free at ${folder}`)
  } catch (error) {
    return fault(name, `${folder}: ${String(error)}`, "Make the folder, or name another one.")
  }
}

const temporary = ({ get }: Surroundings["environment"]): string => get("TMPDIR") || get("TEMP") || "/tmp"

const clock = (now: number): HealthFinding => {
  const built = Date.parse(buildFacts().date)
  const said = new Date(now).toISOString()
  return now < built
    ? fault("clock", `it says ${said}, before this program was built`, "Set it: certificates and sign-ins are refused.")
    : ok("clock", said)
}

const OTHERS = 0o077

const homeFindings = (home: string | undefined, userDir: string): ReadonlyArray<HealthFinding> => {
  if (home === undefined) {
    return [fault("home", "there is none", "Set HOME or GEMINI_CLI_HOME; --ephemeral works without.")]
  }
  const stat = statOrNone(userDir)
  if (stat === undefined) {
    return isWritable(home)
      ? [ok("home", `${userDir} will be made at the first run`)]
      : [
          fault(
            "home",
            `${home} cannot be written`,
            "Set GEMINI_CLI_HOME to a folder that can be; --ephemeral works without."
          )
        ]
  }
  if (!stat.isDirectory()) return [fault("home", `${userDir} is no folder`, "Move it away.")]
  if (!isWritable(userDir)) {
    return [fault("home", `${userDir} cannot be written`, "Check its owner and permissions, or set GEMINI_CLI_HOME.")]
  }
  const mode = (stat.mode & 0o777).toString(8)
  return (stat.mode & OTHERS) !== 0 && process.platform !== "win32"
    ? [warning("home", `${userDir} is open to others (${mode})`, "The next run closes it.")]
    : [ok("home", `${userDir} (${mode})`)]
}

const terminalFindings = (get: (name: string) => string | undefined): ReadonlyArray<HealthFinding> => {
  const streams = ["stdin", "stdout", "stderr"].filter((_, fd) => isTerminal(fd))
  const width = process.stdout.columns ?? process.stderr.columns
  const colours = get("NO_COLOR") ? "none (NO_COLOR)" : (get("COLORTERM") ?? "as TERM says")
  const term = get("TERM")
  const locale = get("LC_ALL") || get("LC_CTYPE") || get("LANG") || ""
  const isUnicode = /utf-?8/i.test(locale) || process.platform !== "linux"
  return [
    streams.length === 0
      ? ok("terminal", "none: output is plain")
      : ok("terminal", `${streams.join(", ")}; TERM=${term ?? ""}, ${width ?? "?"} columns, colours: ${colours}`),
    isUnicode
      ? ok("locale", locale || "the system's")
      : warning(
          "locale",
          locale === "" ? "none is set" : `${locale} is not UTF-8`,
          "Set LANG=C.UTF-8, so that all characters show."
        )
  ]
}

interface KnownProgram {
  readonly names: readonly [string, ...ReadonlyArray<string>]
  readonly arguments: ReadonlyArray<string>
  /** What is missing without it. */
  readonly without: string
  /** Nobody misses it. */
  readonly isOptional?: boolean
}

const PROGRAMS: ReadonlyArray<KnownProgram> = [
  { names: ["git"], arguments: ["--version"], without: "checkpoints, worktrees and the facts of a repository need it" },
  { names: ["rg"], arguments: ["--version"], without: "searches are slower in large folders" },
  ...(process.platform === "linux"
    ? [{ names: ["bwrap"], arguments: ["--version"], without: "the sandbox is weaker without it" } as const]
    : []),
  {
    names: ["podman", "docker"],
    arguments: ["--version"],
    without: "runs cannot be taken into containers",
    isOptional: true
  }
]

const programCheck = (
  { arguments: args, isOptional = false, names, without }: KnownProgram,
  environment: Surroundings["environment"]
): Check => ({
  group: "Programs",
  name: names[0],
  look: Effect.gen(function* () {
    const found = names.flatMap((name) => machineProgram(name, environment.get("PATH") ?? "", environment.cwd) ?? [])
    const [program] = found
    const [name] = names
    if (program === undefined) {
      const detail = `not installed: ${without}`
      return [isOptional ? ok(names.join(" or "), detail) : warning(name, detail, `Install ${name}, if that matters.`)]
    }
    const end = yield* runProgram({
      argv: [program, ...args],
      cwd: "/",
      env: childVariables({ inherits: environment.variables }),
      timeout: "3 seconds",
      maxOutputBytes: 16 * 1024,
      onTooMuch: "drop",
      reach: "group",
      leftovers: "end",
      grace: 0
    }).pipe(Effect.either)
    if (end._tag === "Left" || end.right.exitCode !== 0) {
      return [
        warning(
          name,
          `${program} does not start: ${end._tag === "Left" ? end.left.detail : end.right.stderr}`,
          "Repair or remove it."
        )
      ]
    }
    return [ok(name, `${end.right.stdout.split("\n")[0] ?? ""} (${program})`)]
  })
})

const editorFinding = (get: (name: string) => string | undefined, cwd: string): HealthFinding => {
  const named = get("VISUAL") || get("EDITOR") || ""
  const [program = ""] = named.trim().split(/\s+/)
  if (program === "") return ok("editor", "VISUAL and EDITOR are not set; the usual ones are tried")
  return machineProgram(program, get("PATH") ?? "", cwd) === null
    ? warning("editor", `${program} is not there`, "Correct VISUAL or EDITOR.")
    : ok("editor", named)
}

const isExecutable = (file: string): boolean => {
  try {
    accessSync(file, constants.X_OK)
    return statSync(file).isFile()
  } catch {
    return false
  }
}

const isWritable = (folder: string): boolean => {
  try {
    accessSync(folder, constants.W_OK | constants.X_OK)
    return true
  } catch {
    return false
  }
}

const realOf = (file: string): string => {
  try {
    return realpathSync(file)
  } catch {
    return file
  }
}

const textOf = (file: string): string => {
  try {
    return readFileSync(file, "utf8").trim()
  } catch {
    return ""
  }
}

const sizeText = (bytes: number): string =>
  bytes >= 1024 ** 3 ? `${(bytes / 1024 ** 3).toFixed(1)} GiB` : `${(bytes / 1024 ** 2).toFixed(0)} MiB`
