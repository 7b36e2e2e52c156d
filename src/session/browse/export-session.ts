/**
 * One session as a document (the whole record, or the conversation as it can be given away), or as another session.
 */

import { join } from "node:path"
import { DateTime, Effect } from "effect"
import { jsonText } from "../../kernel/readable-text.ts"
import { modelHistory } from "../record/model-history.ts"
import { appendLines, closeSessionFile, openSessionFile, syncFile } from "../record/session-file.ts"
import { numberedFileName } from "../record/session-name.ts"
import { type RecordedSession, readWholeSession } from "../record/session-reader.ts"
import { chatsDirOf } from "./session-list.ts"
import { shareMarkdown } from "./share.ts"

const FORMATS = ["json", "jsonl", "md"] as const
export type ExportFormat = (typeof FORMATS)[number]

/** By the ending of the file; `undefined` where it says nothing that we write. */
export const formatOf = (file: string): ExportFormat | undefined =>
  FORMATS.find((format) => file.toLowerCase().endsWith(`.${format}`))

export const exportText = ({ messages, metadata }: RecordedSession, format: ExportFormat): string => {
  switch (format) {
    case "md":
      return shareMarkdown(modelHistory(messages))
    case "json":
      return `${jsonText({ ...metadata, messages }, 2)}\n`
    case "jsonl":
      return [metadata, ...messages].map((record) => `${jsonText(record)}\n`).join("")
  }
}

interface CopyOptions {
  readonly from: string
  readonly tempDir: string
  readonly projectHash: string
}

/** A session under a new id, in a file of its own; the one that it came from stays as it is. */
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
