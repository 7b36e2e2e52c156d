/**
 * A recorded session as it stands after all its records: the second of two passes. Nothing in a file makes reading fail
 * but that it is no session at all; what could not be read is reported.
 */
import { closeSync, constants, fstatSync, openSync } from "node:fs"
import { Effect, Either, Option, Predicate, Schema } from "effect"
import { readRange } from "./line-scan.ts"
import { type ByteRange, indexSession, MAX_LINE_BYTES, metadataOf, type Problem, parseJson } from "./session-index.ts"
import { MessageRecord, SessionMetadata } from "./session-record.ts"

export interface RecordedSession<A = MessageRecord> {
  readonly file: string
  readonly metadata: SessionMetadata
  readonly messages: ReadonlyArray<A>
  readonly problems: ReadonlyArray<Problem>
  /** In bytes. */
  readonly size: number
}

export class SessionUnreadable extends Schema.TaggedError<SessionUnreadable>()("SessionUnreadable", {
  file: Schema.String,
  /** Completes "the file ...". */
  reason: Schema.String
}) {
  override get message() {
    return `${this.file} ${this.reason}`
  }
}

/** `keep` is asked right after a message was parsed: what it leaves out need not stay in memory. */
export const readSession = <A extends { readonly id: string }>(
  file: string,
  keep: (message: MessageRecord) => A
): Effect.Effect<RecordedSession<A>, SessionUnreadable> =>
  Effect.flatMap(
    Effect.try({
      try: () => withFile(file, (fd) => replay(fd, file, keep)),
      catch: (cause) => unreadable(file, cause)
    }),
    Either.match({ onLeft: Effect.fail, onRight: Effect.succeed })
  )

/** With everything that was recorded. */
export const readWholeSession = (file: string): Effect.Effect<RecordedSession, SessionUnreadable> =>
  readSession(file, (message) => message)

/** Opened without waiting, and only if it is a file: a name may lead to a pipe or a device. */
export const withFile = <A>(file: string, use: (fd: number) => A): A => {
  const fd = openSync(file, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0))
  try {
    if (!fstatSync(fd).isFile()) throw new SessionUnreadable({ file, reason: "is not a regular file" })
    return use(fd)
  } finally {
    closeSync(fd)
  }
}

export const unreadable = (file: string, cause: unknown): SessionUnreadable => {
  if (cause instanceof SessionUnreadable) return cause
  const code = Predicate.hasProperty(cause, "code") ? String(cause.code) : String(cause)
  return new SessionUnreadable({
    file,
    reason: code === "ENOENT" ? "does not exist" : `cannot be read (${code})`
  })
}

const replay = <A extends { readonly id: string }>(
  fd: number,
  file: string,
  keep: (message: MessageRecord) => A
): Either.Either<RecordedSession<A>, SessionUnreadable> => {
  const { size } = fstatSync(fd)
  const index = indexSession(fd)
  const metadata: Record<string, unknown> = { ...index.metadata }
  const problems = [...index.problems]
  let messages: Array<A> = []
  let places = new Map<string, number>()
  const set = (all: Array<A>) => {
    messages = all
    places = new Map(all.map(({ id }, at) => [id, at]))
  }
  const put = (message: A) => {
    const at = places.get(message.id)
    if (at !== undefined) messages[at] = message
    else places.set(message.id, messages.push(message) - 1)
  }
  for (const step of index.steps) {
    if (step._tag === "Snapshot") {
      const snapshot = snapshotAt(fd, step.at)
      if (snapshot === undefined) problems.push({ line: step.at.line, kind: "bad-json" })
      else {
        Object.assign(metadata, { ...snapshot.metadata, ...index.metadata })
        set(snapshot.messages.map(keep))
      }
    } else if (step._tag === "Rewind") {
      set(messages.slice(0, places.get(step.id) ?? 0))
    } else {
      const { faults, message } = newestReadable(fd, step.versions)
      problems.push(...faults)
      if (message !== undefined) put(keep(message))
    }
  }
  return Option.match(decodeMetadata(metadata), {
    onNone: () => legacySession(fd, { file, size }, keep),
    onSome: (complete) =>
      Either.right({ file, size, metadata: complete, messages, problems: problems.toSorted((a, b) => a.line - b.line) })
  })
}

const decodeMetadata = Schema.decodeUnknownOption(SessionMetadata)
const decodeMessage = Schema.decodeUnknownOption(MessageRecord, { onExcessProperty: "preserve" })

const newestReadable = (fd: number, versions: ReadonlyArray<ByteRange>) => {
  const faults: Array<Problem> = []
  for (const at of versions.toReversed()) {
    const parsed = parseJson(readRange(fd, at))
    const message = Option.flatMap(parsed, decodeMessage)
    if (Option.isSome(message)) return { faults, message: message.value }
    faults.push({ line: at.line, kind: Option.isNone(parsed) ? "bad-json" : "unknown-record" })
  }
  return { faults, message: undefined }
}

/** `$set` with a list of messages, or metadata that brings its messages along. */
const snapshotAt = (fd: number, at: ByteRange) => {
  const record = Option.filter(parseJson(readRange(fd, at)), Predicate.isReadonlyRecord)
  if (Option.isNone(record)) return undefined
  const { $set } = record.value
  const body = Predicate.isReadonlyRecord($set) ? $set : record.value
  return { metadata: metadataOf(body), messages: messagesOf(body.messages) }
}

const messagesOf = (list: unknown): ReadonlyArray<MessageRecord> =>
  Array.isArray(list) ? list.flatMap((item) => Option.toArray(decodeMessage(item))) : []

/** Older versions wrote one indented object. */
const legacySession = <A>(
  fd: number,
  { file, size }: { readonly file: string; readonly size: number },
  keep: (message: MessageRecord) => A
): Either.Either<RecordedSession<A>, SessionUnreadable> => {
  const text = size > MAX_LINE_BYTES ? Option.none() : parseJson(readRange(fd, { start: 0, end: size }))
  const record = Option.filter(text, Predicate.isReadonlyRecord)
  const metadata = Option.flatMap(record, decodeMetadata)
  return Option.isSome(record) && Option.isSome(metadata)
    ? Either.right({
        file,
        size,
        metadata: metadata.value,
        messages: messagesOf(record.value.messages).map(keep),
        problems: []
      })
    : Either.left(new SessionUnreadable({ file, reason: "is not a session" }))
}
