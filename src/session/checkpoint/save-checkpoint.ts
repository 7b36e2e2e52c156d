/** Keeps the project, the conversation and the call that is about to edit a file, before it does. */
import { join } from "node:path"
import { Clock, DateTime, Effect, Ref } from "effect"
import type { StorageError } from "../../config/storage-error.ts"
import { errnoOf } from "../../files/file-error.ts"
import type { Content } from "../../protocol/content.ts"
import type { ChangingCall } from "../undo/change-journal.ts"
import { checkpointName, removeOldCheckpoints, screenHistory, writeCheckpoint } from "./checkpoint-record.ts"
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
  /** Older checkpoints go. */
  readonly maxAgeMs: number
  /** Takes secrets out of the conversation that is kept. */
  readonly clean: (text: string) => string
}

/** The name of the checkpoint. Fails without having changed anything in the project. */
export type SaveCheckpoint = (
  call: ChangingCall,
  history: ReadonlyArray<Content>
) => Effect.Effect<string, ShadowError | StorageError>

export const makeSaver = Effect.fnUntraced(function* (options: SaverOptions) {
  const lock = yield* Effect.makeSemaphore(1)
  const hasPruned = yield* Ref.make(false)

  const prune = Effect.fnUntraced(function* (folder: string) {
    if (yield* Ref.getAndSet(hasPruned, true)) return
    const now = yield* Clock.currentTimeMillis
    removeOldCheckpoints(folder, options.maxAgeMs, now)
  })

  const save = Effect.fn("Checkpoint.save")(function* (call: ChangingCall, contents: ReadonlyArray<Content>) {
    const folder = yield* checkpointFolder(options)
    yield* prune(folder)
    const commitHash = yield* takeSnapshot(yield* shadowPlace(options), `Snapshot for ${call.tool}`)
    const name = checkpointName(DateTime.formatIso(yield* DateTime.now), call.paths?.[0] ?? "files", call.tool)
    const record = {
      history: screenHistory(contents),
      clientHistory: contents,
      toolCall: { name: call.tool, args: call.args },
      commitHash,
      messageId: call.callId
    }
    return yield* Effect.try({
      try: () => writeCheckpoint(folder, name, record, options.clean),
      catch: (cause) => new ShadowError({ kind: "write", detail: errnoOf(cause) })
    })
  })

  const saver: SaveCheckpoint = (call, history) => lock.withPermits(1)(save(call, history))
  return saver
})

export const checkpointFolder = ({ tempDir }: CheckpointPlaces) =>
  Effect.map(tempDir, (dir) => join(dir, "checkpoints"))

export const shadowPlace = ({ historyDir, path, workTree }: CheckpointPlaces) =>
  Effect.map(historyDir, (dir): ShadowPlace => ({ historyDir: dir, workTree, path }))
