/**
 * The sessions of a project, without reading their messages: what a list shows, what a session is chosen by, and in
 * which of them something was said. Files that are no sessions are passed over; `gemini sessions verify` names them.
 */
import { basename, join } from "node:path"
import { Effect, Either, Option, Schema } from "effect"
import { namesIn } from "../../system/folder-names.ts"
import { statOrNone } from "../../system/regular-file.ts"
import { readRange } from "../record/line-scan.ts"
import { partsOf, textOf } from "../record/message-content.ts"
import { isQuestion } from "../record/model-history.ts"
import { type ByteRange, type IndexStep, indexSession, parseJson } from "../record/session-index.ts"
import { isSessionFile, mayHold } from "../record/session-name.ts"
import { readSession, readWholeSession, withFile } from "../record/session-reader.ts"
import { MessageRecord, type SessionMetadata } from "../record/session-record.ts"
import { titleOf } from "./session-text.ts"

export interface SessionEntry {
  readonly file: string
  readonly id: string
  readonly title: string
  readonly startTime: string
  readonly lastUpdated: string
  readonly messageCount: number
  readonly metadata: SessionMetadata
  /** Something was said in it that one can go on from. */
  readonly isResumable: boolean
}

export const chatsDirOf = (tempDir: string): string => join(tempDir, "chats")

/** Those that can be gone on with, the oldest first, as they are numbered. Of two files of one session the newer counts. */
export const listSessions = (tempDir: string): Effect.Effect<ReadonlyArray<SessionEntry>> =>
  Effect.map(allSessions(tempDir), (entries) => {
    const newest = new Map<string, SessionEntry>()
    for (const entry of entries) {
      const other = newest.get(entry.id)
      if (other === undefined || entry.lastUpdated > other.lastUpdated) newest.set(entry.id, entry)
    }
    return [...newest.values()]
      .filter(({ isResumable, metadata }) => isResumable && metadata.kind !== "subagent")
      .toSorted((a, b) => compare(a.startTime, b.startTime) || compare(a.id, b.id))
  })

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

/** Every file that is a session, also those that lists leave out. */
export const allSessions = (tempDir: string): Effect.Effect<ReadonlyArray<SessionEntry>> =>
  entriesOf(sessionFiles(tempDir))

/** The files of one session. Only those are read whose names may be its own. */
export const sessionsOfId = (tempDir: string, id: string): Effect.Effect<ReadonlyArray<SessionEntry>> =>
  Effect.map(entriesOf(sessionFiles(tempDir).filter((file) => mayHold(basename(file), id))), (entries) =>
    entries.filter((entry) => entry.id === id)
  )

const entriesOf = (files: ReadonlyArray<string>): Effect.Effect<ReadonlyArray<SessionEntry>> =>
  Effect.map(
    Effect.forEach(files, (file) => Effect.option(readEntry(file))),
    (found) => found.flatMap(Option.toArray)
  )

export const sessionFiles = (tempDir: string): ReadonlyArray<string> => {
  const folder = chatsDirOf(tempDir)
  return namesIn(folder)
    .filter(isSessionFile)
    .toSorted()
    .map((name) => join(folder, name))
}

/** Fails where the file is no session. */
export const readEntry = (file: string) =>
  Effect.orElse(
    Effect.flatMap(
      Effect.try(() => withFile(file, (fd) => entryIn(fd, file))),
      Either.match({ onLeft: (origin) => entryOfWhole(file, origin), onRight: Effect.succeed })
    ),
    () => entryOfWhole(file, undefined)
  )

/** Left: with which question the session began, where the file has to be read as a whole. */
const entryIn = (fd: number, file: string): Either.Either<SessionEntry, string | undefined> => {
  const index = indexSession(fd)
  const begun = () => peek(fd, index.origin).firstQuestion
  // What a snapshot holds is only known when it is parsed.
  if (index.steps.some(({ _tag }) => _tag !== "Message")) return Either.left(begun())
  return Either.map(Either.fromOption(decodeMetadata(index.metadata), begun), (metadata) => {
    const { firstQuestion, hasAnswer } = peek(fd, index.steps)
    return entryOf(file, metadata, { firstQuestion, hasAnswer, messageCount: index.steps.length })
  })
}

const entryOfWhole = (file: string, begunWith: string | undefined) =>
  Effect.map(readWholeSession(file), ({ messages, metadata }) => {
    const first = messages.map(questionIn).find((text) => text !== undefined)
    return entryOf(file, metadata, {
      // A summary that took the place of the beginning is nobody's question.
      firstQuestion: first?.includes(SNAPSHOT) === true ? (begunWith ?? first) : first,
      hasAnswer: messages.some(isAnswer),
      messageCount: messages.length
    })
  })

