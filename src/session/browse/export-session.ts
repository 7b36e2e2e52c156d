/** One session as a document: the whole record, or the conversation as it can be given away. */

import { modelHistory } from "../read/model-history.ts"
import type { RecordedSession } from "../read/session-reader.ts"
import { shareMarkdown } from "../saved/share.ts"

export type ExportFormat = "json" | "jsonl" | "md"

/** By the ending of the file; `undefined` where it says nothing that we write. */
export const formatOf = (file: string): ExportFormat | undefined => {
  const [, ending] = /\.(jsonl|json|md)$/i.exec(file) ?? []
  return ending?.toLowerCase() as ExportFormat | undefined
}

export const exportText = ({ messages, metadata }: RecordedSession, format: ExportFormat): string => {
  switch (format) {
    case "md":
      return shareMarkdown(modelHistory(messages))
    case "json":
      return `${JSON.stringify({ ...metadata, messages }, null, 2)}\n`
    case "jsonl":
      return [metadata, ...messages].map((record) => `${JSON.stringify(record)}\n`).join("")
  }
}
