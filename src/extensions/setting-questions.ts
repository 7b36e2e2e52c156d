/**
 * Who answers while extensions are changed, and the questions for values of their settings. No answer leaves a setting
 * without a value.
 */
import { Effect } from "effect"
import { visibleLine } from "../kernel/visible-text.ts"
import { valueFault } from "./dotenv-edit.ts"
import type { ExtensionSetting } from "./manifest.ts"
import { readValues, type SettingPlace, type SettingScope, storeValue } from "./setting-values.ts"

export const askSettings = Effect.fn("Extensions.askSettings")(function* (
  settings: ReadonlyArray<ExtensionSetting>,
  scope: SettingScope,
  place: SettingPlace,
  dialogue: Dialogue
) {
  for (const setting of settings) {
    const value = yield* askValue(setting, dialogue)
    if (value === undefined) yield* dialogue.tell(`${visibleLine(setting.name)} has no value yet.`)
    else yield* storeValue(setting, value, scope, place)
  }
})

/** One setting, for which there may be a value already. */
export const changeSetting = Effect.fnUntraced(function* (
  setting: ExtensionSetting,
  scope: SettingScope,
  place: SettingPlace,
  dialogue: Dialogue
) {
  const known = (yield* readValues([setting], place)).get(setting.envVar)
  const isSet = known?.scope === scope
  if (isSet && !(yield* dialogue.confirm(`${visibleLine(setting.name)} has a value already. Overwrite it?`)))
    return false
  const value = yield* askValue(setting, dialogue)
  if (value === undefined) return false
  yield* storeValue(setting, value, scope, place)
  return true
})

const askValue = Effect.fnUntraced(function* (setting: ExtensionSetting, dialogue: Dialogue) {
  const isHidden = setting.sensitive === true
  const lines = [setting.name, ...(setting.description === undefined ? [] : [setting.description])].map(visibleLine)
  const value = yield* dialogue.ask([...lines, "Value:"].join("\n"), { isHidden })
  if (value === undefined || value === "") return undefined
  const fault = valueFault(value)
  if (fault === undefined) return value
  yield* dialogue.tell(`${visibleLine(setting.name)}: ${fault}.`)
  return undefined
})

/** Who answers while extensions are changed: a person at the shell or in a conversation, or nobody. */
export interface Dialogue {
  /** Anything but a clear yes is a no. */
  readonly confirm: (question: string) => Effect.Effect<boolean>
  /** One line of text; `undefined` when there is no answer. What is hidden is not echoed. */
  readonly ask: (question: string, options: { readonly isHidden: boolean }) => Effect.Effect<string | undefined>
  /** Beside the result: what to know before answering, and what was left out. */
  readonly tell: (text: string) => Effect.Effect<void>
}

/** Nobody is there: every question is answered with no. */
export const nobody: Dialogue = {
  confirm: () => Effect.succeed(false),
  ask: () => Effect.succeed(undefined),
  tell: () => Effect.void
}
