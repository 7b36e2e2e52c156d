/** Writes the title of a session into its file, as one more record; when it was last used stays as it was. */
import { Effect } from "effect"
import { SessionBusy } from "../open-session.ts"
import { appendLines, closeSessionFile, openSessionFile, RecordingError, syncFile } from "../record/session-file.ts"
import { ownerOf } from "../record/session-owner.ts"
import type { SessionRecord } from "../record/session-record.ts"
import type { SessionEntry } from "./session-list.ts"

export const keepSummary = Effect.fn("Session.keepSummary")(function* ({ file, id }: SessionEntry, summary: string) {
  const pid = ownerOf(file)
  if (pid !== undefined) return yield* new SessionBusy({ sessionId: id, pid })
  // One object, to which nothing can be appended.
  if (file.endsWith(".json")) return yield* new RecordingError({ file, code: "of an older form" })
  const record: SessionRecord = { $set: { summary } }
  yield* Effect.acquireUseRelease(
    openSessionFile(file, { create: false }),
    (target) => Effect.zipRight(appendLines(target, [JSON.stringify(record)]), syncFile(target)),
    closeSessionFile
  )
})
