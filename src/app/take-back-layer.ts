/** What `/undo` and `/restore` stand on, from the configuration of the session. */
import { Effect, Layer } from "effect"
import { Environment } from "../config/environment.ts"
import { Settings } from "../config/settings.ts"
import { Storage } from "../config/storage.ts"
import { checkpointPlaces } from "../session/checkpoint/checkpoint-settings.ts"
import * as Checkpoints from "../session/checkpoint/checkpoints.ts"
import * as Undo from "../session/undo/undo.ts"
import { snapshotOptions } from "../session/undo/undo-settings.ts"

export const takeBackLayer = Layer.unwrapEffect(
  Effect.gen(function* () {
    const config = { environment: yield* Environment, settings: yield* Settings, storage: yield* Storage }
    return Layer.merge(Undo.layer(snapshotOptions(config, [])), Checkpoints.layer(checkpointPlaces(config)))
  })
)
