/** Runs the person's commands with the shell of the tools, in a folder that `cd` moves, and tells the conversation. */
import { mkdtempSync, readFileSync, rmSync, statSync } from "node:fs"
import { tmpdir } from "node:os"
import { delimiter, join } from "node:path"
import { Context, Effect, Layer, Option, Queue, Ref } from "effect"
import { Chat } from "../../chat/chat.ts"
import { Environment, type EnvironmentView } from "../../config/environment.ts"
import type { Content } from "../../protocol/content.ts"
import { BackgroundProcesses } from "../../shell/background.ts"
import { PersonTerminal } from "../../shell/person-terminal.ts"
import { Shell } from "../../shell/shell.ts"
import type { ShellCommand, ShellResult } from "../../shell/shell-command.ts"
import { namesIn } from "../../system/folder-names.ts"
import { LazyServices } from "../../tools/lazy-services.ts"
import type { CommandCandidate, CommandCompletion } from "../command.ts"
import { failed } from "../command-error.ts"
import { headAndTail, ShellLine } from "../shell-line.ts"

// What the conversation is told of a command that the person ran.

const MAX_OUTPUT = 10_000

interface ShellEnd {
  readonly output: string
  /** `undefined`: it did not end by itself. */
  readonly exitCode: number | undefined
  readonly signal: number | undefined
  readonly isCancelled: boolean
  /** The person left it running, with this number. */
  readonly leftRunning?: number | undefined
}

export const shellTurn = (command: string, end: ShellEnd): Content => ({
  role: "user",
  parts: [
    {
      text: [
        "I ran this shell command:",
        ...fenced("sh", command),
        "",
        "Its result:",
        ...fenced("", [...endLines(end), headAndTail(end.output, MAX_OUTPUT) || "(no output)"].join("\n"))
      ].join("\n")
    }
  ]
})

