/** Which session a person means: the latest, one of the list by its number, or one by its id or the beginning of it. */
import { Effect, Schema } from "effect"
import { chatsDirOf, listSessions, type SessionEntry } from "./session-list.ts"

export class SessionNotFound extends Schema.TaggedError<SessionNotFound>()("SessionNotFound", {
  /** As it was named. */
  wanted: Schema.String,
  /** Where it was looked for. */
  folder: Schema.String,
  /** More than one begins like this. */
  candidates: Schema.Array(Schema.String)
}) {
  override get message() {
    return this.candidates.length === 0
      ? `there is no session "${this.wanted}" in ${this.folder}`
      : `more than one session begins with "${this.wanted}": ${this.candidates.slice(0, 5).join(", ")}`
  }
}

const SHORTEST_PREFIX = 4

export const isLatest = (wanted: string): boolean => wanted === "latest" || wanted === "last"

/** Whether a one-shot counts: like any other, only where there is no conversation, or not at all. */
export type Latest = "any" | "conversation-first" | "conversation"

/** The one that was used last. */
export const latestOf = (sessions: ReadonlyArray<SessionEntry>, latest: Latest = "any"): SessionEntry | undefined => {
  const conversations = sessions.filter(({ metadata }) => metadata.oneShot !== true)
  if (latest === "any") return newestOf(sessions)
  return newestOf(conversations) ?? (latest === "conversation" ? undefined : newestOf(sessions))
}

const newestOf = (sessions: ReadonlyArray<SessionEntry>): SessionEntry | undefined =>
  sessions.reduce<SessionEntry | undefined>(
    (latest, entry) => (latest === undefined || entry.lastUpdated >= latest.lastUpdated ? entry : latest),
    undefined
  )

/** Numbers count from 1, in the order of the list. */
export const chooseSession = Effect.fnUntraced(function* (
  tempDir: string | undefined,
  wanted: string,
  latest: Latest = "any"
) {
  const sessions = tempDir === undefined ? [] : yield* listSessions(tempDir)
  const folder = tempDir === undefined ? "this project, which has none yet" : chatsDirOf(tempDir)
  const missing = (candidates: ReadonlyArray<string>) => new SessionNotFound({ wanted, folder, candidates })
  const exact = sessions.find(({ id }) => id === wanted)
  if (exact !== undefined) return exact
  if (isLatest(wanted)) return latestOf(sessions, latest) ?? (yield* missing([]))
  const numbered = /^\d+$/.test(wanted) ? sessions[Number(wanted) - 1] : undefined
  if (numbered !== undefined) return numbered
  const begun = wanted.length < SHORTEST_PREFIX ? [] : sessions.filter(({ id }) => id.startsWith(wanted))
  const [only, ...others] = begun
  return only !== undefined && others.length === 0 ? only : yield* missing(begun.map(({ id }) => id))
})
