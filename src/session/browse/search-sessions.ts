/** Finds the sessions in which something was said. Reads one session at a time, so many of them need no more memory than one. */
import { Effect, Option } from "effect"
import { textOf } from "../record/message-content.ts"
import { readSession } from "../record/session-reader.ts"
import type { MessageRecord } from "../record/session-record.ts"
import { listSessions, type SessionEntry } from "./session-list.ts"

export interface SessionMatch {
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
