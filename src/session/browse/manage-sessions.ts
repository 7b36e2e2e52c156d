/** `--list-sessions` and `--delete-session`: they need no model, no credentials and no trust, and end the program. */
import { Clock, Effect } from "effect"
import type { LoadedConfig } from "../../config/load.ts"
import { jsonText } from "../../kernel/readable-text.ts"
import type { OutputFormat } from "../../protocol/modes.ts"
import { deleteSession } from "./delete-session.ts"
import { chooseSession } from "./session-choice.ts"
import { listSessions } from "./session-list.ts"
import { deletedText, sessionsJson, sessionsText } from "./session-text.ts"

/** What is to be printed. */
export const manageSessions = Effect.fnUntraced(function* (
  /** What to delete; all are listed where nothing is named. */
  wanted: { readonly deleteSession?: string | undefined; readonly format: OutputFormat },
  { storage }: LoadedConfig
) {
  const tempDir = storage.knownProjectTempDir()
  const sessions = tempDir === undefined ? [] : yield* listSessions(tempDir)
  const now = yield* Clock.currentTimeMillis
  if (wanted.deleteSession === undefined) {
    return wanted.format === "text" ? sessionsText(sessions, { now }) : `${jsonText(sessionsJson(sessions), 2)}\n`
  }
  const session = yield* chooseSession(tempDir, wanted.deleteSession)
  if (tempDir !== undefined) yield* deleteSession(tempDir, session)
  return deletedText(session, { index: sessions.findIndex(({ id }) => id === session.id), now })
})
