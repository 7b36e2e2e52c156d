/** How calls are recorded that may change files: for undo, and with a checkpoint before each edit where that is wanted. */
import { Effect } from "effect"
import type { LoadedConfig } from "../../config/load.ts"
import { redaction } from "../../config/secrets.ts"
import { WorkspaceRoots } from "../../config/workspace-roots.ts"
import { checkpointLimits, checkpointPlaces, isCheckpointing } from "../checkpoint/checkpoint-settings.ts"
import { makeSaver, withCheckpoints } from "../checkpoint/save-checkpoint.ts"
import { SessionRecorder } from "../record/session-recorder.ts"
import type { RecordCall } from "./change-journal.ts"
import { makeRecorder } from "./recorder.ts"
import { snapshotOptions } from "./undo-settings.ts"

export const recordChanges = Effect.fnUntraced(function* (config: LoadedConfig) {
  const clean = yield* redaction
  const { added, included } = yield* WorkspaceRoots
  const { session } = yield* SessionRecorder
  const record = config.settings.get("general.undo.enabled")
    ? yield* makeRecorder({
        ...snapshotOptions(config, included, added),
        session: Effect.map(session, ({ sessionId }) => sessionId),
        clean
      })
    : unrecorded
  if (!isCheckpointing(config)) return record
  const save = yield* makeSaver({ ...checkpointPlaces(config), limits: checkpointLimits(config), clean })
  return yield* withCheckpoints(save, record)
})

const unrecorded: RecordCall = (_recording, _run, effect) => effect
