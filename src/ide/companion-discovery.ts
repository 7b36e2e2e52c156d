/**
 * Where is the companion of the editor that this program runs in? Told by a file that the companion wrote and by the
 * environment of the terminal. Which file is the right one is a pure choice; whether somebody listens there is found out
 * by trying.
 */
import { existsSync, lstatSync, readdirSync, readFileSync } from "node:fs"
import { delimiter, join, relative } from "node:path"
import { Either, Option, Schema } from "effect"
import { realPathOf } from "../config/settings-files.ts"
import { type Ancestor, ancestorsOf } from "../system/process-table.ts"

export type CompanionWay =
  | { readonly kind: "http"; readonly url: string }
  | { readonly kind: "stdio"; readonly command: string; readonly args: ReadonlyArray<string> }

export interface FoundCompanion {
  readonly _tag: "Found"
  /** As people call the editor. */
  readonly name: string
  readonly token: string | undefined
  /** Tried in this order. */
  readonly ways: ReadonlyArray<CompanionWay>
}

export interface MissingCompanion {
  readonly _tag: "Missing"
  /** For people: what is the matter, and what to do. */
  readonly reason: string
}

export interface DiscoveryPlace {
  /** Of the process itself: a file of the project names no companion. */
  readonly env: Readonly<Record<string, string | undefined>>
  /** A real path. */
  readonly cwd: string
}

export const discoverCompanion = (place: DiscoveryPlace): FoundCompanion | MissingCompanion => {
  const { env } = place
  const file = fileFor(place)
  const ways = waysOf(file, env)
  const workspacePath = file?.workspacePath ?? env.GEMINI_CLI_IDE_WORKSPACE_PATH
  const refusal = ways.length === 0 || workspacePath === undefined ? NOT_FOUND : workspaceRefusal(workspacePath, place)
  if (refusal !== undefined) return { _tag: "Missing", reason: refusal }
  return {
    _tag: "Found",
    name: file?.ideInfo?.displayName ?? file?.ideInfo?.name ?? editorName(env),
    token: file?.authToken ?? env.GEMINI_CLI_IDE_AUTH_TOKEN,
    ways
  }
}

const NOT_FOUND =
  "no companion of an editor was found. Is its extension installed and running? /ide install installs the one of VS Code; then open a new terminal in the editor"

const workspaceRefusal = (workspacePath: string, { cwd }: DiscoveryPlace): string | undefined => {
  if (workspacePath.trim() === "") return "no folder is open in the editor. Open one, then open a new terminal in it"
  return contains(workspacePath, cwd)
    ? undefined
    : `the editor has other folders open than ${cwd}. Start gemini in one of these: ${foldersOf(workspacePath).join(", ")}`
}

const foldersOf = (workspacePath: string): ReadonlyArray<string> =>
  workspacePath.split(delimiter).filter((folder) => folder.trim() !== "")

const contains = (workspacePath: string | undefined, cwd: string): boolean =>
  foldersOf(workspacePath ?? "").some((folder) => {
    const inside = relative(realPathOf(folder), cwd)
    return inside === "" || !(inside.startsWith("..") || inside.startsWith("/") || /^[A-Za-z]:/.test(inside))
  })

const fileFor = ({ cwd, env }: DiscoveryPlace): CompanionFile | undefined => {
  const tmp = env.TMPDIR || env.TMP || env.TEMP || "/tmp"
  const folder = join(tmp, "gemini", "ide")
  const pid = editorPid(env)
  const older = pid === undefined ? undefined : readCompanionFile(olderFile(folder, pid))
  if (older !== undefined) return older
  const files = companionFiles(folder)
    .map((listed) => ({ ...listed, isOurs: listed.pid === pid, isAlive: isRunning(listed.pid) }))
    .sort(
      (one, other) =>
        Number(other.isOurs) - Number(one.isOurs) || Number(other.isAlive) - Number(one.isAlive) || other.pid - one.pid
    )
    .flatMap(({ file }) => readCompanionFile(file) ?? [])
  const fitting = files.filter(({ workspacePath }) => contains(workspacePath, cwd))
  const port = decodePort(env.GEMINI_CLI_IDE_SERVER_PORT)
  return fitting.find((one) => port !== undefined && one.port === port) ?? fitting[0] ?? files[0]
}

const isRunning = (pid: number): boolean => {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    // Somebody else's is alive as well.
    return error instanceof Error && "code" in error && error.code === "EPERM"
  }
}

const editorPid = (env: DiscoveryPlace["env"]): number | undefined => {
  const named = Number(env.GEMINI_CLI_IDE_PID)
  return Number.isInteger(named) && named > 0 ? named : editorAmong(ancestorsOf(process.pid, MOST_ANCESTORS))
}

const MOST_ANCESTORS = 32
const SHELLS: ReadonlySet<string> = new Set(["zsh", "bash", "sh", "tcsh", "csh", "ksh", "fish", "dash"])

/** The nearest first. The shell's parent is a helper of the editor; the editor itself stands one above it. */
export const editorAmong = (ancestors: ReadonlyArray<Ancestor>): number | undefined => {
  const shell = ancestors.find(({ name }) => SHELLS.has(name))
  if (shell === undefined) return ancestors.at(-1)?.pid
  const above = ancestors.find(({ pid }) => pid === shell.parent)?.parent ?? 0
  return above > 1 ? above : shell.parent
}

const StdioArguments = Schema.parseJson(Schema.Array(Schema.String))

