/** Deletes old sessions while the model works, at most once an hour: many short runs in a row need not look each time. */
import { statSync, utimesSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { Clock, Effect, Either } from "effect"
import type { SettingsView } from "../config/settings.ts"
import { applyRetention, retentionOf, retentionSettings } from "../session/browse/retention.ts"

export interface UpkeepInput {
  readonly settings: SettingsView
  readonly tempDir: string
  /** The session under way. */
  readonly current: string
  readonly warn: (line: string) => Effect.Effect<void>
}

const EVERY_MS = 3_600_000

export const upkeep = Effect.fn("App.sessionUpkeep")(function* ({ current, settings, tempDir, warn }: UpkeepInput) {
  const now = yield* Clock.currentTimeMillis
  const mark = join(tempDir, ".retention")
  const last = statSync(mark, { throwIfNoEntry: false })?.mtimeMs ?? 0
  // A mark from the future, left by a clock that was wrong, does not count.
  if (last <= now && now - last < EVERY_MS) return
  const retention = retentionOf(retentionSettings(settings))
  if (Either.isLeft(retention)) return yield* warn(`[WARNING] ${retention.left.message}`)
  if (retention.right !== undefined) yield* applyRetention(retention.right, { tempDir, now, current })
  yield* Effect.ignore(Effect.try(() => stamp(mark, now)))
})

const stamp = (mark: string, now: number): void => {
  writeFileSync(mark, "", { mode: 0o600 })
  utimesSync(mark, now / 1000, now / 1000)
}
