/**
 * Records the conversation while it runs: a reader of what happens in a run, free of who shows it to whom. The code that
 * writes is loaded while the model works on the first answer, so that recording delays no request.
 */

import { Context, Effect, Layer, Ref, Scope } from "effect"
import { lazy } from "../../kernel/lazy.ts"
import type { ProtocolEvent } from "../../protocol/event.ts"
import type { HistoryChange, PromptEnd } from "../../protocol/run-readers.ts"
import type { RecordingOptions, SessionRecording, TimedEntry } from "./recording.ts"
import type { MessageRecord, SessionKind, SessionRecord } from "./session-record.ts"

/** The session that is recorded from now on. */
export interface SessionStart {
  readonly sessionId: string
  readonly kind: SessionKind
  /** New records are appended to it. Absent: a file is made and named when there is something to record. */
  readonly file?: string | undefined
  /** Of a sub-agent: the session that it works for. */
  readonly parentId?: string | undefined
  /** What a file begins with that did not exist: the session goes on from elsewhere. */
  readonly messages?: ReadonlyArray<MessageRecord>
  /** It was imported, which its name shows. */
  readonly isImported?: boolean
  /** Folders that were added to the workspace. */
  readonly directories?: ReadonlyArray<string>
  /** What the record is to say from now on; absent: as it is. */
  readonly oneShot?: boolean | undefined
  /** Of a session that exists, ISO 8601. */
  readonly startTime?: string | undefined
  readonly lastUpdated?: string | undefined
}

export class SessionRecorder extends Context.Tag("agent/session/SessionRecorder")<
  SessionRecorder,
  {
    /** Everything that readers of the run are told. */
    readonly onEvent: (event: ProtocolEvent) => Effect.Effect<void>
    /** Returns when the change is in the file: no later request is sent before. */
    readonly onHistory: (change: HistoryChange) => Effect.Effect<void>
    /** The work on a prompt has ended. Returns when everything is on disk. */
    readonly onEnd: (end: PromptEnd) => Effect.Effect<void>
    /** Records that no event stands for: rewinding, a title. */
    readonly append: (...records: ReadonlyArray<SessionRecord>) => Effect.Effect<void>
    /** A folder was added to the workspace; it is there again when the session goes on. */
    readonly addDirectory: (folder: string) => Effect.Effect<void>
    /** From here on another session is recorded (`/clear`, `/resume`). */
    readonly begin: (start: SessionStart) => Effect.Effect<void>
    readonly session: Effect.Effect<SessionStart>
    /** Absent until something was written, and where nothing can be. */
    readonly file: Effect.Effect<string | undefined>
  }
>() {}

export const none: SessionRecorder["Type"] = {
  onEvent: () => Effect.void,
  onHistory: () => Effect.void,
  onEnd: () => Effect.void,
  append: () => Effect.void,
  addDirectory: () => Effect.void,
  begin: () => Effect.void,
  session: Effect.succeed({ sessionId: "none", kind: "main" } as const),
  file: Effect.sync(() => undefined)
}

export const layerNone = Layer.succeed(SessionRecorder, none)

/** What waits for the writer. */
export type TurnEntry =
  | { readonly _tag: "Event"; readonly event: ProtocolEvent }
  | { readonly _tag: "History"; readonly change: HistoryChange }
  | { readonly _tag: "End"; readonly end: PromptEnd }
  | { readonly _tag: "Records"; readonly records: ReadonlyArray<SessionRecord> }

/** The request goes out in this time; then the model has the word, and the recorder the time. */
const AFTER_REQUEST = "5 millis"

export const make = (start: SessionStart, options: RecordingOptions) =>
  Effect.gen(function* () {
    const scope = yield* Effect.scope
    const waiting: Array<TimedEntry> = []
    const session = yield* Ref.make(start)
    const opened = yield* Ref.make<SessionRecording | undefined>(undefined)
    const clock = yield* Effect.clock
    const turn = yield* Effect.makeSemaphore(1)

    const put = (entry: TurnEntry) => void waiting.push({ ...entry, at: clock.unsafeCurrentTimeMillis() })
    const recording = Effect.gen(function* () {
      const known = yield* Ref.get(opened)
      if (known !== undefined) return known
      const { makeRecording } = yield* lazy(() => import("./recording.ts"))
      const made = yield* Scope.extend(makeRecording(yield* Ref.get(session), options), scope)
      yield* Ref.set(opened, made)
      return made
    })
    /** One at a time, and to the end: half of what waited must not be lost to an interruption. */
    const drain = Effect.uninterruptible(
      turn.withPermits(1)(
        Effect.suspend(() =>
          waiting.length === 0
            ? Effect.void
            : Effect.flatMap(recording, (target) => target.write(waiting.splice(0, waiting.length)))
        )
      )
    )
    const close = Effect.flatMap(Ref.getAndSet(opened, undefined), (target) => target?.close ?? Effect.void)
    yield* Effect.addFinalizer(() => Effect.zipRight(drain, close))

    const append = Effect.fnUntraced(function* (...records: ReadonlyArray<SessionRecord>) {
      put({ _tag: "Records", records })
      yield* drain
    })

    return SessionRecorder.of({
      onEvent: (event) => Effect.sync(() => (isKept(event) ? put({ _tag: "Event", event }) : undefined)),
      onHistory: Effect.fnUntraced(function* (change) {
        put({ _tag: "History", change })
        const isFirst = (yield* Ref.get(opened)) === undefined
        const isQuestion = change._tag === "Added" && change.content.role === "user"
        yield* isFirst && isQuestion ? Effect.forkIn(Effect.delay(drain, AFTER_REQUEST), scope) : drain
      }),
      onEnd: Effect.fnUntraced(function* (end) {
        put({ _tag: "End", end })
        yield* drain
      }),
      append,
      addDirectory: Effect.fnUntraced(function* (folder) {
        const { directories = [], file, ...rest } = yield* Ref.get(session)
        if (directories.includes(folder)) return
        const all = [...directories, folder]
        yield* Ref.set(session, { ...rest, file, directories: all })
        // A file that will be made begins with it, and none is made for that alone.
        if (file !== undefined || (yield* Ref.get(opened)) !== undefined) yield* append({ $set: { directories: all } })
      }),
      begin: (next) => drain.pipe(Effect.zipRight(close), Effect.zipRight(Ref.set(session, next))),
      session: Ref.get(session),
      // One that goes on has its file before anything is added to it.
      file: Effect.zipWith(Ref.get(opened), Ref.get(session), (target, { file }) => target?.file() ?? file)
    })
  })

/**
 * Pieces of text come by the thousand; they are recorded as the whole that they make. What a sub-agent does stands in a
 * session of its own.
 */
const isKept = ({ _tag }: ProtocolEvent): boolean => _tag !== "Text" && _tag !== "ToolProgress" && _tag !== "Subagent"
