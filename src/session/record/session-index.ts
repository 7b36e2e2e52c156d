/**
 * What a session file holds and where, without its messages: the first of two passes, with what could not be read.
 * Records that a later one replaces are passed over by their first bytes, so a long session is only parsed from its
 * last snapshot on.
 */
import { Option, Predicate, Schema } from "effect"
import { type Line, readRange, scanLines } from "./line-scan.ts"
import { METADATA_FIELDS, type SessionMetadata } from "./session-record.ts"

export interface ByteRange {
  readonly line: number
  readonly start: number
  readonly end: number
}

interface MessageStep {
  readonly _tag: "Message"
  readonly id: string
  /** The newest last; an older one counts where the newest is damaged. */
  readonly versions: Array<ByteRange>
}

/** A step of the replay. */
export type IndexStep =
  | MessageStep
  | { readonly _tag: "Rewind"; readonly id: string }
  | { readonly _tag: "Snapshot"; readonly at: ByteRange }

export interface Problem {
  readonly line: number
  readonly kind: "torn" | "bad-json" | "unknown-record" | "too-long"
}

export interface SessionIndex {
  readonly metadata: Partial<SessionMetadata>
  /** From the last snapshot on. */
  readonly steps: ReadonlyArray<IndexStep>
  /** Before the first snapshot that replaced anything: how the session began. */
  readonly origin: ReadonlyArray<IndexStep>
  readonly problems: ReadonlyArray<Problem>
}

/** A single record that is longer is not read: its line would have to fit into memory several times. */
export const MAX_LINE_BYTES = 64 * 1024 * 1024

export const indexSession = (fd: number): SessionIndex => {
  const metadata: Record<string, unknown> = {}
  const problems: Array<Problem> = []
  let steps: Array<IndexStep> = []
  let origin: ReadonlyArray<IndexStep> = []
  let known = new Map<string, MessageStep>()

  const restart = (...first: ReadonlyArray<IndexStep>) => {
    if (origin.length === 0) origin = steps.filter(({ _tag }) => _tag !== "Snapshot")
    steps = [...first]
    known = new Map()
  }
  const addMessage = (id: string, at: ByteRange) => {
    const before = known.get(id)
    if (before !== undefined) {
      before.versions.push(at)
      return
    }
    const step: MessageStep = { _tag: "Message", id, versions: [at] }
    known.set(id, step)
    steps.push(step)
  }
  const addRewind = (id: string) => {
    steps.push({ _tag: "Rewind", id })
    // What comes after may bring the same ids back, at the end.
    known = new Map()
  }
  const addRecord = (record: Found, at: ByteRange): void => {
    switch (record._tag) {
      case "Message":
        addMessage(record.id, at)
        break
      case "Rewind":
        addRewind(record.id)
        break
      case "Metadata":
        Object.assign(metadata, record.changes)
        if (record.hasMessages) restart({ _tag: "Snapshot", at })
        break
      case "Problem":
        problems.push({ line: at.line, kind: record.kind })
        break
      case "Blank":
        break
    }
  }
  scanLines(fd, (line) => addRecord(recordIn(fd, line), { line: line.number, start: line.start, end: line.end }))
  return { metadata, steps, origin, problems }
}

type Found =
  | { readonly _tag: "Message"; readonly id: string }
  | { readonly _tag: "Rewind"; readonly id: string }
  | { readonly _tag: "Metadata"; readonly changes: Partial<SessionMetadata>; readonly hasMessages: boolean }
  | { readonly _tag: "Problem"; readonly kind: Problem["kind"] }
  | { readonly _tag: "Blank" }

const MESSAGE = /^\{"id":"([^"\\]+)"/
const SNAPSHOT = /^\{"\$set":\{"messages":\[/
const TOUCH = /^\{"\$set":\{"lastUpdated":"([^"\\]+)"\}\}$/

const recordIn = (fd: number, line: Line): Found => {
  const length = line.end - line.start
  if (length === 0) return { _tag: "Blank" }
  if (length > MAX_LINE_BYTES) return { _tag: "Problem", kind: "too-long" }
  const head = line.head.toString("utf8")
  // A line that may have been cut off is only taken for what it seems to be when it can be read to its end.
  if (line.isComplete) {
    const [, id] = MESSAGE.exec(head) ?? []
    if (id !== undefined) return { _tag: "Message", id }
    if (SNAPSHOT.test(head)) return { _tag: "Metadata", changes: {}, hasMessages: true }
    const [, lastUpdated] = TOUCH.exec(head) ?? []
    if (lastUpdated !== undefined) return { _tag: "Metadata", changes: { lastUpdated }, hasMessages: false }
  }
  const text = readRange(fd, line)
  if (text.trim() === "") return { _tag: "Blank" }
  return Option.match(parseJson(text), {
    onNone: () => ({ _tag: "Problem", kind: line.isComplete ? "bad-json" : "torn" }),
    onSome: classify
  })
}

const classify = (record: unknown): Found => {
  if (!Predicate.isReadonlyRecord(record)) return { _tag: "Problem", kind: "unknown-record" }
  const own = (key: string): unknown => (Object.hasOwn(record, key) ? record[key] : undefined)
  const [rewindTo, id, changes] = [own("$rewindTo"), own("id"), own("$set")]
  if (typeof rewindTo === "string") return { _tag: "Rewind", id: rewindTo }
  if (typeof id === "string") return { _tag: "Message", id }
  if (Predicate.isReadonlyRecord(changes)) return metadataIn(changes)
  return typeof own("sessionId") === "string" && typeof own("projectHash") === "string"
    ? metadataIn(record)
    : { _tag: "Problem", kind: "unknown-record" }
}

const metadataIn = (record: Readonly<Record<string, unknown>>): Found => ({
  _tag: "Metadata",
  changes: metadataOf(record),
  hasMessages: Object.hasOwn(record, "messages") && Array.isArray(record.messages)
})

const FIELDS: Readonly<Record<string, Schema.Schema.AnyNoContext>> = METADATA_FIELDS

/** Each field for itself: one that is of another form takes no other with it. */
export const metadataOf = (record: Readonly<Record<string, unknown>>): Partial<SessionMetadata> => {
  const fields = Object.entries(FIELDS).flatMap(([name, field]) =>
    Object.hasOwn(record, name) && Schema.is(field)(record[name]) ? [[name, record[name]] as const] : []
  )
  return Object.fromEntries(fields)
}

export const parseJson = Option.liftThrowable((text: string): unknown => JSON.parse(text))

const REASONS: Readonly<Record<Problem["kind"], string>> = {
  torn: "was cut off while it was written",
  "bad-json": "is damaged",
  "unknown-record": "is of a kind that this version does not know",
  "too-long": "is too long"
}

/** What could not be read of a session, for people. */
export const problemText = ({ kind, line }: Problem): string => `line ${line} ${REASONS[kind]}`

/** One line for the whole file: the first faults by name, the others by number. */
export const problemsText = (file: string, problems: ReadonlyArray<Problem>): ReadonlyArray<string> => {
  if (problems.length === 0) return []
  const [named, others] = [problems.slice(0, 3).map(problemText), problems.length - 3]
  return [`${file}: ${named.join(", ")}${others > 0 ? `, and ${others} more` : ""}; the rest was read`]
}
