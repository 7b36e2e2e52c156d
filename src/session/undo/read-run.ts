/**
 * Runs as they were recorded, also those whose process was killed. A line that cannot be read, such as the last one of
 * a killed run, is passed over.
 */
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { Option, Schema } from "effect"
import { isRunning } from "../../system/process-identity.ts"
import { statOrNone } from "../../system/regular-file.ts"
import type { TreeChange } from "./refresh-tree.ts"
import { CONTENTS_FILE, type FileChange, JOURNAL_FILE, openRun, type PathBefore, RunRecord } from "./run-journal.ts"
import type { Snapshots } from "./snapshots.ts"
import type { UndoStore } from "./undo-store.ts"

/** What can be told of a run without reading what it changed. */
export interface RunHead {
  readonly id: string
  readonly folder: string
  readonly session: string
  readonly title: string
  /** Milliseconds since 1970. */
  readonly at: number
  readonly roots: ReadonlyArray<string>
  readonly pid: number
  /** Another process is still at work on it. A run of this one is over when somebody asks. */
  readonly isGoingOn: boolean
  /** Runs that this one takes back; none for a run of the model. */
  readonly undoes: ReadonlyArray<string>
  /** Of an undo: it came to its end and left nothing alone. */
  readonly isComplete: boolean
  /** A call began and did not end. */
  readonly hasOpenCall: boolean
}

export interface RecordedRun extends RunHead {
  readonly calls: ReadonlyArray<RecordedCall>
  readonly uncovered: ReadonlyArray<Extract<RunRecord, { readonly _tag: "uncovered" }>>
}

export interface RecordedCall {
  readonly call: number
  readonly tool: string
  readonly what: string
  readonly changes: ReadonlyArray<RecordedChange>
  /** The process was killed before the call ended. Files that it named are then in `paths`. */
  readonly isOpen: boolean
  readonly paths: ReadonlyArray<PathBefore> | undefined
}

export interface RecordedChange extends FileChange {
  /** Found after a kill: others may have had a part in it. */
  readonly isUncertain: boolean
}

const decode = Schema.decodeUnknownOption(Schema.parseJson(RunRecord))

/** Oldest first. Folders that are not runs are passed over. */
export const readRunHeads = (runsFolder: string): ReadonlyArray<RunHead> => {
  if (!existsSync(runsFolder)) return []
  return readdirSync(runsFolder)
    .flatMap((name) => headOf(join(runsFolder, name), linesOf(join(runsFolder, name, JOURNAL_FILE))) ?? [])
    .sort((one, other) => one.at - other.at)
}

export const readRun = (head: RunHead): RecordedRun => {
  const records = linesOf(join(head.folder, JOURNAL_FILE)).flatMap((line) => Option.toArray(decode(line)))
  return {
    ...head,
    calls: callsOf(records),
    uncovered: records.filter((record) => record._tag === "uncovered")
  }
}

/** Lists of changes can be long, and most runs are only looked at in passing: those lines are not decoded. */
const headOf = (folder: string, lines: ReadonlyArray<string>): RunHead | undefined => {
  const short = lines
    .filter((line) => /^\{"_tag":"(run|finished|over)"/.test(line))
    .flatMap((line) => Option.toArray(decode(line)))
  const run = short.find((record) => record._tag === "run")
  if (run === undefined) return undefined
  const { at, id, pid, roots, session, started, title, undoes = [] } = run
  const isOver = short.some((record) => record._tag === "over")
  const isGoingOn = pid !== process.pid && !isOver && isRunning({ pid, started })
  const isComplete = short.some((record) => record._tag === "finished" && record.isComplete)
  return { id, folder, session, title, at, roots, pid, isGoingOn, undoes, isComplete, hasOpenCall: hasOpenCall(lines) }
}

const hasOpenCall = (lines: ReadonlyArray<string>): boolean => {
  const open = new Set<string>()
  for (const line of lines) {
    const [, tag, call = ""] = /^\{"_tag":"(begun|ended|uncovered)","call":(\d+)/.exec(line) ?? []
    if (tag === "begun") open.add(call)
    else open.delete(call)
  }
  return open.size > 0
}

const callsOf = (records: ReadonlyArray<RunRecord>): ReadonlyArray<RecordedCall> => {
  const calls = new Map<number, RecordedCall>()
  for (const record of records) {
    if (record._tag === "begun") {
      const { call, paths, tool, what } = record
      calls.set(call, { call, tool, what, changes: [], isOpen: true, paths })
    }
    if (record._tag === "uncovered") {
      const call = calls.get(record.call)
      if (call !== undefined) calls.set(record.call, { ...call, isOpen: false })
    }
    if (record._tag === "ended") {
      const {
        call,
        tool = "",
        what = "",
        ...rest
      } = calls.get(record.call) ?? { call: record.call, changes: [], paths: undefined }
      const changes = record.changes.map((change) => ({ ...change, isUncertain: record.isUncertain === true }))
      calls.set(call, { ...rest, call, tool, what, changes: [...rest.changes, ...changes], isOpen: false })
    }
  }
  return [...calls.values()]
}

const linesOf = (file: string): ReadonlyArray<string> => {
  try {
    return readFileSync(file, "utf8")
      .split("\n")
      .filter((line) => line !== "")
  } catch {
    return []
  }
}

/** Bytes on disk. */
export const sizeOfRun = (folder: string): number =>
  [JOURNAL_FILE, CONTENTS_FILE].reduce((sum, name) => sum + (statOrNone(join(folder, name))?.size ?? 0), 0)

/**
 * Runs whose process was killed while a call ran that may have changed anything. The last look through the workspace
 * was the one before that call: what the next look finds is what the call did, and maybe others since.
 */
export const killedRuns = ({ runs }: UndoStore): ReadonlyArray<RecordedRun> =>
  readRunHeads(runs)
    .filter(({ hasOpenCall, isGoingOn, pid }) => hasOpenCall && !isGoingOn && pid !== process.pid)
    .map(readRun)
    .filter((run) => openCallOf(run) !== undefined)

const openCallOf = ({ calls }: RecordedRun) => calls.find(({ isOpen, paths }) => isOpen && paths === undefined)

/** Throws where the journal cannot be written. */
export const settleKilledRun = (
  { key }: UndoStore,
  run: RecordedRun,
  found: ReadonlyArray<TreeChange>,
  snapshots: Snapshots,
  at: number
): void => {
  const open = openCallOf(run)
  if (open === undefined) return
  const journal = openRun(run.folder, run.id, key())
  try {
    const changes = found.map((change) => snapshots.keep(journal, change))
    journal.append({ _tag: "ended", call: open.call, at, changes, isUncertain: true })
  } finally {
    journal.close()
  }
}