const waysOf = (file: CompanionFile | undefined, env: DiscoveryPlace["env"]): ReadonlyArray<CompanionWay> => {
  const command = env.GEMINI_CLI_IDE_SERVER_STDIO_COMMAND
  const args = Option.getOrElse(
    Schema.decodeUnknownOption(StdioArguments)(env.GEMINI_CLI_IDE_SERVER_STDIO_ARGS),
    (): ReadonlyArray<string> => []
  )
  return [
    ...httpWays(file?.port, env),
    ...(file?.stdio === undefined ? [] : [stdioWay(file.stdio.command, file.stdio.args ?? [])]),
    ...httpWays(decodePort(env.GEMINI_CLI_IDE_SERVER_PORT), env),
    ...(command === undefined || command === "" ? [] : [stdioWay(command, args)])
  ]
}

const stdioWay = (command: string, args: ReadonlyArray<string>): CompanionWay => ({ kind: "stdio", command, args })

const httpWays = (port: number | undefined, env: DiscoveryPlace["env"]): ReadonlyArray<CompanionWay> =>
  port === undefined ? [] : hostsFor(env).map((host) => ({ kind: "http", url: `http://${host}:${port}/mcp` }))

const REMOTE_VARIABLES = ["SSH_CONNECTION", "VSCODE_REMOTE_CONTAINERS_SESSION", "REMOTE_CONTAINERS"]

/** In a container the editor may run on the machine around it, unless the editor itself reaches into the container. */
const hostsFor = (env: DiscoveryPlace["env"]): ReadonlyArray<string> => {
  const isContainer = ["/.dockerenv", "/run/.containerenv"].some((mark) => existsSync(mark))
  const isReached = REMOTE_VARIABLES.some((name) => (env[name] ?? "") !== "")
  return isContainer && !isReached ? ["127.0.0.1", "host.docker.internal"] : ["127.0.0.1"]
}

const editorName = (env: DiscoveryPlace["env"]): string => {
  if (env.ZED_SESSION_ID !== undefined || env.TERM_PROGRAM === "Zed") return "Zed"
  if (env.XCODE_VERSION_ACTUAL !== undefined) return "Xcode"
  if (env.TERM_PROGRAM === "sublime") return "Sublime Text"
  if (/jetbrains/i.test(env.TERMINAL_EMULATOR ?? "")) return "JetBrains IDE"
  return env.TERM_PROGRAM === "vscode" ? "VS Code" : "the editor"
}

const Port = Schema.Union(Schema.Number, Schema.NumberFromString).pipe(Schema.int(), Schema.between(1, 65_535))

/** A field that cannot be used does not make the others useless. */
const lenient = <A, I>(schema: Schema.Schema<A, I>) =>
  Schema.transform(Schema.Unknown, Schema.UndefinedOr(Schema.typeSchema(schema)), {
    strict: true,
    decode: (given) => Option.getOrUndefined(Schema.decodeUnknownOption(schema)(given)),
    encode: (value) => value
  })

const CompanionFile = Schema.Struct({
  port: Schema.optional(lenient(Port)),
  workspacePath: Schema.optional(lenient(Schema.String)),
  authToken: Schema.optional(lenient(Schema.String)),
  ideInfo: Schema.optional(
    lenient(Schema.Struct({ name: Schema.optional(Schema.String), displayName: Schema.optional(Schema.String) }))
  ),
  stdio: Schema.optional(
    lenient(Schema.Struct({ command: Schema.String, args: Schema.optional(Schema.Array(Schema.String)) }))
  )
})

type CompanionFile = typeof CompanionFile.Type

/**
 * Files in which companions of editors say where they listen. They lie where everybody may write, so only a plain file
 * counts that this user owns and nobody else can change.
 */
const decodePort = (text: string | undefined): number | undefined =>
  text === undefined ? undefined : Option.getOrUndefined(Schema.decodeUnknownOption(Port)(text))

const decodeFile = Schema.decodeUnknownEither(Schema.parseJson(CompanionFile))

/** A file of this size is none of a companion. */
const MAX_BYTES = 1024 * 1024

const OTHERS_WRITE = 0o022

const readCompanionFile = (file: string): CompanionFile | undefined =>
  Either.getOrUndefined(
    Either.try(() => {
      const entry = lstatSync(file)
      const isOurs = process.getuid === undefined || entry.uid === process.getuid()
      const isClosed = process.platform === "win32" || (entry.mode & OTHERS_WRITE) === 0
      if (!entry.isFile() || entry.size > MAX_BYTES || !isOurs || !isClosed) return undefined
      return Either.getOrUndefined(decodeFile(readFileSync(file, "utf8")))
    })
  )

interface ListedFile {
  readonly file: string
  readonly pid: number
}

const FILE_NAME = /^gemini-ide-server-(\d{1,10})-\d{1,5}\.json$/

/** Names alone: nothing is read. */
const companionFiles = (folder: string): ReadonlyArray<ListedFile> =>
  Either.getOrElse(
    Either.try(() => readdirSync(folder)),
    (): ReadonlyArray<string> => []
  ).flatMap((name) => {
    const pid = FILE_NAME.exec(name)?.[1]
    return pid === undefined ? [] : [{ file: join(folder, name), pid: Number(pid) }]
  })

/** The name that older companions use. */
const olderFile = (folder: string, pid: number): string => join(folder, `gemini-ide-server-${pid}.json`)
