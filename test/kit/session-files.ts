/** Session files for tests: a conversation of one question and its answer, as it lies on disk. */
import { mkdirSync, utimesSync, writeFileSync } from "node:fs"
import { join } from "node:path"

export interface WrittenSession {
  readonly id: string
  /** ISO 8601. */
  readonly startTime?: string
  readonly lastUpdated?: string
  readonly question?: string
  readonly answer?: string
  readonly metadata?: Readonly<Record<string, unknown>>
  readonly name?: string
}

export const sessionText = (session: WrittenSession): string => {
  const { answer = "answer", id, metadata = {}, question = "question" } = session
  const { lastUpdated = session.startTime, startTime = "2026-03-01T08:00:00.000Z" } = session
  const records = [
    { sessionId: id, projectHash: "hash", startTime, lastUpdated: startTime, kind: "main", ...metadata },
    ...(question === "" ? [] : [{ id: `${id}-u`, timestamp: startTime, type: "user", content: [{ text: question }] }]),
    ...(answer === "" ? [] : [{ id: `${id}-g`, timestamp: startTime, type: "gemini", content: answer }]),
    { $set: { lastUpdated: lastUpdated ?? startTime } }
  ]
  return records.map((record) => `${JSON.stringify(record)}\n`).join("")
}

/** Its path. */
export const writeSession = (tempDir: string, session: WrittenSession): string => {
  const folder = join(tempDir, "chats")
  mkdirSync(folder, { recursive: true })
  const minute = (session.startTime ?? "2026-03-01T08:00:00.000Z").slice(0, 16).replaceAll(":", "-")
  const file = join(folder, session.name ?? `session-${minute}-${session.id.slice(0, 8)}.jsonl`)
  writeFileSync(file, sessionText(session))
  const time = Date.parse(session.lastUpdated ?? session.startTime ?? "2026-03-01T08:00:00.000Z") / 1000
  utimesSync(file, time, time)
  return file
}
