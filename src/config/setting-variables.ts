/**
 * Variables that beat settings, for whoever asks where a value comes from: with them a setting is shown as a run sees it.
 * Secret values are covered here, so that nothing behind this shows them.
 */
import { Option } from "effect"
import { COVERED, coverCredentials, coverText } from "../system/environment-redaction.ts"
import { decodeSetting } from "./decode-setting.ts"
import { type SettingKey, settingRow } from "./setting-table.ts"
import type { Explanation } from "./settings.ts"

export interface VariableSource {
  readonly name: string
  readonly text: string
}

export interface ShownSetting extends Explanation {
  /** Those that are set. A single one that can be is the value; of several each says a part of it. */
  readonly variables: ReadonlyArray<VariableSource>
}

export const shownSetting = (
  explanation: Explanation,
  variable: (name: string) => string | undefined
): ShownSetting => {
  const row = settingRow(explanation.key)
  const found = (row.variables ?? []).flatMap((name) => {
    const text = variable(name)?.trim() ?? ""
    // A key of the settings is handed on as the variable that it stands for.
    return text === "" || text === explanation.value ? [] : [{ name, text }]
  })
  const [first] = found
  const beaten =
    row.variables?.length === 1 && first !== undefined
      ? {
          ...explanation,
          value: Option.getOrElse(decodeSetting(row, first.text).value, () => first.text),
          sources: explanation.sources.map((source) => ({ ...source, used: false }))
        }
      : explanation
  return row.isSecret === true ? covered(beaten, found) : partlyCovered({ ...beaten, variables: found })
}

/** Credentials of servers, hooks and addresses stand inside of other settings. */
const partlyCovered = (shown: ShownSetting): ShownSetting => ({
  ...shown,
  value: coverCredentials(shown.value),
  sources: shown.sources.map((source) => ({ ...source, value: coverCredentials(source.value) })),
  variables: shown.variables.map(({ name, text }) => ({ name, text: coverText(text) }))
})

const covered = (explanation: Explanation, variables: ReadonlyArray<VariableSource>): ShownSetting => ({
  ...explanation,
  value: explanation.value === undefined ? undefined : COVERED,
  sources: explanation.sources.map((source) => ({ ...source, value: COVERED })),
  variables: variables.map(({ name }) => ({ name, text: COVERED }))
})

/** Set by a file or by a variable; a key that is only in its variable is where everybody has it. */
export const isSet = ({ key, sources, variables }: ShownSetting): boolean =>
  sources.length > 0 || (variables.length > 0 && settingRow(key).isSecret !== true)

/** Which variable has the last word on it, where one has. */
export const winningVariable = ({ key, variables }: ShownSetting): VariableSource | undefined =>
  hasParts(key) ? undefined : variables[0]

const hasParts = (key: SettingKey): boolean => (settingRow(key).variables?.length ?? 0) > 1
