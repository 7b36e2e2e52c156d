/** Makes a checkpoint before every call that may change files, whoever approved it. One that fails is told once. */
import { Effect, Ref } from "effect"
import type { RecordCall } from "../undo/change-journal.ts"
import type { SaveCheckpoint } from "./save-checkpoint.ts"

export const withCheckpoints = Effect.fnUntraced(function* (save: SaveCheckpoint, record: RecordCall) {
  const hasComplained = yield* Ref.make(false)
  const checkpointed: RecordCall = (recording, run, effect) => {
    const saved = Effect.flatMap(run.history, (history) => save(recording.call, history)).pipe(
      Effect.catchAll(({ message }) =>
        Effect.flatMap(Ref.getAndSet(hasComplained, true), (before) =>
          before ? Effect.void : recording.tell(`no checkpoint was made: ${message}`)
        )
      )
    )
    return Effect.zipRight(saved, record(recording, run, effect))
  }
  return checkpointed
})
