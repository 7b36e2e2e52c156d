/** Sessions as text for people, and as JSON for scripts: a title in one line, lists, conversations. Pure. */
import type { SessionEntry } from "./session-list.ts"

export const sessionsText = (
  sessions: ReadonlyArray<SessionEntry>,
  { current, now }: { readonly now: number; readonly current?: string | undefined }
): string => {
  if (sessions.length === 0) return "No previous sessions found for this project.\n"
  const lines = sessions.map((session, index) => {
    const mark = `${session.id === current ? ", current" : ""}${oneShotMark(session)}`
    return `  ${index + 1}. ${session.title} (${relativeTime(session.lastUpdated, now)}${mark}) [${session.id}]`
  })
  return `\nAvailable sessions for this project (${sessions.length}):\n${lines.join("\n")}\n`
}

export const sessionsJson = (sessions: ReadonlyArray<SessionEntry>) =>
  sessions.map(({ id, lastUpdated, messageCount, metadata, startTime, title }, index) => ({
    index: index + 1,
    id,
    title,
    startTime,
    lastUpdated,
    messageCount,
    oneShot: metadata.oneShot === true
  }))

/** Behind the time of one that a script asked once. */
export const oneShotMark = ({ metadata }: SessionEntry): string => (metadata.oneShot === true ? ", one-shot" : "")

export const deletedText = (
  session: SessionEntry,
  { index, now }: { readonly index: number; readonly now: number }
): string => `Deleted session ${index + 1}: ${session.title} (${relativeTime(session.lastUpdated, now)})\n`

/** How a session is told from others in a list: a title in one line, and when it was last used. */
const LONGEST = 100

/** The summary, else the first question; letters of every language stay. */
export const titleOf = (summary: string | undefined, firstQuestion: string | undefined): string => {
  const line = (summary ?? firstQuestion ?? "")
    .replace(/[\p{Cc}\p{Cf}\s]+/gu, " ")
    .replace(/\p{Co}|\p{Cs}/gu, "")
    .trim()
  if (line === "") return "(no title)"
  const letters = [...line]
  return letters.length > LONGEST ? `${letters.slice(0, LONGEST - 3).join("")}...` : line
}

const MINUTE = 60_000

const HOUR = 60 * MINUTE

const DAY = 24 * HOUR

/** `3 hours ago`; what lies in the future, by a clock that went back, is now. */
export const relativeTime = (lastUpdated: string | undefined, now: number): string => {
  const at = Date.parse(lastUpdated ?? "")
  if (Number.isNaN(at)) return "unknown time"
  const age = now - at
  if (age < MINUTE) return "Just now"
  if (age < HOUR) return ago(Math.floor(age / MINUTE), "minute")
  return age < DAY ? ago(Math.floor(age / HOUR), "hour") : ago(Math.floor(age / DAY), "day")
}

const ago = (count: number, unit: string): string => `${count} ${unit}${count === 1 ? "" : "s"} ago`
