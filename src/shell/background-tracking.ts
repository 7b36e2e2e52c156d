/**
 * The bookkeeping of background processes: an entry in the history, a log, and a fiber that waits for the end of each.
 * State is in the `Store` that the layer makes.
 */
import { mkdirSync, renameSync, rmSync } from "node:fs"
import { join } from "node:path"
import { Clock, Data, Duration, Effect, Option, Random, Ref, type Scope } from "effect"
import type { Secret } from "../kernel/redact-secrets.ts"
import { isAlive, rowOf } from "../system/process-table.ts"
import { BackgroundLog, cleanLog, type LogTail, logFileOf, readLogTail } from "./background-log.ts"
import type { ShellRun } from "./shell.ts"
import type { ShellCommand } from "./shell-command.ts"
import { lastUnits } from "./tail-buffer.ts"

export interface BackgroundProcess {
  readonly pid: number
  readonly command: string
  readonly status: "running" | "exited"
  readonly exitCode: number | null
  readonly signal: number | null
  /** Milliseconds of the epoch. */
  readonly startTime: number
  readonly endTime: number | null
  readonly logFile: string
}

export class BackgroundError extends Data.TaggedError("BackgroundError")<{
  readonly kind: "unknown-pid" | "no-log" | "link" | "unreadable"
  readonly pid: number
  readonly detail: string
}> {
  override get message() {
    return this.detail
  }
}

export type BackgroundStart =
  | { readonly _tag: "Running"; readonly entry: BackgroundProcess; readonly initialOutput: string }
  /** It ended before the delay was over. */
  | { readonly _tag: "Finished"; readonly run: ShellRun }

export interface BackgroundOptions {
  /** `~/.gemini/tmp/background-processes`. */
  readonly logFolder: string
  /** Credentials, which no log may hold. */
  readonly secrets?: ReadonlyArray<Secret>
  /** Processes outlive the session. */
  readonly keep: boolean
  /** What the model is told when one ends. */
  readonly completion: "silent" | "notify" | "inject"
}

const REMEMBERED = 100
const INJECTED_CHARS = 5000
const JOB_POLL = Duration.seconds(1)

export interface TrackedProcess {
  readonly process: BackgroundProcess
  /** The command that it belongs to, while it runs; several entries may share one. Holds megabytes of output. */
  readonly command: ShellCommand | undefined
}

export interface Store {
  readonly options: BackgroundOptions
  readonly scope: Scope.Scope
  readonly history: Ref.Ref<ReadonlyArray<TrackedProcess>>
  readonly notices: Ref.Ref<ReadonlyArray<string>>
}

type Ended = Pick<BackgroundProcess, "exitCode" | "signal">

interface Tracked {
  readonly pid: number
  readonly command: ShellCommand
  /** The file that the process writes by itself; absent: we write its log. */
  readonly outputFile: string | undefined
  readonly untilEnded: Effect.Effect<Ended>
}

export const settleOrTrack = Effect.fnUntraced(function* (
  store: Store,
  command: ShellCommand,
  delay: Duration.Duration,
  outputFile: string | undefined
) {
  const early = yield* Effect.timeoutOption(command.wait, delay)
  if (Option.isSome(early)) {
    if (outputFile !== undefined) rmSync(outputFile, { force: true })
    return { _tag: "Finished", run: { result: early.value, command } } satisfies BackgroundStart as BackgroundStart
  }
  const initialOutput = yield* command.liveText
  const entry = yield* track(store, { pid: command.pid, command, outputFile, untilEnded: command.wait })
  return { _tag: "Running", entry, initialOutput } satisfies BackgroundStart as BackgroundStart
})

export const track = Effect.fnUntraced(function* (store: Store, tracked: Tracked) {
  const { command, pid } = tracked
  const process: BackgroundProcess = {
    pid,
    command: command.command,
    status: "running",
    exitCode: null,
    signal: null,
    startTime: yield* Clock.currentTimeMillis,
    endTime: null,
    logFile: logFileOf(store.options.logFolder, pid)
  }
  const log = openLog(store.options, process.logFile, tracked.outputFile)
  if (log !== undefined) yield* command.tee(log.write)
  yield* Ref.update(store.history, (entries) => [...entries, { process, command }].slice(-REMEMBERED))
  yield* tracked.untilEnded.pipe(
    Effect.flatMap((ended) => finish(store, process, ended, log)),
    Effect.forkIn(store.scope)
  )
  return process
})

