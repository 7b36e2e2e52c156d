/**
 * Which sessions are old enough to go, by the settings. The plan is made first and can be shown without being carried
 * out. What cannot be read is never deleted, nor the session of this run or one that another process is writing; and
 * what was made in the last hour may belong to a run that has only just begun.
 */
import { rmSync, statSync } from "node:fs"
import { join } from "node:path"
import { Effect, Either, Schema } from "effect"
import type { SettingsView } from "../../config/settings.ts"
import { namesIn } from "../../system/folder-names.ts"
import { ownerOf } from "../record/session-owner.ts"
import { deleteSession } from "./delete-session.ts"
import { allSessions, type SessionEntry } from "./session-list.ts"

export interface RetentionSettings {
  readonly enabled: boolean
  readonly maxAge: string | undefined
  readonly maxCount: number | undefined
  readonly minRetention: string | undefined
}

export const retentionSettings = (settings: SettingsView): RetentionSettings => ({
  enabled: settings.get("general.sessionRetention.enabled"),
  maxAge: settings.get("general.sessionRetention.maxAge"),
  maxCount: settings.get("general.sessionRetention.maxCount"),
  minRetention: settings.get("general.sessionRetention.minRetention")
})

export class BadRetention extends Schema.TaggedError<BadRetention>()("BadRetention", { detail: Schema.String }) {
  override get message() {
    return `general.sessionRetention: ${this.detail}; nothing is deleted`
  }
}

/** In milliseconds and files. */
export interface Retention {
  readonly maxAge: number | undefined
  readonly maxCount: number | undefined
}

const HOUR = 3_600_000
const DAY = 24 * HOUR
const UNITS: Readonly<Record<string, number>> = { h: HOUR, d: DAY, w: 7 * DAY, m: 30 * DAY }
const BACKGROUND_LOG_AGE = 7 * DAY

/** `undefined`: nothing is to be deleted. */
export const retentionOf = (settings: RetentionSettings): Either.Either<Retention | undefined, BadRetention> => {
  if (!settings.enabled) return Either.right(undefined)
  const { maxCount } = settings
  const [maxAge, least] = [periodOf(settings.maxAge), periodOf(settings.minRetention) ?? DAY]
  const bad = (detail: string) => Either.left(new BadRetention({ detail }))
  if (settings.maxAge !== undefined && maxAge === undefined) return bad(`maxAge "${settings.maxAge}" is no period`)
  if (maxAge !== undefined && maxAge < least) return bad("maxAge is shorter than minRetention")
  if (maxCount !== undefined && maxCount < 1) return bad("maxCount must be at least 1")
  if (maxAge === undefined && maxCount === undefined) return bad("neither maxAge nor maxCount is set")
  return Either.right({ maxAge, maxCount })
}

/** `30d`: a number above zero, then hours, days, weeks or months of 30 days. */
export const periodOf = (text: string | undefined): number | undefined => {
  const [, count = "0", unit = ""] = /^(\d+)([hdwm])$/.exec(text ?? "") ?? []
  const length = Number(count) * (UNITS[unit] ?? 0)
  return length > 0 ? length : undefined
}

export interface Expired {
  readonly session: SessionEntry
  readonly reason: "age" | "count" | "empty"
}

export interface RetentionPlace {
  readonly tempDir: string
  readonly now: number
  /** The session under way. */
  readonly current?: string | undefined
}

export const expiredSessions = Effect.fnUntraced(function* (retention: Retention, place: RetentionPlace) {
  const sessions = yield* allSessions(place.tempDir)
  const isIdle = ({ file, id }: SessionEntry) => id !== place.current && ownerOf(file) === undefined
  const listed = sessions
    .filter(({ isResumable, metadata }) => isResumable && metadata.kind !== "subagent")
    .toSorted((a, b) => (a.lastUpdated < b.lastUpdated ? 1 : -1))
  // The session of this run counts as one that is kept.
  const kept = (retention.maxCount ?? Number.POSITIVE_INFINITY) - (place.current === undefined ? 0 : 1)
  const others = listed.filter(({ id }) => id !== place.current)
  const reasonOf = (session: SessionEntry): Expired["reason"] | undefined => {
    const age = place.now - Date.parse(session.lastUpdated)
    const rank = others.indexOf(session)
    if (rank === -1) return age > HOUR ? "empty" : undefined
    if (retention.maxAge !== undefined && age > retention.maxAge) return "age"
    return rank >= kept ? "count" : undefined
  }
  return sessions.filter(isIdle).flatMap((session): ReadonlyArray<Expired> => {
    const reason = reasonOf(session)
    return reason === undefined ? [] : [{ session, reason }]
  })
})

/** What was deleted. A session that cannot be deleted stays, and is looked at again the next time. */
export const applyRetention = Effect.fn("Session.applyRetention")(function* (
  retention: Retention,
  place: RetentionPlace
) {
  const expired = yield* expiredSessions(retention, place)
  const deleted: Array<Expired> = []
  for (const item of expired) {
    const result = yield* Effect.either(deleteSession(place.tempDir, item.session))
    if (Either.isRight(result)) deleted.push(item)
  }
  yield* Effect.sync(() => removeOldOutputs(retention, place))
  return deleted
})

const removeOldOutputs = ({ maxAge }: Retention, { current, now, tempDir }: RetentionPlace): void => {
  const outputs = join(tempDir, "tool-outputs")
  if (maxAge !== undefined) {
    for (const name of namesIn(outputs)) {
      if (name !== `session-${current}`) removeIfOlder(join(outputs, name), now - maxAge)
    }
  }
  const logs = join(tempDir, "..", "background-processes")
  for (const name of namesIn(logs)) {
    if (/^background-\d+\.log$/.test(name)) removeIfOlder(join(logs, name), now - BACKGROUND_LOG_AGE)
  }
}

const removeIfOlder = (path: string, before: number): void => {
  try {
    if (statSync(path).mtimeMs < before) rmSync(path, { recursive: true, force: true })
  } catch {
    // Somebody else was faster, or may and we may not.
  }
}
