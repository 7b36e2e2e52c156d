/**
 * Older spellings of settings. Files that were written for earlier versions keep working: names are brought to the
 * present layout while the file is read, in memory only; the file itself is never rewritten for it.
 */
import { Predicate } from "effect"

export interface LegacyName {
  /** Key or group of the present table. */
  readonly to: string
  /** Applied to a value that moves to another meaning. */
  readonly convert?: (value: unknown) => unknown
  /** Only a value of this kind is the old form. */
  readonly when?: (value: unknown) => boolean
}

export const legacyName = (path: string): LegacyName | undefined => {
  const found = Object.hasOwn(LEGACY, path) ? LEGACY[path] : undefined
  return typeof found === "string" ? { to: found } : found
}

/** Names inside `hooks` that belonged to an older layout and mean nothing any more. */
export const isObsolete = (path: string): boolean => /^hooks\.(enabled|disabled|notifications)$/.test(path)

const inverted = (value: unknown): unknown => {
  if (typeof value === "boolean") return !value
  if (typeof value !== "string") return value
  const word = value.toLowerCase()
  return word === "true" ? false : word === "false" ? true : value
}

const investigator = (value: unknown): unknown => {
  if (!Predicate.isRecord(value)) return value
  const { enabled, model, thinkingBudget, maxNumTurns, maxTimeMinutes } = value
  const override = compact({
    enabled,
    modelConfig: compact({
      model,
      generateContentConfig: compact({ thinkingConfig: compact({ thinkingBudget }) })
    }),
    runConfig: compact({ maxTurns: maxNumTurns, maxTimeMinutes })
  })
  return { codebase_investigator: override ?? {} }
}

/** Names of the extensions whose switch is off; what else an element says belongs to `gemini extensions config`. */
const turnedOff = (value: unknown): unknown =>
  Array.isArray(value)
    ? value.flatMap((one: unknown) => (Predicate.isRecord(one) && one.enabled === false ? [one.name] : []))
    : value

const helpAgent = (value: unknown): unknown =>
  Predicate.isRecord(value) ? { cli_help: compact({ enabled: value.enabled }) ?? {} } : value

/** Without the fields that are not there; nothing at all when none is left. */
const compact = (fields: Record<string, unknown>): Record<string, unknown> | undefined => {
  const present = Object.entries(fields).filter(([, value]) => value !== undefined)
  return present.length === 0 ? undefined : Object.fromEntries(present)
}

const LEGACY: Readonly<Record<string, string | LegacyName>> = {
  accessibility: "ui.accessibility",
  apiKey: "security.auth.apiKey",
  allowedTools: "tools.allowed",
  allowMCPServers: "mcp.allowed",
  approvalMode: "general.defaultApprovalMode",
  autoAccept: "tools.autoAccept",
  autoApproveTools: "tools.autoAccept",
  bugCommand: "advanced.bugCommand",
  chatCompression: "model.chatCompression",
  checkpointing: "general.checkpointing",
  coreTools: "tools.core",
  contextFileName: "context.fileName",
  customThemes: "ui.customThemes",
  disableAutoUpdate: { to: "general.enableAutoUpdate", convert: inverted },
  dnsResolutionOrder: "advanced.dnsResolutionOrder",
  enforcedAuthType: "security.auth.enforcedType",
  excludeTools: "tools.exclude",
  excludeMCPServers: "mcp.excluded",
  excludedProjectEnvVars: "advanced.excludedEnvVars",
  // `extensions` is the name of a group now; a list of extensions with a switch each is the old form.
  extensions: { to: "extensions.disabled", when: Array.isArray, convert: turnedOff },
  fileFiltering: "context.fileFiltering",
  folderTrust: "security.folderTrust.enabled",
  ideMode: "ide.enabled",
  includeDirectories: "context.includeDirectories",
  loadMemoryFromIncludeDirectories: "context.loadMemoryFromIncludeDirectories",
  maxSessionTurns: "model.maxSessionTurns",
  mcpServerCommand: "mcp.serverCommand",
  memoryImportFormat: "context.importFormat",
  memoryDiscoveryMaxDirs: "context.discoveryMaxDirs",
  // `model` is the name of a group now; only a bare string is the old form.
  model: { to: "model.name", when: Predicate.isString },
  preferredEditor: "general.preferredEditor",
  sandbox: "tools.sandbox",
  selectedAuthType: "security.auth.selectedType",
  shellPager: "tools.shell.pager",
  skipNextSpeakerCheck: "model.skipNextSpeakerCheck",
  summarizeToolOutput: "model.summarizeToolOutput",
  theme: "ui.theme",
  toolDiscoveryCommand: "tools.discoveryCommand",
  toolCallCommand: "tools.callCommand",
  usageStatisticsEnabled: "privacy.usageStatisticsEnabled",
  useExternalAuth: "security.auth.useExternal",
  useRipgrep: "tools.useRipgrep",
  vimMode: "general.vimMode",

  "general.disableAutoUpdate": { to: "general.enableAutoUpdate", convert: inverted },
  "general.disableUpdateNag": { to: "general.enableAutoUpdateNotification", convert: inverted },
  "ui.accessibility.disableLoadingPhrases": { to: "ui.accessibility.enableLoadingPhrases", convert: inverted },
  "context.fileFiltering.disableFuzzySearch": { to: "context.fileFiltering.enableFuzzySearch", convert: inverted },
  "tools.approvalMode": "general.defaultApprovalMode",
  "experimental.plan": "general.plan.enabled",
  "experimental.topicUpdateNarration": "general.topicUpdateNarration",
  "experimental.codebaseInvestigatorSettings": { to: "agents.overrides", convert: investigator },
  "experimental.cliHelpAgentSettings": { to: "agents.overrides", convert: helpAgent }
}
