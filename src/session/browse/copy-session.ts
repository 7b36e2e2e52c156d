/** A session under a new id, in a file of its own; the one that it came from stays as it is. */
import { join } from "node:path"
import { DateTime, Effect } from "effect"
import { appendLines, closeSessionFile, openSessionFile, syncFile } from "../record/session-file.ts"
import { numberedFileName } from "../record/session-name.ts"
import { readWholeSession } from "../record/session-reader.ts"
import { chatsDirOf } from "./session-list.ts"

export interface CopyOptions {
  readonly from: string
  readonly tempDir: string
  readonly projectHash: string
}

export const copySession = Effect.fn("Session.copy")(function* ({ from, projectHash, tempDir }: CopyOptions) {
  const { messages, metadata } = yield* readWholeSession(from)
  const now = yield* DateTime.now
  const time = DateTime.formatIso(now)
  const id: string = crypto.randomUUID()
  const copied = { ...metadata, sessionId: id, projectHash, startTime: time, lastUpdated: time }
  const path = join(chatsDirOf(tempDir), numberedFileName(id, now))
  yield* Effect.acquireUseRelease(
    openSessionFile(path, { create: true }),
    (target) =>
      Effect.zipRight(
        Effect.forEach([copied, ...messages], (record) => appendLines(target, [JSON.stringify(record)])),
        syncFile(target)
      ),
    closeSessionFile
  )
  return { id, file: path }
})
