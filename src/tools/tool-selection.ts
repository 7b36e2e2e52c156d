/** Which tools the settings leave in: `tools.core`, `tools.exclude`, and features that are switched off. Pure. */
import type { SettingsView } from "../config/settings.ts"
import { canonicalName } from "../policy/tool-names.ts"
import type { ExtensionParts } from "../protocol/run-facts.ts"
import type { Tool } from "./tool.ts"

type Named = Pick<Tool, "name" | "aliases" | "classNames" | "variant">

export interface ToolSettings {
  /** `tools.core`: only these built-in tools. Absent: all; empty: none. */
  readonly core?: ReadonlyArray<string> | undefined
  /** `--tools`: only these, built-in or not. Absent: all. */
  readonly only?: ReadonlyArray<string> | undefined
  /** `tools.exclude`: never these, built-in or not. */
  readonly exclude: ReadonlyArray<string>
  /** What extensions take out, in the same form. */
  readonly excludedBy?: ReadonlyArray<Exclusion>
  /** `useWriteTodos` */
  readonly writeTodos: boolean
  /** `general.topicUpdateNarration` */
  readonly topicUpdates: boolean
  /** `general.plan.enabled` */
  readonly plan: boolean
  /** `experimental.taskTracker` */
  readonly taskTracker: boolean
  /** `experimental.directWebFetch`: the form of `web_fetch` without another model in between. */
  readonly directWebFetch: boolean
  /** `experimental.enableAgents` */
  readonly agents: boolean
}

export interface Exclusion {
  readonly extension: string
  readonly entry: string
}

export const exclusionsOf = (
  extensions: ReadonlyArray<Pick<ExtensionParts, "name" | "excludeTools">>
): ReadonlyArray<Exclusion> =>
  extensions.flatMap(({ excludeTools, name }) => excludeTools.map((entry) => ({ extension: name, entry })))

/** Settings that nobody has changed. */
export const DEFAULT_TOOL_SETTINGS: ToolSettings = {
  exclude: [],
  writeTodos: true,
  topicUpdates: true,
  plan: true,
  taskTracker: false,
  directWebFetch: false,
  agents: true
}

export const toolSettings = (settings: SettingsView): ToolSettings => ({
  core: settings.get("tools.core"),
  exclude: settings.get("tools.exclude") ?? [],
  writeTodos: settings.get("useWriteTodos"),
  topicUpdates: settings.get("general.topicUpdateNarration"),
  plan: settings.get("general.plan.enabled"),
  taskTracker: settings.get("experimental.taskTracker"),
  directWebFetch: settings.get("experimental.directWebFetch"),
  agents: settings.get("experimental.enableAgents")
})

export const isBuiltinSelected = (tool: Named, settings: ToolSettings): boolean =>
  isInCore(tool, settings) && switchOf(tool, settings) === undefined

/** Why the settings keep a built-in tool from every model, in words for people; `undefined` when they do not. */
export const leftOutBecause = (tool: Named, settings: ToolSettings): string | undefined => {
  const by = excludingExtension(tool, settings)
  if (by !== undefined) return `the extension ${by} excludes it`
  if (isExcluded(tool, settings)) return "tools.exclude names it"
  if (!isInCore(tool, settings)) return "tools.core does not list it"
  const setting = switchOf(tool, settings)
  return setting === undefined ? undefined : `${setting} switches it off`
}

/** Also for tools that are not built in. An entry with parentheses narrows a rule of the policy and hides nothing. */
export const isExcluded = (tool: Named, settings: Pick<ToolSettings, "exclude" | "excludedBy" | "only">): boolean =>
  settings.only?.some((entry) => isMeantBy(tool, entry.trim())) === false ||
  settings.exclude.some((entry) => isMeantBy(tool, entry.trim())) ||
  excludingExtension(tool, settings) !== undefined

const excludingExtension = (tool: Named, { excludedBy = [] }: Pick<ToolSettings, "excludedBy">): string | undefined =>
  excludedBy.find(({ entry }) => answersTo(tool, entry.trim()))?.extension

/** A name, or the beginning of one: `mcp_docs_*`. */
const isMeantBy = (tool: Named, entry: string): boolean =>
  entry.endsWith("*") ? tool.name.startsWith(entry.slice(0, -1)) : answersTo(tool, entry)

/** By its name, an older name, or the name of the class that it had elsewhere. */
export const answersTo = (tool: Named, name: string): boolean =>
  namesOf(tool).includes(name) || tool.name === canonicalName(name)

/** `ShellTool(git)` lists the tool as well; what is in the parentheses is the policy's business. */
const isListedInCore = (tool: Named, entry: string): boolean => answersTo(tool, entry.replace(/\(.*$/s, ""))

const namesOf = (tool: Named): ReadonlyArray<string> => [tool.name, ...tool.aliases, ...tool.classNames]

const isInCore = (tool: Named, { core }: ToolSettings): boolean =>
  core === undefined || core.some((entry) => isListedInCore(tool, entry.trim()))

/** The setting that turns this tool off; `undefined` while it is on. */
const switchOf = ({ name, variant }: Named, settings: ToolSettings): string | undefined => {
  const unless = (isOn: boolean, setting: string) => (isOn ? undefined : setting)
  if (name === "web_fetch")
    return unless((variant === "direct") === settings.directWebFetch, "experimental.directWebFetch")
  if (name === "invoke_agent") return unless(settings.agents, "experimental.enableAgents")
  if (name === "write_todos") return unless(settings.writeTodos, "useWriteTodos")
  if (name === "update_topic") return unless(settings.topicUpdates, "general.topicUpdateNarration")
  if (name === "enter_plan_mode" || name === "exit_plan_mode") return unless(settings.plan, "general.plan.enabled")
  return unless(!name.startsWith("tracker_") || settings.taskTracker, "experimental.taskTracker")
}