const SNAPSHOT = "<state_snapshot>"

interface Facts {
  readonly firstQuestion: string | undefined
  readonly hasAnswer: boolean
  readonly messageCount: number
}

const entryOf = (file: string, metadata: SessionMetadata, facts: Facts): SessionEntry => {
  const changed = metadata.lastUpdated ?? metadata.startTime ?? changeOf(file)
  return {
    file,
    id: metadata.sessionId,
    title: titleOf(metadata.summary, facts.firstQuestion),
    startTime: metadata.startTime ?? changed,
    lastUpdated: changed,
    messageCount: facts.messageCount,
    metadata,
    isResumable: facts.firstQuestion !== undefined || facts.hasAnswer
  }
}

const changeOf = (file: string): string => statOrNone(file)?.mtime.toISOString() ?? ""

const decodeMetadata = Schema.decodeUnknownOption(
  Schema.Struct({ sessionId: Schema.String, projectHash: Schema.String }),
  { onExcessProperty: "preserve" }
)
const decodeMessage = Schema.decodeUnknownOption(MessageRecord)

/** The first question stands near the beginning; after a few messages without one there is none to be shown. */
const PEEKED = 12

const peek = (fd: number, steps: ReadonlyArray<IndexStep>) => {
  let hasAnswer = false
  for (const step of steps.slice(0, PEEKED)) {
    const at = step._tag === "Message" ? step.versions.at(-1) : undefined
    const message = at === undefined ? undefined : messageAt(fd, at)
    const firstQuestion = message === undefined ? undefined : questionIn(message)
    if (firstQuestion !== undefined) return { firstQuestion, hasAnswer: true }
    hasAnswer ||= message !== undefined && isAnswer(message)
  }
  return { firstQuestion: undefined, hasAnswer }
}

const messageAt = (fd: number, at: ByteRange): MessageRecord | undefined =>
  Option.getOrUndefined(Option.flatMap(parseJson(readRange(fd, at)), decodeMessage))

const questionIn = ({ content, displayContent, type }: MessageRecord): string | undefined => {
  const text = textOf(displayContent ?? content)
  return type === "user" && isQuestion(text) ? text : undefined
}

const isAnswer = ({ content, thoughts = [], toolCalls = [], type }: MessageRecord): boolean =>
  type === "gemini" && (partsOf(content).length > 0 || thoughts.length > 0 || toolCalls.length > 0)

/**
 * Finds the sessions in which something was said. Reads one session at a time, so many of them need no more memory than one.
 */
interface SessionMatch {
  readonly session: SessionEntry
  /** As in the list, from 1. */
  readonly index: number
  readonly lines: ReadonlyArray<{ readonly type: MessageRecord["type"]; readonly text: string }>
}

/** Of each session at most this many lines are shown. */
const LINES_SHOWN = 5

const LINE_LENGTH = 160

/** Every word must stand in the message, in any order and case. */
export const searchSessions = Effect.fn("Session.search")(function* (tempDir: string, words: ReadonlyArray<string>) {
  const wanted = words.map((word) => word.toLowerCase()).filter((word) => word !== "")
  const sessions = yield* listSessions(tempDir)
  const matches: Array<SessionMatch> = []
  for (const [index, session] of sessions.entries()) {
    const found = yield* Effect.option(readSession(session.file, (message) => matching(message, wanted)))
    const lines = Option.match(found, {
      onNone: () => [],
      onSome: ({ messages }) => messages.flatMap(({ line, type }) => (line === undefined ? [] : [{ type, text: line }]))
    })
    if (lines.length > 0) matches.push({ session, index: index + 1, lines: lines.slice(0, LINES_SHOWN) })
  }
  return matches
})

const matching = ({ content, displayContent, id, type }: MessageRecord, wanted: ReadonlyArray<string>) => {
  const text = textOf(displayContent ?? content)
  const lower = text.toLowerCase()
  const isFound = wanted.every((word) => lower.includes(word)) && !text.startsWith("<session_context>")
  return { id, type, line: isFound ? around(text, lower.indexOf(wanted[0] ?? "")) : undefined }
}

/** The line in which the word stands, cut to what fits. */
const around = (text: string, at: number): string => {
  const start = Math.max(text.lastIndexOf("\n", at) + 1, at - LINE_LENGTH / 2)
  return (text.slice(start, start + LINE_LENGTH).split("\n")[0] ?? "").replace(/\p{Cc}+/gu, " ").trim()
}
