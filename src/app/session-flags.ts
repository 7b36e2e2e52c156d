/** `--list-sessions` and `--delete-session`: they need no model, no credentials and no trust, and end the program. */
import { Clock, Effect } from "effect"
import type { RunOptions } from "../cli/run-options.ts"
import type { LoadedConfig } from "../config/load.ts"
import { jsonText } from "../kernel/readable-text.ts"
import { deleteSession } from "../session/browse/delete-session.ts"
import { chooseSession } from "../session/browse/session-choice.ts"
import { listSessions } from "../session/browse/session-list.ts"
import { deletedText, sessionsJson, sessionsText } from "../session/browse/session-text.ts"

/** What is to be printed. */
export const manageSessions = Effect.fnUntraced(function* (options: RunOptions, { settings, storage }: LoadedConfig) {
  const tempDir = storage.knownProjectTempDir()
  const sessions = tempDir === undefined ? [] : yield* listSessions(tempDir)
  const now = yield* Clock.currentTimeMillis
  if (options.deleteSession === undefined) {
    const format = options.outputFormat ?? settings.get("output.format")
    return format === "text" ? sessionsText(sessions, { now }) : `${jsonText(sessionsJson(sessions), 2)}\n`
  }
  const session = yield* chooseSession(tempDir, options.deleteSession)
  if (tempDir !== undefined) yield* deleteSession(tempDir, session)
  return deletedText(session, { index: sessions.findIndex(({ id }) => id === session.id), now })
})
