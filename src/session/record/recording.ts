/**
 * Writes the records of a session. A write for every change, one sync for every turn, made beside the work that follows.
 * What cannot be written ends the recording with one warning, never the run.
 */
import { join } from "node:path"
import { DateTime, Effect, Fiber, Ref } from "effect"
import { redactionOf, type Secret } from "../../kernel/redact-secrets.ts"
import type { Content } from "../../protocol/content.ts"
import type { HistoryChange } from "../../protocol/run-readers.ts"
import {
  appendLines,
  closeSessionFile,
  type FileMark,
  isEmpty,
  isIntact,
  markOf,
  moveAside,
  openSessionFile,
  type RecordingError,
  type SessionFile,
  syncFile,
  syncFolder
} from "./session-file.ts"
import { numberedFileName, sanitized, sessionFileName } from "./session-name.ts"
import { claim, release } from "./session-owner.ts"
import type { SessionMetadata, SessionRecord } from "./session-record.ts"
import type { SessionStart, TurnEntry } from "./session-recorder.ts"
import { RecordWriter } from "./transcript.ts"

export interface RecordingOptions {
  /** The project's folder for data. Its failure ends the recording. */
  readonly tempDir: Effect.Effect<string, { readonly message: string }>
  readonly projectHash: () => string
  /** Credentials, which no file may hold. Asked for when recording begins. */
  readonly secrets: Effect.Effect<ReadonlyArray<Secret>>
  /** A line for the person. */
  readonly warn: (line: string) => Effect.Effect<void>
  /** Beside the recording, once it has begun: work on the folder that is due now and then. */
  readonly onOpened?: (place: { readonly tempDir: string; readonly file: string }) => Effect.Effect<void>
}

export interface SessionRecording {
  readonly write: (entries: ReadonlyArray<TimedEntry>) => Effect.Effect<void>
  readonly close: Effect.Effect<void>
  readonly file: () => string | undefined
}

/** When it happened, in epoch milliseconds. */
export type TimedEntry = TurnEntry & { readonly at: number }

/** In epoch milliseconds. */
interface Span {
  readonly from: number
  readonly to: number
}

export const makeRecording = Effect.fnUntraced(function* (start: SessionStart, options: RecordingOptions) {
  const scope = yield* Effect.scope
  const redact = redactionOf(yield* options.secrets)
  const transcript = new RecordWriter()
  const sync = yield* Ref.make<Fiber.RuntimeFiber<void, RecordingError> | undefined>(undefined)
  let target: SessionFile | undefined
  let mark: FileMark | undefined
  /** The whole conversation, as far as it was told. */
  let all: ReadonlyArray<Content> = []
  let isOff = false
  let lastUpdated = start.lastUpdated ?? ""

  const open = Effect.fnUntraced(function* (at: number) {
    const tempDir = yield* options.tempDir
    const opened = yield* openFor(start, join(tempDir, "chats"), at)
    if (!claim(opened.path)) yield* options.warn(`another gemini writes to ${opened.path} as well`)
    yield* Effect.forkIn(syncFolder(opened), scope)
    if (options.onOpened !== undefined) {
      // Writing is not interrupted, and what is forked from it would inherit that: the end of a run would wait for it.
      yield* Effect.forkIn(Effect.interruptible(options.onOpened({ tempDir, file: opened.path })), scope)
    }
    return opened
  })

  const awaitSync = Effect.flatMap(Ref.getAndSet(sync, undefined), (fiber) =>
    fiber === undefined ? Effect.void : Fiber.join(fiber)
  )
  const close = Effect.gen(function* () {
    yield* Effect.ignore(awaitSync)
    if (target === undefined) return
    release(target.path)
    yield* closeSessionFile(target)
    target = undefined
  })

  /** The record is begun anew under the same name; what somebody made of it is kept beside it. */
  const beginAnew = Effect.fnUntraced(function* (lost: SessionFile, at: number) {
    yield* close
    const aside = moveAside(lost.path, at)
    const fresh = yield* openSessionFile(lost.path, { create: true })
    claim(fresh.path)
    yield* Effect.forkIn(syncFolder(fresh), scope)
    yield* options.warn(
      `somebody ${aside === undefined ? "removed" : "changed"} the record of this session, which is written anew: ` +
        `${lost.path}${aside === undefined ? "" : ` (what they left is ${aside})`}`
    )
    return fresh
  })

  const append = Effect.fnUntraced(function* (records: ReadonlyArray<SessionRecord>, time: Span) {
    const lost = target !== undefined && mark !== undefined && !isIntact(target, mark) ? target : undefined
    target = lost === undefined ? (target ?? (yield* open(time.from))) : yield* beginAnew(lost, time.to)
    const stamp = { timestamp: isoOf(time.to), newId: () => crypto.randomUUID() }
    const isKnown = lost !== undefined && all.length > 0
    const restored = isKnown ? transcript.onHistory({ _tag: "Shortened", contents: all }, stamp) : []
    // The clock may go back; the time of the last change does not.
    const now = isoOf(time.to)
    if (now > lastUpdated) lastUpdated = now
    const written = [
      ...(isEmpty(target) ? opening(start, options.projectHash(), isoOf(time.from)) : marked(start, mark)),
      ...restored,
      ...records,
      { $set: { lastUpdated } } satisfies SessionRecord
    ]
    yield* appendLines(
      target,
      written.map((record) => redact(JSON.stringify(record)))
    )
    mark = markOf(target)
  })

  /** At most one is under way: the next one waits for it, and covers all that was written meanwhile. */
  const startSync = Effect.gen(function* () {
    yield* awaitSync
    if (target !== undefined) yield* Ref.set(sync, yield* Effect.forkIn(syncFile(target), scope))
  })

  const recording: SessionRecording = {
    file: () => (isOff ? undefined : target?.path),
    write: Effect.fnUntraced(
      function* (entries) {
        if (isOff) return
        for (const entry of entries) if (entry._tag === "History") all = conversationIn(entry.change) ?? all
        const records = entries.flatMap((entry) => recordsOf(transcript, entry))
        const [first] = entries
        if (records.length > 0) yield* append(records, { from: first?.at ?? 0, to: entries.at(-1)?.at ?? 0 })
        if (entries.some(endsTurn)) yield* startSync
        if (entries.some(({ _tag }) => _tag === "End")) yield* awaitSync
      },
      Effect.catchAll(({ message }: { readonly message: string }) => {
        isOff = true
        return options.warn(`this session is not recorded from here on: ${message}`)
      })
    ),
    close
  }
  return recording
})

