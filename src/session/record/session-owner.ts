/**
 * Who is writing a session at the moment: a note beside its file. Two programs that go on with the same conversation
 * would mix their answers, so the second one is told. The note of a process that is gone counts for nothing.
 */
import { linkSync, readFileSync, renameSync, unlinkSync, writeFileSync } from "node:fs"
import { Option, Predicate, Schema } from "effect"
import { isRunning, startOf } from "../../system/process-identity.ts"

const Note = Schema.parseJson(Schema.Struct({ pid: Schema.Int, started: Schema.optional(Schema.String) }))
type Note = typeof Note.Type

const noteOf = (file: string): string => `${file}.lock`

/** The pid of another process that is writing this session. */
export const ownerOf = (file: string): number | undefined => {
  const note = readNote(file)
  return note !== undefined && !isOurs(note) && isRunning(note) ? note.pid : undefined
}

/** True when the session is ours now, also where it was before. A place that cannot be written has no owners. */
export const claim = (file: string): boolean => {
  const own = `${noteOf(file)}.${process.pid}`
  try {
    writeFileSync(own, ownNote(), { mode: 0o600 })
    for (let attempt = 0; attempt < 3; attempt++) {
      if (isLinked(own, noteOf(file))) return true
      const present = readNote(file)
      if (present !== undefined && isOurs(present)) return true
      if (present !== undefined && isRunning(present)) return false
      moveAway(file)
    }
    return false
  } catch {
    return true
  } finally {
    removeQuietly(own)
  }
}

export const release = (file: string): void => {
  try {
    if (readFileSync(noteOf(file), "utf8") === ownNote()) unlinkSync(noteOf(file))
  } catch {
    // It was not there.
  }
}

/** Always the same text, so that it need not be parsed to be known again. */
const ownNote = (): string => JSON.stringify({ pid: process.pid, started: startOf(process.pid) } satisfies Note)

export const removeNote = (file: string): void => removeQuietly(noteOf(file))

/** A link is made whole or not at all, and only where nothing stands yet. */
const isLinked = (from: string, to: string): boolean => {
  try {
    linkSync(from, to)
    return true
  } catch (error) {
    if (Predicate.hasProperty(error, "code") && error.code === "EEXIST") return false
    throw error
  }
}

/** Of several that see the same dead note, one moves it away; who moved a fresh one by mistake puts it back. */
const moveAway = (file: string): void => {
  const aside = `${noteOf(file)}.${process.pid}.gone`
  try {
    renameSync(noteOf(file), aside)
    const moved = parseNote(readFileSync(aside, "utf8"))
    if (moved !== undefined && isRunning(moved)) isLinked(aside, noteOf(file))
  } catch {
    // Another one was faster.
  }
  removeQuietly(aside)
}

const isOurs = (note: Note): boolean => note.pid === process.pid && note.started === startOf(process.pid)

const readNote = (file: string): Note | undefined => {
  try {
    return parseNote(readFileSync(noteOf(file), "utf8"))
  } catch {
    return undefined
  }
}

const parseNote = (text: string): Note | undefined => Option.getOrUndefined(Schema.decodeUnknownOption(Note)(text))

const removeQuietly = (path: string): void => {
  try {
    unlinkSync(path)
  } catch {
    // It was not there.
  }
}
