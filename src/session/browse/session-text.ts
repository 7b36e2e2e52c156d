/** Lists and conversations as text for people, and as JSON for scripts. Pure. */
import type { SessionEntry } from "./session-list.ts"
import { relativeTime } from "./session-title.ts"

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
