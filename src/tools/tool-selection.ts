/** Which tools the settings leave in: `tools.core`, `tools.exclude`, and features that are switched off. Pure. */
import type { Tool } from "./tool.ts"

type Named = Pick<Tool, "name" | "aliases" | "classNames" | "variant">

export interface ToolSettings {
  /** `tools.core`: only these built-in tools. Absent: all; empty: none. */
  readonly core?: ReadonlyArray<string> | undefined
  /** `tools.exclude`: never these, built-in or not. */
  readonly exclude: ReadonlyArray<string>
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
}

/** Settings that nobody has changed. */
export const DEFAULT_TOOL_SETTINGS: ToolSettings = {
  exclude: [],
  writeTodos: true,
  topicUpdates: true,
  plan: true,
  taskTracker: false,
  directWebFetch: false
}

export const isBuiltinSelected = (tool: Named, settings: ToolSettings): boolean => {
  const { core } = settings
  const isListed = core === undefined || core.some((entry) => isListedInCore(tool, entry.trim()))
  return isListed && isFeatureOn(tool, settings)
}

/** Also for tools that are not built in. An entry with parentheses narrows a rule of the policy and hides nothing. */
export const isExcluded = (tool: Named, settings: Pick<ToolSettings, "exclude">): boolean =>
  settings.exclude.some((entry) => answersTo(tool, entry.trim()))

/** By its name, an older name, or the name of the class that it had elsewhere. */
export const answersTo = (tool: Named, name: string): boolean => namesOf(tool).includes(name)

/** `ShellTool(git)` lists the tool as well; what is in the parentheses is the policy's business. */
const isListedInCore = (tool: Named, entry: string): boolean =>
  namesOf(tool).some((name) => entry === name || entry.startsWith(`${name}(`))

const namesOf = (tool: Named): ReadonlyArray<string> => [tool.name, ...tool.aliases, ...tool.classNames]

const isFeatureOn = ({ name, variant }: Named, settings: ToolSettings): boolean => {
  if (name === "web_fetch") return (variant === "direct") === settings.directWebFetch
  if (name === "write_todos") return settings.writeTodos
  if (name === "update_topic") return settings.topicUpdates
  if (name === "enter_plan_mode" || name === "exit_plan_mode") return settings.plan
  return !name.startsWith("tracker_") || settings.taskTracker
}
