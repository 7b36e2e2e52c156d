/** The settings table as one schema: groups are objects, and every key may be missing or taken back by `null`. */
import { Schema } from "effect"
import { type SettingRow, settingKeys, settingRow } from "../../config/setting-table.ts"

interface Group {
  readonly [name: string]: Group | SettingRow
}

export const settingsSchema = (): Schema.Schema.AnyNoContext => {
  const root: Record<string, Group | SettingRow> = {}
  for (const key of settingKeys()) {
    const steps = key.split(".")
    const last = steps.pop() ?? key
    let group = root
    for (const step of steps) group = groupIn(group, step)
    group[last] = settingRow(key)
  }
  return structOf(root)
}

const groupIn = (group: Record<string, Group | SettingRow>, name: string): Record<string, Group | SettingRow> => {
  const known = group[name]
  if (known !== undefined && !isRow(known)) return known
  const made: Record<string, Group | SettingRow> = {}
  group[name] = made
  return made
}

const isRow = (value: Group | SettingRow): value is SettingRow => "merge" in value && "need" in value

const structOf = (group: Group): Schema.Schema.AnyNoContext =>
  Schema.Struct(
    Object.fromEntries(
      Object.entries(group).map(([name, value]) => [
        name,
        Schema.optionalWith(isRow(value) ? rowSchema(value) : structOf(value), { exact: true })
      ])
    )
  )

const rowSchema = (row: SettingRow): Schema.Schema.AnyNoContext => {
  // One element may stand for a list of one, where lists of several files are joined.
  const isList = row.merge === "concat" || row.merge === "union"
  const value = isList && row.normalize !== undefined ? Schema.Union(row.schema, Schema.String) : row.schema
  return Schema.NullOr(value).annotations({ description: described(row) })
}

const described = ({ default: standard, description, unsupported }: SettingRow): string =>
  [
    description,
    ...(standard === undefined ? [] : [`Default: ${JSON.stringify(standard)}.`]),
    ...(unsupported === undefined ? [] : [`Without effect here: ${unsupported.because}.`])
  ].join(" · ")
