/** Deletes old sessions while the model works, and marks when that was done. */
import { utimesSync, writeFileSync } from "node:fs"
import { Clock, Effect, Either } from "effect"
import type { SettingsView } from "../../config/settings.ts"
import { applyRetention, retentionOf, retentionSettings } from "./retention.ts"

export interface UpkeepInput {
  readonly settings: SettingsView
  readonly tempDir: string
  /** Its time tells when this was last done. */
  readonly mark: string
  /** The session under way. */
  readonly current: string
  readonly warn: (line: string) => Effect.Effect<void>
}

export const upkeep = Effect.fn("Session.upkeep")(function* ({ current, mark, settings, tempDir, warn }: UpkeepInput) {
  const now = yield* Clock.currentTimeMillis
  const retention = retentionOf(retentionSettings(settings))
  if (Either.isLeft(retention)) return yield* warn(retention.left.message)
  if (retention.right !== undefined) yield* applyRetention(retention.right, { tempDir, now, current })
  yield* Effect.ignore(Effect.try(() => stamp(mark, now)))
})

const stamp = (mark: string, now: number): void => {
  writeFileSync(mark, "", { mode: 0o600 })
  utimesSync(mark, now / 1000, now / 1000)
}
