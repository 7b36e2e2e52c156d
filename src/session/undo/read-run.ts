/** Runs as they were recorded. A line that cannot be read, such as the last one of a killed run, is passed over. */
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs"
import { join } from "node:path"
import { Option, Schema } from "effect"
import { isRunning } from "../../kernel/process-identity.ts"
import { type Change, CONTENTS_FILE, JOURNAL_FILE, type PathBefore, RunRecord } from "./run-journal.ts"

export interface RecordedRun {
  readonly id: string
  readonly folder: string
  readonly session: string
  readonly title: string
  /** Milliseconds since 1970. */
  readonly at: number
  readonly roots: ReadonlyArray<string>
  readonly pid: number
  /** The process that records it is still there. */
  readonly isGoingOn: boolean
  readonly calls: ReadonlyArray<RecordedCall>
  readonly uncovered: ReadonlyArray<Extract<RunRecord, { readonly _tag: "uncovered" }>>
  /** Runs that this one takes back; none for a run of the model. */
  readonly undoes: ReadonlyArray<string>
  /** Of an undo: it came to its end and left nothing alone. */
  readonly isComplete: boolean
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

export interface RecordedChange extends Change {
  /** Found after a kill: others may have had a part in it. */
  readonly isUncertain: boolean
}

const decode = Schema.decodeUnknownOption(Schema.parseJson(RunRecord))

/** Oldest first. Folders that are not runs are passed over. */
export const readRuns = (runsFolder: string): ReadonlyArray<RecordedRun> => {
  if (!existsSync(runsFolder)) return []
  return readdirSync(runsFolder)
    .flatMap((name) => readRun(join(runsFolder, name)) ?? [])
    .sort((one, other) => one.at - other.at)
}

export const readRun = (folder: string): RecordedRun | undefined => {
  const records = recordsOf(join(folder, JOURNAL_FILE))
  const head = records.find((record) => record._tag === "run")
  if (head === undefined) return undefined
  const isGoingOn = isRunning({ pid: head.pid, started: head.started })
  return {
    id: head.id,
    folder,
    session: head.session,
    title: head.title,
    at: head.at,
    roots: head.roots,
    pid: head.pid,
    isGoingOn,
    calls: callsOf(records),
    uncovered: records.filter((record) => record._tag === "uncovered"),
    undoes: head.undoes ?? [],
    isComplete: records.some((record) => record._tag === "finished" && record.isComplete)
  }
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

const recordsOf = (file: string): ReadonlyArray<RunRecord> => {
  try {
    return readFileSync(file, "utf8")
      .split("\n")
      .flatMap((line) => (line === "" ? [] : Option.toArray(decode(line))))
  } catch {
    return []
  }
}

/** Bytes on disk. */
export const sizeOfRun = (folder: string): number =>
  [JOURNAL_FILE, CONTENTS_FILE].reduce(
    (sum, name) => sum + (statSync(join(folder, name), { throwIfNoEntry: false })?.size ?? 0),
    0
  )
