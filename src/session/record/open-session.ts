/**
 * Goes on with a recorded conversation, or begins a new one from another: everything that is needed to record further
 * and to tell the model what was said. A session that exists is only ever appended to; nothing is deleted or rewritten.
 */
import { basename } from "node:path"
import { Effect, Option, Schema } from "effect"
import type { Content } from "../../protocol/content.ts"
import { chooseSession, isLatest, type Latest, latestOf, type SessionNotFound } from "../browse/session-choice.ts"
import { listSessions, type SessionEntry, sessionsOfId } from "../browse/session-list.ts"
import { contentsIn } from "./foreign-conversation.ts"
import { partsOf } from "./message-content.ts"
import { forHistory, modelHistory, type UnansweredQuestion, unansweredAtEnd } from "./model-history.ts"
import { type UseEvent, useOf } from "./recorded-use.ts"
import { problemsText } from "./session-index.ts"
import { ownerOf } from "./session-owner.ts"
import { readSession, readWholeSession, type SessionUnreadable } from "./session-reader.ts"
import type { MessageRecord } from "./session-record.ts"
import type { SessionStart } from "./session-recorder.ts"

export interface OpenedSession {
  readonly start: SessionStart
  /** What was said, without the description of the surroundings. */
  readonly history: ReadonlyArray<Content>
  /** What was asked last, where it got no answer. */
  readonly unanswered: ReadonlyArray<UnansweredQuestion>
  /** What the session took so far. */
  readonly used: ReadonlyArray<UseEvent>
  /** What could not be read, in one line each. */
  readonly warnings: ReadonlyArray<string>
}

export class SessionBusy extends Schema.TaggedError<SessionBusy>()("SessionBusy", {
  sessionId: Schema.String,
  pid: Schema.Number
}) {
  override get message() {
    return `session ${this.sessionId} is in use by process ${this.pid}, another gemini`
  }
}

export class SessionExists extends Schema.TaggedError<SessionExists>()("SessionExists", {
  sessionId: Schema.String,
  file: Schema.String
}) {
  override get message() {
    return `a session with the id ${this.sessionId} exists already: ${this.file}`
  }
}

export interface ResumeOptions {
  readonly tempDir: string | undefined
  /** `latest`, a number of the list, an id or the beginning of one. */
  readonly wanted: string
  /** Which may be the latest: at a terminal that of a conversation comes before what scripts asked once. */
  readonly latest?: Latest
  /** Go on in a copy under this id, and leave the session as it is. */
  readonly forkAs?: string | undefined
}

/** `None`: the latest was wanted, and there is none yet. */
export const resumeSession = Effect.fn("Session.resume")(function* (
  options: ResumeOptions
): Effect.fn.Return<Option.Option<OpenedSession>, SessionNotFound | SessionUnreadable | SessionBusy> {
  const { forkAs, latest, tempDir, wanted } = options
  if (isLatest(wanted)) {
    const found = tempDir === undefined ? undefined : latestOf(yield* listSessions(tempDir), latest)
    if (found === undefined) return Option.none()
  }
  const entry = yield* chooseSession(tempDir, wanted, latest)
  return Option.some(forkAs === undefined ? yield* continueSession(entry) : yield* forkSession(entry.file, forkAs))
})

const continueSession = Effect.fnUntraced(function* (entry: SessionEntry) {
  const pid = ownerOf(entry.file)
  if (pid !== undefined) return yield* new SessionBusy({ sessionId: entry.id, pid })
  // A message may stand in the file more than once: its last form counts.
  const used = new Map<string, ReadonlyArray<UseEvent>>()
  const { messages, metadata, problems } = yield* readSession(entry.file, (message) => {
    const use = useOf(message)
    if (use.length > 0) used.set(message.id, use)
    return forHistory(message)
  })
  const { directories = [], lastUpdated, oneShot, sessionId, startTime } = metadata
  // A file of the old form cannot be appended to: the session goes on in a file beside it, and the old one stays.
  const moved = entry.file.endsWith(".json")
    ? { file: `${entry.file}l`, messages: (yield* readWholeSession(entry.file)).messages }
    : { file: entry.file }
  return {
    start: { sessionId, kind: "main", directories, startTime, lastUpdated, oneShot, ...moved },
    history: modelHistory(messages),
    unanswered: unansweredAtEnd(messages),
    used: [...used.values()].flat(),
    warnings: problemsText(entry.file, problems)
  } satisfies OpenedSession
})

/** A new session that begins with all messages of another. */
export const forkSession = Effect.fn("Session.fork")(function* (file: string, sessionId: string) {
  const { messages, metadata, problems } = yield* readWholeSession(file)
  return {
    start: { sessionId, kind: "main", messages, directories: metadata.directories ?? [] },
    history: modelHistory(messages),
    unanswered: unansweredAtEnd(messages),
    used: [],
    warnings: problemsText(file, problems)
  } satisfies OpenedSession
})

export interface ImportOptions {
  readonly file: string
  readonly sessionId: string
  readonly importedAt: string
}

/** From a file of this project or another, of this program or the reference; a shared conversation will do as well. */
export const importSession = Effect.fn("Session.import")(function* ({ file, importedAt, sessionId }: ImportOptions) {
  const { messages, warnings } = yield* Effect.catchAll(recordedIn(file), (error) =>
    Effect.mapError(contentsIn(file, importedAt), () => error)
  )
  const spoken = messages.filter(({ content, type }) => isSpoken(type) && partsOf(content).length > 0)
  const note: MessageRecord = {
    id: crypto.randomUUID(),
    timestamp: importedAt,
    type: "info",
    content: `Imported from ${basename(file)}`
  }
  return {
    start: { sessionId, kind: "main", messages: [note, ...spoken], isImported: true },
    history: modelHistory(spoken),
    unanswered: [],
    used: [],
    warnings
  } satisfies OpenedSession
})

const recordedIn = (file: string) =>
  Effect.map(readWholeSession(file), ({ messages, problems }) => ({
    messages,
    warnings: problemsText(file, problems)
  }))

const isSpoken = (type: MessageRecord["type"]): boolean => type === "user" || type === "gemini"

/** Refuses an id that a session of this project has. */
export const newSession = Effect.fnUntraced(function* (tempDir: string | undefined, sessionId: string) {
  const [known] = tempDir === undefined ? [] : yield* sessionsOfId(tempDir, sessionId)
  if (known !== undefined) return yield* new SessionExists({ sessionId, file: known.file })
  return {
    start: { sessionId, kind: "main" },
    history: [],
    unanswered: [],
    used: [],
    warnings: []
  } satisfies OpenedSession
})
