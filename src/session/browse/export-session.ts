/** One session as a document: the whole record, or the conversation as it can be given away. */
import { jsonText } from "../../kernel/readable-text.ts"
import { modelHistory } from "../record/model-history.ts"
import type { RecordedSession } from "../record/session-reader.ts"
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
