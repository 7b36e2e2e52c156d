/**
 * What was entered in this project, in `logs.json`: the list that the reference keeps as well, so both see each other's
 * entries. An entry is appended by writing over the end of the list; nothing before it is read or written again, and a
 * lock keeps two programs from doing so at once. A file that is no such list is put aside, never overwritten.
 */
import { closeSync, fstatSync, mkdirSync, openSync, readFileSync, readSync, renameSync, writeSync } from "node:fs"
import { dirname } from "node:path"
import { Clock, DateTime, Effect, Either, Schema } from "effect"
import { cachedOnce } from "../../kernel/cached-once.ts"
import { withLock } from "../../system/lock.ts"

const LogEntry = Schema.Struct({
  sessionId: Schema.String,
  messageId: Schema.Number,
  type: Schema.Literal("user"),
  message: Schema.String,
  timestamp: Schema.String
})
type LogEntry = typeof LogEntry.Type

const LogList = Schema.parseJson(Schema.Array(Schema.Unknown))

export interface PromptHistoryOptions {
  /** `logs.json` in the project's own folder; it fails where there is none. */
  readonly file: Effect.Effect<string, unknown>
  readonly sessionId: string
  /** Takes credentials out of a text; asked for at the first input. */
  readonly clean: Effect.Effect<(text: string) => string>
}

export const makePromptHistory = Effect.fnUntraced(function* (options: PromptHistoryOptions) {
  const { file, sessionId } = options
  const mine: Array<string> = []
  const before = yield* cachedOnce(
    Effect.flatMap(file, (path) => Effect.try(() => readLog(path))).pipe(
      // No file yet.
      Effect.orElseSucceed((): Log => ({ entries: [], isBroken: false }))
    )
  )
  let messageId: number | undefined

  const append = Effect.fnUntraced(function* (message: string) {
    const path = yield* file
    const { entries, isBroken } = yield* before
    const own = entries.filter((entry) => entry.sessionId === sessionId)
    const isFirst = messageId === undefined
    messageId = messageId === undefined ? Math.max(-1, ...own.map((entry) => entry.messageId)) + 1 : messageId + 1
    const now = yield* Clock.currentTimeMillis
    const timestamp = DateTime.formatIso(DateTime.unsafeMake(now))
    const clean = yield* options.clean
    const entry: LogEntry = { sessionId, messageId, type: "user", message: clean(message), timestamp }
    yield* Effect.try(() => mkdirSync(dirname(path), { recursive: true, mode: 0o700 }))
    yield* withLock(
      path,
      Effect.try(() => {
        if (isBroken && isFirst) putAside(path, now)
        appendEntry(path, entry, now)
      })
    )
  })

  const history: InputHistory = {
    entries: Effect.map(before, ({ entries }) => withoutRepeats([...entries.map(({ message }) => message), ...mine])),
    add: (text) =>
      Effect.suspend(() => {
        if (text.trim() === "") return Effect.void
        mine.push(text)
        return Effect.ignoreLogged(append(text))
      })
  }
  return history
})

const withoutRepeats = (texts: ReadonlyArray<string>): ReadonlyArray<string> =>
  texts.filter((text, index) => text !== "" && text !== texts[index - 1])

const isEntry = Schema.is(LogEntry)

interface Log {
  readonly entries: ReadonlyArray<LogEntry>
  readonly isBroken: boolean
}

/** Entries of another form are somebody else's and left alone. */
const readLog = (path: string): Log => {
  const list = Schema.decodeEither(LogList)(readFileSync(path, "utf8"))
  return Either.isRight(list)
    ? { entries: list.right.filter(isEntry), isBroken: false }
    : { entries: [], isBroken: true }
}

const putAside = (path: string, now: number): void => renameSync(path, `${path}.malformed.${now}.bak`)

const appendEntry = (path: string, entry: LogEntry, now: number): void => {
  const body = JSON.stringify(entry, null, 2).replace(/^/gm, "  ")
  const end = endOfList(path)
  if (end === "broken") putAside(path, now)
  if (end === "broken" || end === "missing") {
    const created = openSync(path, "wx", 0o600)
    writeText(created, `[\n${body}\n]`, 0)
    return
  }
  const existing = openSync(path, "r+")
  writeText(existing, `${end.isEmpty ? "" : ","}\n${body}\n]`, end.at)
}

const writeText = (descriptor: number, text: string, at: number): void => {
  try {
    const bytes = Buffer.from(text)
    let written = 0
    while (written < bytes.length)
      written += writeSync(descriptor, bytes, written, bytes.length - written, at + written)
  } finally {
    closeSync(descriptor)
  }
}

/** Enough to see how the list ends. */
const TAIL_BYTES = 64

/** Where the last entry ends, in bytes from the start. */
const endOfList = (path: string): { readonly at: number; readonly isEmpty: boolean } | "missing" | "broken" => {
  let descriptor: number
  try {
    descriptor = openSync(path, "r")
  } catch {
    return "missing"
  }
  try {
    const { size } = fstatSync(descriptor)
    const start = Math.max(0, size - TAIL_BYTES)
    const tail = Buffer.alloc(size - start)
    readSync(descriptor, tail, 0, tail.length, start)
    const match = /([[}])\s*\]\s*$/.exec(tail.toString("latin1"))
    if (match === null) return "broken"
    return { at: start + match.index + 1, isEmpty: match[1] === "[" }
  } finally {
    closeSync(descriptor)
  }
}

/** What was entered before, across sessions of this project. */
export interface InputHistory {
  /** Oldest first, consecutive duplicates removed. Read from the file at the first use. */
  readonly entries: Effect.Effect<ReadonlyArray<string>>
  /** Appends to the file; a failure to write is no failure of the input. Empty text is not kept. */
  readonly add: (text: string) => Effect.Effect<void>
}
