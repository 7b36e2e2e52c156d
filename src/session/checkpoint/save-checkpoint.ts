/** Keeps the project, the conversation and the call that is about to change something, before it does. */

import { join } from "node:path"
import { Clock, DateTime, Effect, Fiber, Ref } from "effect"
import { errnoOf } from "../../files/file-error.ts"
import type { Content } from "../../protocol/content.ts"
import type { StorageError } from "../../system/storage-error.ts"
import type { ChangingCall, RecordCall } from "../undo/change-journal.ts"
import { checkpointName, screenHistory, writeCheckpoint } from "./checkpoint-record.ts"
import { isPruningDue, pruneShadow, type ShadowLimits } from "./prune-shadow.ts"
import { ShadowError, type ShadowPlace } from "./shadow-git.ts"
import { takeSnapshot } from "./shadow-repository.ts"

export interface CheckpointPlaces {
  /** `~/.gemini/history/<project>` */
  readonly historyDir: Effect.Effect<string, StorageError>
  /** `~/.gemini/tmp/<project>` */
  readonly tempDir: Effect.Effect<string, StorageError>
  /** The project, as a real path. */
  readonly workTree: string
  /** `PATH` */
  readonly path: string | undefined
}

export interface SaverOptions extends CheckpointPlaces {
  readonly limits: ShadowLimits
  /** Takes secrets out of the conversation that is kept. */
  readonly clean: (text: string) => string
}

/** The name of the checkpoint. Fails without having changed anything in the project. */
export type SaveCheckpoint = (
  call: ChangingCall,
  history: ReadonlyArray<Content>
) => Effect.Effect<string, ShadowError | StorageError>

/** The end of a run waits so long for the collection of old snapshots; what is not done then is begun anew another day. */
const LAST_WAIT = "3 seconds"

export const makeSaver = Effect.fnUntraced(function* (options: SaverOptions) {
  const lock = yield* Effect.makeSemaphore(1)
  const pruning = yield* Ref.make<Fiber.RuntimeFiber<void, unknown> | undefined>(undefined)

  /** Beside the work, once there is a checkpoint; nobody is told of what goes wrong: it is tried again. */
  const prune = Effect.fnUntraced(function* (place: ShadowPlace, folder: string) {
    const now = yield* Clock.currentTimeMillis
    if ((yield* Ref.get(pruning)) !== undefined || !isPruningDue(place.historyDir, now)) return
    // Not a child of the call that is under way, nor of the scope, which would end it at once: the finalizer ends it.
    yield* Ref.set(pruning, yield* Effect.forkDaemon(Effect.interruptible(pruneShadow(place, folder, options.limits))))
  })
  yield* Effect.addFinalizer(() =>
    Effect.flatMap(Ref.get(pruning), (fiber) =>
      fiber === undefined
        ? Effect.void
        : Effect.zipRight(
            Effect.timeoutOption(Effect.interruptible(Fiber.await(fiber)), LAST_WAIT),
            Fiber.interrupt(fiber)
          )
    )
  )

  const save = Effect.fn("Checkpoint.save")(function* (call: ChangingCall, contents: ReadonlyArray<Content>) {
    const folder = yield* checkpointFolder(options)
    const place = yield* shadowPlace(options)
    const commitHash = yield* takeSnapshot(place, `Snapshot for ${call.tool}`)
    const name = checkpointName(DateTime.formatIso(yield* DateTime.now), call.paths?.[0] ?? "files", call.tool)
    const record = {
      history: screenHistory(contents),
      clientHistory: contents,
      toolCall: { name: call.tool, args: call.args },
      commitHash,
      messageId: call.callId
    }
    const unique = yield* Effect.try({
      try: () => writeCheckpoint(folder, name, record, options.clean),
      catch: (cause) => new ShadowError({ kind: "write", detail: errnoOf(cause) })
    })
    yield* prune(place, folder)
    return unique
  })

  const saver: SaveCheckpoint = (call, history) => lock.withPermits(1)(save(call, history))
  return saver
})

export const checkpointFolder = ({ tempDir }: CheckpointPlaces) =>
  Effect.map(tempDir, (dir) => join(dir, "checkpoints"))

export const shadowPlace = ({ historyDir, path, workTree }: CheckpointPlaces) =>
  Effect.map(historyDir, (dir): ShadowPlace => ({ historyDir: dir, workTree, path }))

/** Makes a checkpoint before every call that may change files, whoever approved it. One that fails is told once. */
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
