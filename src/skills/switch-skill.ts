/** Turning skills on and off: names in `skills.disabled` of the settings of the user and of the project. */
import { Effect } from "effect"
import { readForEdit, removeSetting, storeSetting } from "../config/edit-settings.ts"
import type { SettingsFile } from "../config/settings-files.ts"
import { skillId } from "./skill.ts"

const PATH = { key: "skills.disabled", inside: [] } as const

/** `false`: it was off there already. */
export const disableSkill = Effect.fn("Skills.disable")(function* (file: SettingsFile, name: string) {
  const names = yield* disabledIn(file)
  if (names.some((one) => skillId(one) === skillId(name))) return false
  yield* storeSetting(file, PATH, [...names, name])
  return true
})

/** In every file that names it; gives those that were changed. */
export const enableSkill = Effect.fn("Skills.enable")(function* (files: ReadonlyArray<SettingsFile>, name: string) {
  const changed: Array<string> = []
  for (const file of files) {
    const names = yield* disabledIn(file)
    const left = names.filter((one) => skillId(one) !== skillId(name))
    if (left.length === names.length) continue
    yield* left.length === 0 ? removeSetting(file, PATH) : storeSetting(file, PATH, left)
    changed.push(file.file)
  }
  return changed
})

const disabledIn = (file: SettingsFile) =>
  Effect.map(readForEdit(file), ({ document }) => {
    const value = document.entries.get("skills.disabled")?.value
    return Array.isArray(value) ? value.filter((one): one is string => typeof one === "string") : []
  })
