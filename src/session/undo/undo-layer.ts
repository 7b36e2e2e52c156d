/** What `/undo` and `/restore` stand on, from the configuration of the session. */
import { Effect, Layer } from "effect"
import { Environment } from "../../config/environment.ts"
import { Settings } from "../../config/settings.ts"
import { Storage } from "../../config/storage.ts"
import { checkpointPlaces } from "../checkpoint/checkpoint-settings.ts"
import * as Checkpoints from "../checkpoint/checkpoints.ts"
import * as Undo from "./undo.ts"
import { snapshotOptions } from "./undo-settings.ts"

export const undoLayer = Layer.unwrapEffect(
  Effect.gen(function* () {
    const config = { environment: yield* Environment, settings: yield* Settings, storage: yield* Storage }
    return Layer.merge(Undo.layer(snapshotOptions(config, [])), Checkpoints.layer(checkpointPlaces(config)))
  })
)
