/**
 * Going back to a file checkpoint (`/restore`): which there are, what going back would do, and doing it. Checkpoints
 * outlive the process that made them.
 */
import { rmSync } from "node:fs"
import { join } from "node:path"
import { Context, Effect, Layer, Schema } from "effect"
import { errnoOf } from "../../files/file-error.ts"
import { CallId } from "../../protocol/ids.ts"
import type { StorageError } from "../../system/storage-error.ts"
import { ChangeJournal, type ChangingCall } from "../undo/change-journal.ts"
import { type CheckpointRecord, checkpointNames, readCheckpoint } from "./checkpoint-record.ts"
import { type CheckpointPlaces, checkpointFolder, shadowPlace } from "./save-checkpoint.ts"
import { ShadowError } from "./shadow-git.ts"
import { planRestore, type RestorePlan, restoreFiles } from "./shadow-repository.ts"

export class UnknownCheckpoint extends Schema.TaggedError<UnknownCheckpoint>()("UnknownCheckpoint", {
  name: Schema.String
}) {
  override get message() {
    return `There is no checkpoint ${this.name}, or it cannot be read: /restore lists those there are.`
  }
}

export interface CheckpointPlan {
  readonly name: string
  readonly record: CheckpointRecord
  readonly files: RestorePlan
}

export interface RestoreOptions {
  /** Files that were made since the checkpoint go as well. */
  readonly removeMade: boolean
  readonly tell: (line: string) => Effect.Effect<void>
}

export class Checkpoints extends Context.Tag("agent/session/Checkpoints")<
  Checkpoints,
  {
    /** Names, oldest first. */
    readonly list: Effect.Effect<ReadonlyArray<string>, StorageError>
    /** What going back would do to files. Changes nothing. */
    readonly plan: (name: string) => Effect.Effect<CheckpointPlan, UnknownCheckpoint | ShadowError | StorageError>
    /**
     * Puts the files back, as a run of its own that `undo` can take back. The caller then reloads the conversation from
     * `record.clientHistory` and offers `record.toolCall` again.
     */
    readonly restore: (plan: CheckpointPlan, options: RestoreOptions) => Effect.Effect<void, ShadowError | StorageError>
  }
>() {}

export const layer = (places: CheckpointPlaces) =>
  Layer.effect(
    Checkpoints,
    Effect.gen(function* () {
      const journal = yield* ChangeJournal

      const plan = Effect.fn("Checkpoints.plan")(function* (name: string) {
        const record = readCheckpoint(yield* checkpointFolder(places), name)
        if (record === undefined) return yield* new UnknownCheckpoint({ name })
        return { name, record, files: yield* planRestore(yield* shadowPlace(places), record.commitHash ?? "none") }
      })

      const putBack = Effect.fnUntraced(function* (files: RestorePlan, { removeMade }: RestoreOptions) {
        yield* restoreFiles(yield* shadowPlace(places), files)
        if (removeMade) yield* removeFiles(places.workTree, files.made)
      })

      return Checkpoints.of({
        list: Effect.map(checkpointFolder(places), checkpointNames),
        plan,
        restore: Effect.fn("Checkpoints.restore")(function* ({ files, name }, options) {
          yield* journal.beginRun({ title: `/restore ${name}`, history: Effect.succeed([]) })
          yield* journal.record({ call: restoreCall(name), tell: options.tell }, putBack(files, options))
        })
      })
    })
  )

const removeFiles = (workTree: string, paths: ReadonlyArray<string>) =>
  Effect.try({
    try: () => {
      for (const path of paths) rmSync(join(workTree, path), { force: true })
    },
    catch: (cause) => new ShadowError({ kind: "write", detail: errnoOf(cause) })
  })

const restoreCall = (name: string): ChangingCall => ({
  callId: CallId.make(`restore__${name}`),
  tool: "restore",
  args: { checkpoint: name },
  what: `/restore ${name}`
})
