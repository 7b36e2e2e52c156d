/** Names of session files. Ids come from the command line and from files of others: nothing in them can leave a folder. */
import { DateTime } from "effect"

const PREFIX = "session-"

export const sanitized = (id: string): string => id.replace(/[^A-Za-z0-9_-]/g, "_")

/** The part of the id that stands in the name of the file. */
export const shortId = (id: string): string => sanitized(id.slice(0, 8))

/** `session-2026-03-01T08-00-9d1c04aa.jsonl` */
export const sessionFileName = (id: string, startedAt: DateTime.Utc): string =>
  `${PREFIX}${DateTime.formatIso(startedAt).slice(0, 16).replaceAll(":", "-")}-${shortId(id)}.jsonl`

/** For a session that came from a file, or whose usual name is taken: `session-1772352000000-9d1c04aa.jsonl` */
export const numberedFileName = (id: string, startedAt: DateTime.Utc): string =>
  `${PREFIX}${DateTime.toEpochMillis(startedAt)}-${shortId(id)}.jsonl`

export const isSessionFile = (name: string): boolean => name.startsWith(PREFIX) && /\.jsonl?$/.test(name)

/** Whether a session of this id may stand in a file of this name. */
export const mayHold = (name: string, id: string): boolean =>
  isSessionFile(name) && name.replace(/\.jsonl?$/, "").endsWith(`-${shortId(id)}`)
