/**
 * What one run did to files: a folder with an append-only journal, and the contents that were there before. Everything
 * that undoing needs stands here, so that the cache of the workspace may be lost, and old runs go by removing folders.
 */
import { closeSync, constants, mkdirSync, openSync, writeSync } from "node:fs"
import { join } from "node:path"
import { Schema } from "effect"
import { type ContentLog, type ContentPlace, openContentLog } from "./content-log.ts"
import { FileState } from "./file-state.ts"
import type { UndoStore } from "./undo-store.ts"

const PlaceSchema = Schema.Struct({ block: Schema.Int, offset: Schema.Int, size: Schema.Int })

/** A path as it was before a call, with its content in the run's content log. */
const PathBefore = Schema.Struct({ path: Schema.String, before: FileState, place: Schema.optional(PlaceSchema) })
export type PathBefore = typeof PathBefore.Type

const ChangeRow = Schema.Struct({ ...PathBefore.fields, after: FileState })
export type FileChange = typeof ChangeRow.Type

const Time = Schema.Number

export const RunRecord = Schema.Union(
  Schema.TaggedStruct("run", {
    version: Schema.Literal(1),
    id: Schema.String,
    session: Schema.String,
    /** The prompt, shortened. */
    title: Schema.String,
    at: Time,
    /** Workspace folders. */
    roots: Schema.Array(Schema.String),
    pid: Schema.Int,
    started: Schema.optional(Schema.String),
    /** Runs that this one takes back. */
    undoes: Schema.optional(Schema.Array(Schema.String))
  }),
  /** Written before anything happens. Without the end that belongs to it, the process was killed meanwhile. */
  Schema.TaggedStruct("begun", {
    call: Schema.Int,
    tool: Schema.String,
    what: Schema.String,
    at: Time,
    /** Where the call names its files. Absent: it may change anything. */
    paths: Schema.optional(Schema.Array(PathBefore))
  }),
  Schema.TaggedStruct("ended", {
    call: Schema.Int,
    at: Time,
    changes: Schema.Array(ChangeRow),
    /** Found later, after a kill: others may have had a part in it. */
    isUncertain: Schema.optional(Schema.Boolean)
  }),
  /** What the call did is not known. */
  Schema.TaggedStruct("uncovered", { call: Schema.Int, tool: Schema.String, what: Schema.String, why: Schema.String }),
  /** The prompt is answered and nothing goes on, though the process may. */
  Schema.TaggedStruct("over", { at: Time }),
  /** An undo came to its end. `isComplete`: nothing was left alone. */
  Schema.TaggedStruct("finished", { isComplete: Schema.Boolean })
)
export type RunRecord = typeof RunRecord.Type

export const JOURNAL_FILE = "journal.jsonl"
export const CONTENTS_FILE = "contents"

export interface RunJournal {
  readonly id: string
  readonly append: (record: RunRecord) => void
  /** Keeps the content and says where; the same content is kept once. `undefined`: the run has too much to keep. */
  readonly keep: (hash: string, content: () => Uint8Array) => ContentPlace | undefined
  readonly contents: ContentLog
  readonly close: () => void
}

/** What one run may keep, packed. */
const MAX_CONTENT_BYTES = 1024 ** 3

const encode = Schema.encodeSync(Schema.parseJson(RunRecord))

export interface NewRun extends Omit<Extract<RunRecord, { readonly _tag: "run" }>, "_tag" | "id" | "version"> {}

/** Makes the folder of a new run. Throws where that is not possible. */
export const createRun = ({ key, runs }: UndoStore, facts: NewRun): RunJournal => {
  mkdirSync(runs, { recursive: true, mode: 0o700 })
  const id = claimId(runs, facts.session)
  const journal = openRun(join(runs, id), id, key())
  journal.append({ _tag: "run", version: 1, id, ...facts })
  return journal
}

/** Goes on with a run that was made before. */
export const openRun = (folder: string, id: string, key: Uint8Array): RunJournal => {
  const fd = openSync(join(folder, JOURNAL_FILE), constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT, 0o600)
  const contents = openContentLog(join(folder, CONTENTS_FILE), key)
  const kept = new Map<string, ContentPlace>()
  return {
    id,
    contents,
    append: (record) => {
      // What a record refers to is there before the record is.
      contents.flush()
      const line = Buffer.from(`${encode(record)}\n`)
      for (let done = 0; done < line.length; ) done += writeSync(fd, line, done)
    },
    keep: (hash, content) => {
      const known = kept.get(hash)
      if (known !== undefined || contents.size() > MAX_CONTENT_BYTES) return known
      const place = contents.add(content())
      kept.set(hash, place)
      return place
    },
    close: () => {
      closeSync(fd)
      contents.close()
    }
  }
}

/** `<8 hex digits of the session>-<number>`: short enough to type, and unlike any word of a prompt. */
const claimId = (runsFolder: string, session: string): string => {
  const prefix = /^[0-9a-f]{8}/.exec(session)?.[0] ?? Bun.hash(session).toString(16).padStart(8, "0").slice(0, 8)
  for (let number = 1; ; number++) {
    const id = `${prefix}-${number}`
    try {
      mkdirSync(join(runsFolder, id), { mode: 0o700 })
      return id
    } catch (cause) {
      if (!(cause instanceof Error && "code" in cause && cause.code === "EEXIST")) throw cause
    }
  }
}
