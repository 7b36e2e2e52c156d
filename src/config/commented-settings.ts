/**
 * A settings file to begin with: what is useful of the table, by groups, every setting as a comment with its default.
 * Taking the slashes away is all that it needs, which is why each line ends in a comma.
 */
import { mergeDeep } from "./merge.ts"
import { settingKeys, settingRow } from "./setting-table.ts"

/** `schema`: what the file names as its schema, for editors. */
export const commentedSettings = (schema: string): string => {
  const groups = Map.groupBy(
    settingKeys().filter((key) => key.includes(".") && isOffered(key)),
    (key) => key.slice(0, key.indexOf("."))
  )
  const lines = [...groups].flatMap(([group, keys]) => [
    "",
    `  // "${group}": {`,
    ...[...Map.groupBy(keys.map(namedRow), ({ steps: [, name = ""] }) => name)].flatMap(([name, rows]) =>
      settingLines(
        name,
        rows.map(({ row, steps }) => ({ row, steps: steps.slice(1) }))
      )
    ),
    "  // },"
  ])
  return ["{", `  "$schema": ${JSON.stringify(schema)},`, ...lines, "}", ""].join("\n")
}

const namedRow = (key: Parameters<typeof settingRow>[0]): NamedRow => ({ steps: key.split("."), row: settingRow(key) })

const isOffered = (key: Parameters<typeof settingRow>[0]): boolean => {
  const { need, unsupported } = settingRow(key)
  return need !== "tui" && unsupported === undefined && !key.startsWith("experimental.")
}

/** Keys of deeper groups share an object: a name that stands twice would count once. */
const settingLines = (name: string, rows: ReadonlyArray<NamedRow>): ReadonlyArray<string> => [
  ...rows.map(({ row }) => `  //   // ${row.description}`),
  `  //   "${name}": ${JSON.stringify(rows.map(defaultOf).reduce(mergeDeep))},`
]

interface NamedRow {
  /** Below the group. */
  readonly steps: ReadonlyArray<string>
  readonly row: ReturnType<typeof settingRow>
}

const defaultOf = ({ row, steps }: NamedRow): unknown =>
  steps.slice(1).reduceRight<unknown>((value, step) => ({ [step]: value }), row.default ?? null)