const finish = Effect.fnUntraced(function* (
  store: Store,
  process: BackgroundProcess,
  { exitCode, signal }: Ended,
  log: BackgroundLog | undefined
) {
  if (log === undefined) cleanLog(process.logFile, store.options.secrets ?? [])
  else log.close()
  const ended = { ...process, status: "exited" as const, exitCode, signal, endTime: yield* Clock.currentTimeMillis }
  yield* Ref.update(store.history, (entries) =>
    entries.map((entry) => (entry.process === process ? { process: ended, command: undefined } : entry))
  )
  if (store.options.completion === "silent") return
  const text = yield* notice(ended, store.options.completion)
  yield* Ref.update(store.notices, (all) => [...all, text])
})

const notice = Effect.fnUntraced(function* (process: BackgroundProcess, completion: BackgroundOptions["completion"]) {
  const how = process.signal === null ? `exit code ${process.exitCode ?? "unknown"}` : `signal ${process.signal}`
  const line = `[Background process ${process.pid} (${process.command}) ended with ${how}. Log: ${process.logFile}]`
  if (completion === "notify") return line
  const tail = yield* Effect.option(tailOf(process, Number.MAX_SAFE_INTEGER))
  const text = Option.match(tail, { onNone: () => "", onSome: ({ lines }) => lines.join("\n") })
  return `${line}\n<output>\n${lastUnits(text, INJECTED_CHARS)}\n</output>`
})

/** A job is not our child: that it is gone is all that can be learned of its end. */
export const untilGone = Effect.fnUntraced(function* (pid: number) {
  const row = rowOf(pid)
  while (row !== undefined && isAlive(row)) yield* Effect.sleep(JOB_POLL)
  return { exitCode: null, signal: null }
})

export const endRunning = Effect.fnUntraced(function* (store: Store) {
  if (store.options.keep) return []
  const running = (yield* Ref.get(store.history)).filter((entry) => entry.process.status === "running")
  const commands = new Set(running.flatMap((entry) => (entry.command === undefined ? [] : [entry.command])))
  yield* Effect.forEach(commands, (command) => command.end, { concurrency: "unbounded", discard: true })
  const ended = running.map((entry) => entry.process)
  yield* Ref.update(store.history, (entries) =>
    entries.map((entry) =>
      ended.includes(entry.process)
        ? { process: { ...entry.process, status: "exited" as const }, command: undefined }
        : entry
    )
  )
  return ended
})

export const newOutputFile = Effect.fnUntraced(function* (folder: string) {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const id = yield* Random.nextIntBetween(0, Number.MAX_SAFE_INTEGER)
  return join(folder, `starting-${id.toString(36)}.log`)
})

/** `undefined`: the process writes the file by itself, or no log can be made, which reading it then says. */
const openLog = (
  { logFolder, secrets = [] }: BackgroundOptions,
  file: string,
  outputFile: string | undefined
): BackgroundLog | undefined => {
  try {
    if (outputFile === undefined) return new BackgroundLog(file, { folder: logFolder, secrets })
    rmSync(file, { force: true })
    renameSync(outputFile, file)
  } catch {
    return undefined
  }
  return undefined
}
export const readOutput = Effect.fnUntraced(function* (store: Store, pid: number, lines: number) {
  const entries = yield* Ref.get(store.history)
  const entry = entries.findLast((candidate) => candidate.process.pid === pid)
  if (entry === undefined) {
    return yield* new BackgroundError({
      kind: "unknown-pid",
      pid,
      detail: `Access denied: ${pid} is not a background process of this session.`
    })
  }
  return yield* tailOf(entry.process, lines)
})

const tailOf = ({ logFile, pid }: BackgroundProcess, lines: number): Effect.Effect<LogTail, BackgroundError> =>
  Effect.try({
    try: () => readLogTail(logFile, lines),
    catch: (cause) => {
      const code = cause instanceof Error && "code" in cause ? cause.code : undefined
      if (code === "ENOENT") {
        return new BackgroundError({ kind: "no-log", pid, detail: `There is no log of ${pid} at ${logFile}.` })
      }
      if (code === "ELOOP") {
        return new BackgroundError({ kind: "link", pid, detail: `Access denied: ${logFile} is a symbolic link.` })
      }
      return new BackgroundError({
        kind: "unreadable",
        pid,
        detail: `The log ${logFile} cannot be read: ${String(cause)}`
      })
    }
  })
