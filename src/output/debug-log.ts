/**
 * Where the program writes what it does: standard error with `--debug`, and the file that `GEMINI_DEBUG_LOG_FILE` names.
 * Loaded only where one of them is wanted. Credentials are taken out of every line by their value.
 */
import { Cause, DateTime, HashMap, Logger } from "effect"
import { appendNow } from "../system/append-file.ts"
import { writeAtOnce } from "./stderr.ts"

export interface DebugLogOptions {
  /** With `--debug`. */
  readonly onStderr: boolean
  readonly file: string | undefined
  readonly redact: (line: string) => string
}

/** Takes the place of the default logger, which writes to standard output. */
export const debugLogger = ({ file, onStderr, redact }: DebugLogOptions): Logger.Logger<unknown, void> =>
  Logger.make((entry) => {
    if (onStderr) writeAtOnce(`${redact(Logger.logfmtLogger.log(entry))}\n`)
    if (file !== undefined) append(file, `${redact(lineOf(entry))}\n`)
  })

/** `[2026-03-01T08:00:00.000Z] [DEBUG] what happened key=value` */
export const lineOf = ({ annotations, cause, date, logLevel, message }: Logger.Logger.Options<unknown>): string => {
  const words = (Array.isArray(message) ? message : [message]).map(textOf)
  const facts = [...HashMap.entries(annotations)].map(([key, value]) => `${key}=${textOf(value)}`)
  const failure = Cause.isEmpty(cause) ? [] : [Cause.pretty(cause, { renderErrorCause: true })]
  const text = [...words, ...facts, ...failure].join(" ").replace(/\r?\n/g, "\\n")
  return `[${DateTime.formatIso(DateTime.unsafeFromDate(date))}] [${logLevel.label}] ${text}`
}

const textOf = (value: unknown): string => {
  if (typeof value === "string") return value
  return value instanceof Error ? (value.stack ?? value.message) : (JSON.stringify(value) ?? String(value))
}

/** A log that cannot be written is no reason to stop. */
const append = (file: string, line: string): void => {
  try {
    appendNow(file, line)
  } catch {
    // The disk is full, the folder is gone, or nobody reads the FIFO.
  }
}
