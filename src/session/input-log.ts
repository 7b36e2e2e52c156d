/**
 * What a person typed, across the sessions of a project: `logs.json`, shared with the reference. Written under a lock,
 * since several conversations may run in one folder; a file that is no list is set aside, never overwritten. Only
 * the newest inputs are kept, so that typing does not get slower with the years.
 */
import { renameSync } from "node:fs"
import { join } from "node:path"
import { Clock, DateTime, Effect, Option, Schema } from "effect"
import { withLock } from "../config/lock.ts"
import { writeFileAtomic } from "../kernel/atomic-write.ts"
import { redactionOf, type Secret } from "../kernel/redact-secrets.ts"
import { readRegularFile } from "../kernel/regular-file.ts"

const LoggedInput = Schema.Struct({
  sessionId: Schema.String,
  /** Counts from 0 in each session. */
  messageId: Schema.Number,
  type: Schema.Literal("user"),
  message: Schema.String,
  timestamp: Schema.String
})
type LoggedInput = typeof LoggedInput.Type

const MAX_BYTES = 16 * 1024 * 1024
const MAX_ENTRIES = 2000

const fileIn = (tempDir: string): string => join(tempDir, "logs.json")

/** Oldest first, consecutive duplicates removed. */
export const inputHistory = (tempDir: string): ReadonlyArray<string> => {
  const log = readLog(fileIn(tempDir))
  const inputs = typeof log === "string" ? [] : log.map(({ message }) => message)
  return inputs.filter((input, index) => input !== inputs[index - 1])
}

export interface LogInput {
  readonly tempDir: string
  readonly sessionId: string
  readonly message: string
  readonly secrets: ReadonlyArray<Secret>
}

/** A failure to write is no failure of the input. Empty text is not kept. */
export const logInput = Effect.fn("InputLog.add")(function* ({ message, secrets, sessionId, tempDir }: LogInput) {
  if (message.trim() === "") return
  const file = fileIn(tempDir)
  const timestamp = DateTime.formatIso(yield* DateTime.now)
  const add = Effect.gen(function* () {
    const before = readLog(file)
    if (typeof before === "string") yield* setAside(file, before)
    const log = typeof before === "string" ? [] : before
    const last = log.findLast((entry) => entry.sessionId === sessionId)
    const entry: LoggedInput = {
      sessionId,
      messageId: last === undefined ? 0 : last.messageId + 1,
      type: "user",
      message,
      timestamp
    }
    const content = JSON.stringify([...log, entry].slice(-MAX_ENTRIES), null, 2)
    yield* writeFileAtomic({ file, content: redactionOf(secrets)(content), mode: 0o600 })
  })
  yield* Effect.ignoreLogged(withLock(file, add))
})

/** The entries; or why the file is none. Single entries that are of another form are passed over. */
const readLog = (file: string): ReadonlyArray<LoggedInput> | "invalid_format" | "malformed_json" => {
  const content = readRegularFile(file, MAX_BYTES)
  if (content.kind === "missing") return []
  if (content.kind === "refused") return "invalid_format"
  return Option.match(parse(content.text), {
    onNone: () => "malformed_json" as const,
    onSome: (list) =>
      Array.isArray(list) ? list.flatMap((item) => Option.toArray(decodeEntry(item))) : ("invalid_format" as const)
  })
}

const parse = Option.liftThrowable((text: string): unknown => JSON.parse(text))
const decodeEntry = Schema.decodeUnknownOption(LoggedInput)

const setAside = Effect.fnUntraced(function* (file: string, reason: string) {
  const now = yield* Clock.currentTimeMillis
  yield* Effect.ignore(Effect.try(() => renameSync(file, `${file}.${reason}.${now}.bak`)))
})
