/**
 * Deletes a session with everything that was kept for it. Ids come from files that anybody may have written: one that is
 * not a plain name deletes nothing but its own file, and folders that are not a session's are never touched.
 */
import { rmSync } from "node:fs"
import { join } from "node:path"
import { Effect, Predicate, Schema } from "effect"
import { SessionBusy } from "../record/open-session.ts"
import { sanitized } from "../record/session-name.ts"
import { ownerOf, removeNote } from "../record/session-owner.ts"
import { chatsDirOf, type SessionEntry, sessionsOfId } from "./session-list.ts"

export class SessionNotDeleted extends Schema.TaggedError<SessionNotDeleted>()("SessionNotDeleted", {
  path: Schema.String,
  /** Such as `EACCES`. */
  code: Schema.String
}) {
  override get message() {
    return `${this.path} cannot be deleted (${this.code})`
  }
}

/** Folders of the project that hold other things than one session. */
const SHARED = new Set(["chats", "logs", "tool-outputs", "checkpoints", "memory", "undo", "bin"])

export const deleteSession = Effect.fn("Session.delete")(function* (tempDir: string, session: SessionEntry) {
  const pid = ownerOf(session.file)
  if (pid !== undefined) return yield* new SessionBusy({ sessionId: session.id, pid })
  const { id } = session
  const own = yield* sessionsOfId(tempDir, id)
  for (const file of new Set([session, ...own].map((entry) => entry.file))) {
    yield* remove(file)
    removeNote(file)
  }
  if (sanitized(id) !== id || SHARED.has(id)) return
  yield* remove(join(tempDir, "logs", `session-${id}.jsonl`))
  yield* remove(join(tempDir, "tool-outputs", `session-${id}`))
  yield* remove(join(tempDir, id))
  yield* remove(join(chatsDirOf(tempDir), id))
})

/** What is not there is deleted already. */
const remove = (path: string): Effect.Effect<void, SessionNotDeleted> =>
  Effect.try({
    try: () => rmSync(path, { recursive: true, force: true }),
    catch: (cause) =>
      new SessionNotDeleted({ path, code: Predicate.hasProperty(cause, "code") ? String(cause.code) : String(cause) })
  })