const conversationIn = (change: HistoryChange): ReadonlyArray<Content> | undefined =>
  change._tag === "Shortened" ? change.contents : change.all

const isoOf = (at: number): string => DateTime.formatIso(DateTime.unsafeMake(at))

const recordsOf = (transcript: RecordWriter, entry: TimedEntry): ReadonlyArray<SessionRecord> => {
  const stamp = { timestamp: isoOf(entry.at), newId: () => crypto.randomUUID() }
  switch (entry._tag) {
    case "Event":
      return transcript.onEvent(entry.event, stamp)
    case "History":
      return transcript.onHistory(entry.change, stamp)
    case "End":
      return transcript.onEnd(entry.end, stamp)
    case "Records":
      return entry.records
  }
}

/** The results of its calls, or the last word. */
const endsTurn = (entry: TimedEntry): boolean =>
  entry._tag === "End" ||
  (entry._tag === "History" &&
    (entry.change._tag === "Shortened" ||
      entry.change.content.parts.some(({ functionResponse }) => functionResponse !== undefined)))

/** Two sessions may begin in the same minute with the same first letters: the second one gets the longer name. */
const openFor = (start: SessionStart, chatsDir: string, at: number) => {
  if (start.file !== undefined) return openSessionFile(start.file, { create: false })
  const { parentId, sessionId } = start
  if (parentId !== undefined) {
    return openSessionFile(join(chatsDir, sanitized(parentId), `${sanitized(sessionId)}.jsonl`), { create: false })
  }
  const startedAt = DateTime.unsafeMake(at)
  const numbered = openSessionFile(join(chatsDir, numberedFileName(sessionId, startedAt)), { create: true })
  return start.isImported === true
    ? numbered
    : openSessionFile(join(chatsDir, sessionFileName(sessionId, startedAt)), { create: true }).pipe(
        Effect.catchIf(
          ({ code }) => code === "EEXIST",
          () => numbered
        )
      )
}

/** A file that exists is told once, with the first that is said in it. */
const marked = ({ oneShot }: SessionStart, mark: FileMark | undefined): ReadonlyArray<SessionRecord> =>
  mark === undefined && oneShot !== undefined ? [{ $set: { oneShot } }] : []

const opening = (start: SessionStart, projectHash: string, now: string): ReadonlyArray<SessionRecord> => {
  const { directories = [], kind, messages = [], oneShot, sessionId, startTime = now } = start
  const metadata: SessionMetadata = {
    sessionId,
    projectHash,
    startTime,
    lastUpdated: now,
    kind,
    ...(oneShot === true ? { oneShot } : {}),
    ...(directories.length === 0 ? {} : { directories })
  }
  return [metadata, ...messages]
}