const fenced = (language: string, text: string): ReadonlyArray<string> => [
  `\`\`\`${language}`,
  text.replace(/[\\`]/g, "\\$&"),
  "```"
]

const endLines = ({ exitCode, isCancelled, leftRunning, signal }: ShellEnd): ReadonlyArray<string> => {
  if (leftRunning !== undefined) return [`The command goes on in the background (PID ${leftRunning}).`]
  if (isCancelled) return ["The command was cancelled."]
  if (signal !== undefined) return [`The command was ended by signal ${signal}.`]
  return exitCode === 0 || exitCode === undefined ? [] : [`The command ended with exit code ${exitCode}.`]
}

/** What a shell would offer at the cursor: programs for the first word, well-known sub-commands, files and folders. */
interface ShellPlace {
  readonly folder: string
  readonly environment: Pick<EnvironmentView, "get" | "home">
}

const SUBCOMMANDS: Readonly<Record<string, string>> = {
  git: "add bisect blame branch checkout cherry-pick clean clone commit config diff fetch grep init log merge mv pull push rebase reflog remote reset restore revert rm show stash status submodule switch tag worktree",
  npm: "audit ci exec init install link ls outdated pack publish rebuild run start test uninstall update version view"
}
const MAX_CANDIDATES = 500

export const completeShell = (command: string, cursor: number, place: ShellPlace): CommandCompletion => {
  const before = command.slice(0, cursor)
  const word = /(?:\\.|[^\s;&|()<>])*$/.exec(before)?.[0] ?? ""
  const from = before.length - word.length
  const earlier = wordsBefore(before.slice(0, from))
  const isPath = /[/~.]/.test(word)
  const names = isPath ? [] : earlier.length === 0 ? programs(word, place) : subcommands(earlier, word)
  const candidates = names.length > 0 ? names : paths(word, place)
  return { from, candidates: candidates.slice(0, MAX_CANDIDATES) }
}

/** Words of the command at the cursor; what stands before a `|`, `;` or `&` is another one. */
const wordsBefore = (text: string): ReadonlyArray<string> =>
  (text.split(/[;&|(]/).at(-1) ?? "").split(/\s+/).filter((word) => word !== "" && !/^\w+=/.test(word))

const subcommands = (earlier: ReadonlyArray<string>, word: string): ReadonlyArray<CommandCandidate> => {
  const [program = ""] = earlier
  if (earlier.length !== 1 || !Object.hasOwn(SUBCOMMANDS, program)) return []
  return named((SUBCOMMANDS[program] ?? "").split(" "), word)
}

const programs = (word: string, { environment }: ShellPlace): ReadonlyArray<CommandCandidate> => {
  if (word === "") return []
  const folders = (environment.get("PATH") ?? "").split(delimiter).filter((folder) => folder !== "")
  return named([...new Set(folders.flatMap((folder) => namesIn(folder)))].toSorted(), word)
}

const named = (names: ReadonlyArray<string>, word: string): ReadonlyArray<CommandCandidate> =>
  names.filter((name) => name.startsWith(word)).map((value) => ({ value }))

const paths = (word: string, { environment, folder }: ShellPlace): ReadonlyArray<CommandCandidate> => {
  const typed = word.replace(/\\(.)/g, "$1")
  const split = typed.lastIndexOf("/") + 1
  const [parent, beginning] = [typed.slice(0, split), typed.slice(split)]
  const place = parent.startsWith("~/") ? join(environment.home ?? "/", parent.slice(2)) : parent
  const full = place.startsWith("/") ? place : join(folder, place)
  return namesIn(full)
    .filter((name) => name.startsWith(beginning) && (beginning.startsWith(".") || !name.startsWith(".")))
    .toSorted()
    .map((name) => ({
      value: `${parent}${name}`.replace(/[^\w./~+:@%,=-]/g, "\\$&") + (isFolder(join(full, name)) ? "/" : "")
    }))
}

const isFolder = (path: string): boolean => {
  try {
    return statSync(path).isDirectory()
  } catch {
    return false
  }
}

export const layer = Layer.effect(
  ShellLine,
  Effect.gen(function* () {
    const environment = yield* Environment
    const chat = yield* Chat
    const { services } = yield* LazyServices
    const cwd = yield* Ref.make(environment.cwd)
    const tell = (command: string, end: ShellEnd) =>
      Effect.flatMap(chat.history, (contents) => chat.replaceHistory([...contents, shellTurn(command, end)]))

    const run = Effect.fnUntraced(function* (
      line: string,
      folder: string,
      onOutput: (text: string) => Effect.Effect<void>
    ) {
      const context = yield* services
      const shell = Context.get(context, Shell)
      const background = Context.get(context, BackgroundProcesses)
      const person = Context.get(context, PersonTerminal)
      const size = Option.getOrUndefined(yield* person.size)
      const place = mkdtempSync(join(tmpdir(), "gemini-cwd-"))
      const placeFile = join(place, "cwd")
      const request = {
        command: placed(line, placeFile, environment.platform),
        cwd: yield* Ref.get(cwd),
        isOwn: true,
        ...(size === undefined ? {} : { terminal: size })
      }
      const attend = (command: ShellCommand): Effect.Effect<LineEnd> =>
        Effect.gen(function* () {
          if (command.terminal !== undefined) {
            const ended = yield* Effect.raceFirst(command.wait, person.attach(command))
            if (ended === undefined) {
              const { pid } = yield* background.adopt({ ...command, command: line })
              const output = yield* command.liveText
              return { ...NO_RESULT, pid, output, leftRunning: pid }
            }
            if (ended.backgroundPids.length > 0) yield* background.adoptJobs({ result: ended, command })
            return ended
          }
          const output = yield* liveOutput(command, onOutput)
          const result = yield* Effect.raceFirst(command.wait, output.follow)
          yield* output.flush
          if (result.backgroundPids.length > 0) yield* background.adoptJobs({ result, command })
          return result
        })
      return yield* Effect.acquireUseRelease(shell.start(request), attend, (command, exit) =>
        exit._tag === "Success"
          ? Effect.void
          : Effect.gen(function* () {
              yield* command.end
              yield* tell(line, { ...NOTHING, output: yield* command.liveText, isCancelled: true })
            })
      ).pipe(
        Effect.map((result) => ({ result, folder: folderIn(placeFile) ?? folder })),
        Effect.ensuring(Effect.sync(() => rmSync(place, { recursive: true, force: true })))
      )
    })

    return ShellLine.of({
      cwd: Ref.get(cwd),
      complete: (command, cursor) =>
        Effect.map(Ref.get(cwd), (folder) => completeShell(command, cursor, { folder, environment })),
      run: Effect.fn("ShellLine.run")(function* (command, onOutput) {
        const line = command.trim()
        const before = yield* Ref.get(cwd)
        const { folder, result } = yield* run(line, before, onOutput).pipe(Effect.mapError(failed))
        yield* Ref.set(cwd, folder)
        yield* tell(line, endOf(result))
        return {
          exitCode: result.leftRunning !== undefined ? 0 : (result.exitCode ?? undefined),
          notes: [
            ...(result.leftRunning !== undefined
              ? [`It goes on in the background as ${result.pid}; /tasks shows it.`]
              : []),
            ...(folder === before ? [] : [`The next ! commands run in ${folder}.`]),
            ...(result.backgroundPids.length === 0 ? [] : [`Still running: ${result.backgroundPids.join(", ")}.`])
          ]
        }
      })
    })
  })
)

const NOTHING: ShellEnd = { output: "", exitCode: undefined, signal: undefined, isCancelled: false }

/** Of a command that was left running. */
const NO_RESULT: ShellResult = {
  pid: 0,
  output: "",
  outputBytes: 0,
  spillFile: undefined,
  exitCode: null,
  signal: null,
  backgroundPids: [],
  isOutputHeld: true,
  timedOut: undefined
}

interface LineEnd extends ShellResult {
  readonly leftRunning?: number
}

const endOf = ({ exitCode, leftRunning, output, signal }: LineEnd): ShellEnd => ({
  ...NOTHING,
  leftRunning,
  output,
  exitCode: exitCode ?? undefined,
  signal: signal ?? undefined
})

/** The command, and behind it what leaves the folder that it ended in. A command that exits by itself leaves none. */
const placed = (line: string, file: string, platform: NodeJS.Platform): string => {
  if (platform === "win32") return line
  // A backslash at the very end would join the next line.
  const command = line.replace(/(?<!\\)((?:\\\\)*)\\$/, "$1")
  return `${command}\n{ __gemini_status=$?; pwd -P >'${file}'; (exit $__gemini_status); } 2>/dev/null`
}

const folderIn = (file: string): string | undefined => {
  try {
    return readFileSync(file, "utf8").replace(/\n$/, "") || undefined
  } catch {
    return undefined
  }
}

/** Bytes that wait for the reader. */
const MAX_WAITING = 1024 * 1024

/** Hands on what a command prints as it comes. A reader that is slower than the command misses some, and is told so. */
const liveOutput = Effect.fnUntraced(function* (
  command: ShellCommand,
  onOutput: (text: string) => Effect.Effect<void>
) {
  const news = yield* Queue.sliding<void>(1)
  const decoder = new TextDecoder()
  let waiting: Array<Uint8Array> = []
  let size = 0
  let missed = 0
  yield* command.tee((bytes) => {
    if (bytes.length === 0) return
    if (size + bytes.length > MAX_WAITING) missed += bytes.length
    else {
      waiting.push(Uint8Array.from(bytes))
      size += bytes.length
    }
    news.unsafeOffer(undefined)
  })
  const flush = Effect.suspend(() => {
    const text = waiting.map((bytes) => decoder.decode(bytes, { stream: true })).join("")
    const note = missed === 0 ? "" : `\n[${missed} bytes not shown]\n`
    waiting = []
    size = 0
    missed = 0
    return text === "" && note === "" ? Effect.void : onOutput(text + note)
  })
  const follow = Effect.forever(Effect.zipRight(Queue.take(news), flush))
  return { follow, flush }
})
