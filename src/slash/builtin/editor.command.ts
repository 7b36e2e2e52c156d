/** `/editor` and `/vim`: what the next prompt is written with. */
import { Context, Effect, Layer, Ref } from "effect"
import { storeSetting } from "../../config/edit-settings.ts"
import { Settings } from "../../config/settings.ts"
import { Storage } from "../../config/storage.ts"
import { type CommandResult, print, slash } from "../command.ts"
import { failed } from "../command-error.ts"

export const editor = slash({
  name: "editor",
  description: "Write the next prompt in $VISUAL or $EDITOR; with a name, prefer that editor",
  usage: "[program]",
  run: Effect.fnUntraced(function* ({ args }) {
    if (args === "") return { _tag: "EditDraft", text: "" } satisfies CommandResult as CommandResult
    const { userSettingsFile } = yield* Storage
    yield* storeSetting(
      { scope: "user", file: userSettingsFile },
      { key: "general.preferredEditor", inside: [] },
      args
    ).pipe(Effect.mapError(failed))
    return print(`general.preferredEditor is now ${args}; it counts from the next start.`)
  })
})

/** Vi keys in the line editor, on and off. */
export const vim = slash({
  name: "vim",
  description: "Switch vi keys on or off",
  isConcurrent: true,
  run: Effect.fnUntraced(function* () {
    const keys = yield* ViKeys
    const isOn = yield* keys.toggle
    const told = isOn ? "Vi keys are on: Esc commands, i inserts." : "Vi keys are off."
    return { _tag: "SetEditorKeys", keys: isOn ? "vi" : "emacs", told } satisfies CommandResult as CommandResult
  })
})

/** Whether the line editor listens to vi keys, as far as commands have said so. */
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
