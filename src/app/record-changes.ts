/** How calls are recorded that may change files: for undo, and with a checkpoint before each edit where that is wanted. */
import { Effect, Ref } from "effect"
import type { LoadedConfig } from "../config/load.ts"
import { redactionOf, type Secret } from "../kernel/redact-secrets.ts"
import { checkpointLimits, checkpointPlaces, isCheckpointing } from "../session/checkpoint/checkpoint-settings.ts"
import { withCheckpoints } from "../session/checkpoint/checkpointing.ts"
import { makeSaver } from "../session/checkpoint/save-checkpoint.ts"
import type { RecordCall } from "../session/undo/change-journal.ts"
import { makeRecorder } from "../session/undo/recorder.ts"
import { snapshotOptions } from "../session/undo/undo-settings.ts"
import { runSecrets } from "./run-secrets.ts"
import type { ToolPlaces } from "./tool-places.ts"

export interface RecordInput {
  readonly config: LoadedConfig
  readonly places: Pick<ToolPlaces, "includeDirectories" | "addedRoots">
  /** Credentials of this run that no variable holds. */
  readonly own: ReadonlyArray<Secret>
  /** Id of the session that is recorded now. */
  readonly session: Effect.Effect<string>
}

export const recordChanges = Effect.fnUntraced(function* ({ config, own, places, session }: RecordInput) {
  const clean = redactionOf([...runSecrets(config), ...own])
  const record = config.settings.get("general.undo.enabled")
    ? yield* makeRecorder({
        ...snapshotOptions(config, places.includeDirectories, Ref.get(places.addedRoots)),
        session,
        clean
      })
    : unrecorded
  if (!isCheckpointing(config)) return record
  const save = yield* makeSaver({ ...checkpointPlaces(config), limits: checkpointLimits(config), clean })
  return yield* withCheckpoints(save, record)
})

const unrecorded: RecordCall = (_recording, _run, effect) => effect
