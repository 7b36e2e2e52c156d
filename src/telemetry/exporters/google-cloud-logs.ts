/** A record as an entry of Cloud Logging, which takes only so many characters. */
import type { ReadableLogRecord } from "@opentelemetry/sdk-logs"
import { isoTime } from "./google-cloud-time.ts"

const LIMITS = { text: 10_000, textOfLarge: 2_000, entry: 100_000, raw: 50_000 }

export const logEntry = (record: ReadableLogRecord) => ({
  severity: severityOf(record.severityNumber ?? 9),
  timestamp: isoTime(record.hrTime),
  jsonPayload: fitting({ message: record.body, ...record.attributes })
})

const severityOf = (level: number): string => {
  if (level >= 21) return "CRITICAL"
  if (level >= 17) return "ERROR"
  if (level >= 13) return "WARNING"
  return level >= 9 ? "INFO" : "DEBUG"
}

/** Long texts are cut, then all of them more, then what is left is no longer taken apart. */
const fitting = (payload: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> => {
  const first = cutTexts(payload, LIMITS.text)
  if (JSON.stringify(first).length <= LIMITS.entry) return first
  const second = cutTexts(payload, LIMITS.textOfLarge)
  const text = JSON.stringify(second)
  return text.length <= LIMITS.entry ? second : { raw: text.slice(0, LIMITS.raw) }
}

const cutTexts = (payload: Readonly<Record<string, unknown>>, limit: number) =>
  Object.fromEntries(
    Object.entries(payload).map(([name, value]) => [
      name,
      typeof value === "string" && value.length > limit ? `${value.slice(0, limit)}...` : value
    ])
  )
