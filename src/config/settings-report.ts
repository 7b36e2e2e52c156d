/** How settings are shown by `gemini config`: one line each for people, plain data for programs. */
import { existsSync } from "node:fs"
import type { Finding } from "./config-error.ts"
import { formatIssue } from "./config-error.ts"
import { settingRow } from "./setting-table.ts"
import { type ShownSetting, winningVariable } from "./setting-variables.ts"
import type { SettingSource } from "./settings.ts"
import { whyIneffective } from "./unsupported-settings.ts"

/** Strings bare, everything else as JSON; nothing for a setting without a value. */
export const valueText = (value: unknown): string =>
  value === undefined ? "" : typeof value === "string" ? value : JSON.stringify(value)

export const listLine = (explanation: ShownSetting): string =>
  `${explanation.key} = ${jsonOf(explanation.value)}  (${originOf(explanation)})${vain(explanation)}`

const isDefault = (explanation: ShownSetting): boolean =>
  winningVariable(explanation) === undefined && explanation.sources.every(({ used }) => !used)

const vain = ({ key, sources, value }: ShownSetting): string => {
  const because = sources.length === 0 ? undefined : whyIneffective(key, value)
  return because === undefined ? "" : `  no effect: ${because}`
}

export const explanationLines = (explanation: ShownSetting): ReadonlyArray<string> => [
  `${explanation.key} = ${jsonOf(explanation.value)}`,
  `  ${explanation.description}`,
  ...becauseOf(explanation).map((because) => `  no effect here: ${because}`),
  `  ${markOf(isDefault(explanation))} default: ${jsonOf(explanation.default)}`,
  ...explanation.sources.map((source) => `  ${markOf(source.used)} ${source.scope}: ${sourceText(source)}`),
  ...explanation.variables.map(({ name, text }) => `  * variable ${name}: ${text}`),
  ...(explanation.projectMay === undefined ? [] : [`  a project may ${explanation.projectMay}`])
]

export const findingLine = (finding: Finding): string => `${finding.severity}: ${formatIssue(finding)}`

/** `null` where there is no value: JSON has no other word for it. */
export const explanationDocument = ({
  key,
  description,
  value,
  default: fallback,
  projectMay,
  sources,
  variables
}: ShownSetting) => ({
  key,
  value: value ?? null,
  default: fallback ?? null,
  description,
  project_may: projectMay ?? "set it",
  sources,
  ...(variables.length === 0 ? {} : { variables }),
  ...Object.fromEntries(becauseOf({ key }).map((because) => ["unsupported", because]))
})

/** Whatever it is set to. */
const becauseOf = ({ key }: Pick<ShownSetting, "key">): ReadonlyArray<string> => {
  const { unsupported } = settingRow(key)
  return unsupported === undefined ? [] : [unsupported.because]
}

const jsonOf = (value: unknown): string => (value === undefined ? "(unset)" : JSON.stringify(value))

const markOf = (isUsed: boolean): string => (isUsed ? "*" : " ")

const sourceText = ({ value, file, line, refused }: SettingSource): string =>
  `${jsonOf(value)}  ${file}:${line}${refused === undefined ? "" : `  (${refused} does not count)`}`

const originOf = (explanation: ShownSetting): string => {
  const { sources, variables } = explanation
  const winner = winningVariable(explanation)
  if (winner !== undefined) return `variable ${winner.name}`
  const named = variables.map(({ name }) => `variable ${name}`)
  const used = sources.filter((source) => source.used)
  const places = [...used.map(({ scope, file, line }) => `${scope} ${file}:${line}`), ...named]
  return places.length === 0 ? "default" : places.join(", ")
}

/** Each line once: files may be looked at twice. */
export const distinctFindings = (findings: ReadonlyArray<Finding>): ReadonlyArray<Finding> => [
  ...new Map(findings.map((finding) => [findingLine(finding), finding])).values()
]

export const exists = (file: string): boolean => existsSync(file)
