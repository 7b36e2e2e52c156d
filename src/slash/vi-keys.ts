/** Whether the line editor listens to vi keys, as far as commands have said so. */
import { Context, Effect, Layer, Ref } from "effect"
import { Settings } from "../config/settings.ts"

export class ViKeys extends Context.Tag("agent/slash/ViKeys")<
  ViKeys,
  {
    /** Gives the new state. */
    readonly toggle: Effect.Effect<boolean>
  }
>() {}

export const layer = Layer.effect(
  ViKeys,
  Effect.gen(function* () {
    const settings = yield* Settings
    const isOn = yield* Ref.make(settings.get("general.vimMode"))
    return ViKeys.of({ toggle: Ref.updateAndGet(isOn, (before) => !before) })
  })
)
