/** `/vim`: vi keys in the line editor, on and off. */
import { Effect } from "effect"
import { type CommandResult, slash } from "../command.ts"
import { ViKeys } from "../vi-keys.ts"

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
