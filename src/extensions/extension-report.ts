/** An installed extension as text and as data, for listings. Values of sensitive settings are never shown. */
import { visibleLine } from "../kernel/visible-text.ts"
import { contentsOf } from "./consent.ts"
import { decisionFor } from "./enablement.ts"
import type { InstalledExtension } from "./installed.ts"
import type { Standing } from "./selection.ts"
import type { ExtensionValue, SettingScope } from "./setting-values.ts"
import { type InstallMetadata, shownSource } from "./source.ts"

export interface Reported {
  readonly extension: InstalledExtension
  readonly standing: Standing
  readonly rules: ReadonlyArray<string>
  readonly home: string | undefined
  readonly workspace: string
  /** By variable. */
  readonly values: ReadonlyMap<string, ExtensionValue>
}

interface ResolvedSetting {
  readonly name: string
  readonly envVar: string
  readonly sensitive: boolean
  /** `***` for a sensitive one; `null` where there is none. */
  readonly value: string | null
  readonly scope: SettingScope | null
}

export const extensionDocument = (reported: Reported) => {
  const { extension, standing } = reported
  const { id, manifest, metadata, name, path } = extension
  const { agents, commands, contextFiles, hooks, policies, skills } = contentsOf(path, manifest)
  return {
    name,
    version: manifest.version,
    id,
    isActive: standing.isOn,
    ...(standing.isOn ? {} : { inactiveBecause: standing.because }),
    enabled: enabledIn(reported),
    path,
    ...(metadata === undefined ? {} : { installMetadata: shownMetadata(metadata) }),
    contextFiles,
    mcpServers: manifest.mcpServers ?? {},
    excludeTools: manifest.excludeTools ?? [],
    commands,
    hooks,
    skills: skills.map(({ description, name: skill }) => ({ name: skill, description })),
    agents,
    policies,
    settings: manifest.settings ?? [],
    resolvedSettings: settingsOf(reported),
    themes: (manifest.themes ?? []).map((theme) => theme.name),
    ...(manifest.plan === undefined ? {} : { plan: manifest.plan }),
    ...(manifest.migratedTo === undefined ? {} : { migratedTo: manifest.migratedTo })
  }
}

export const shownMetadata = (metadata: InstallMetadata): InstallMetadata => ({
  ...metadata,
  source: shownSource(metadata.source)
})

export const extensionText = (reported: Reported): string => {
  const { extension, standing } = reported
  const { id, manifest, metadata, name, path } = extension
  const { agents, commands, contextFiles, hooks, policies, skills } = contentsOf(path, manifest)
  const enabled = enabledIn(reported)
  return [
    `${standing.isOn ? "✓" : "✗"} ${name} (${visibleLine(manifest.version)})`,
    ...(standing.isOn ? [] : [` Off: ${standing.because}`]),
    ` ID: ${id}`,
    ` Path: ${path}`,
    ...(metadata === undefined
      ? []
      : [` Source: ${visibleLine(shownSource(metadata.source))} (Type: ${metadata.type})`]),
    ...(metadata?.ref === undefined ? [] : [` Ref: ${visibleLine(metadata.ref)}`]),
    ...(metadata?.releaseTag === undefined ? [] : [` Release tag: ${visibleLine(metadata.releaseTag)}`]),
    ...(metadata?.autoUpdate === true ? [" Auto-update: true"] : []),
    ` Enabled (User): ${enabled.user}`,
    ` Enabled (Workspace): ${enabled.workspace}`,
    ...section("Context files", contextFiles),
    ...section("MCP servers", Object.keys(manifest.mcpServers ?? {})),
    ...section("Excluded tools", manifest.excludeTools ?? []),
    ...section("Commands", commands),
    ...section("Hooks", hooks),
    ...section(
      "Agent skills",
      skills.map((skill) => `${skill.name}: ${skill.description}`)
    ),
    ...section("Agents", agents),
    ...section("Policies", policies),
    ...section(
      "Themes",
      (manifest.themes ?? []).map((theme) => theme.name)
    ),
    ...section("Settings", settingsOf(reported).map(settingLine))
  ].join("\n")
}

const settingLine = ({ envVar, name, scope, value }: ResolvedSetting): string =>
  value === null ? `${name} (${envVar}): not set` : `${name} (${envVar}): ${value} [${scope}]`

const section = (title: string, lines: ReadonlyArray<string>): ReadonlyArray<string> =>
  lines.length === 0 ? [] : [` ${title}:`, ...lines.map((line) => `  ${visibleLine(line)}`)]

const enabledIn = ({ home, rules, workspace }: Reported) => ({
  user: home === undefined || (decisionFor(rules, home) ?? true),
  workspace: decisionFor(rules, workspace) ?? true
})

const settingsOf = ({ extension, values }: Reported): ReadonlyArray<ResolvedSetting> =>
  (extension.manifest.settings ?? []).map(({ envVar, name, sensitive = false }) => {
    const known = values.get(envVar)
    return {
      name,
      envVar,
      sensitive,
      value: known === undefined ? null : sensitive ? "***" : known.value,
      scope: known?.scope ?? null
    }
  })
