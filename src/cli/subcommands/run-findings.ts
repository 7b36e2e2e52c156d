/**
 * What a run in this folder would say of what stands beside the settings: servers, hooks, rules, skills, agents, commands
 * and extensions. Each is asked of the code that a run asks; nothing is started, and nothing is written.
 */
import { join } from "node:path"
import { Effect, Either } from "effect"
import { problemText as agentProblem } from "../../agents/agent.ts"
import { readAgentFolder } from "../../agents/definition/agent-folder.ts"
import { agentFolders } from "../../agents/from-config.ts"
import { builtinDefinitions } from "../../agents/load-agents.ts"
import { register } from "../../agents/registration.ts"
import type { Finding, Severity } from "../../config/config-error.ts"
import type { LoadedConfig } from "../../config/load.ts"
import { includeDirectories } from "../../config/workspace-roots.ts"
import { loadExtensions } from "../../extensions/load-extensions.ts"
import { MANIFEST_NAME } from "../../extensions/manifest.ts"
import { projectBorder } from "../../files/brought-file.ts"
import { findHooks } from "../../hooks/find-hooks.ts"
import { configuredServers } from "../../mcp/configured-servers.ts"
import { planServer } from "../../mcp/server-config.ts"
import * as PolicyFromConfig from "../../policy/from-config.ts"
import { Policy } from "../../policy/policy.ts"
import type { ExtensionParts } from "../../protocol/run-facts.ts"
import * as SkillsFromConfig from "../../skills/from-config.ts"
import { commandFolders } from "../../slash/command-registry-layer.ts"
import { loadCommands } from "../../slash/custom/load-commands.ts"

export const runFindings = Effect.fnUntraced(function* (config: LoadedConfig) {
  const { extensions, notices } = yield* loadExtensions({ config })
  const { problems: ofHooks } = yield* findHooks(config, extensions)
  const skills = yield* SkillsFromConfig.make(config, extensions)
  return [
    ...notices.map((text) => finding(text.replace(/^\[\w+\] /, ""), config.storage.extensionsDir)),
    ...serverFindings(config, extensions),
    ...ofHooks.map((text) => finding(text, settingsFile(config))),
    ...(yield* ruleFindings(config, extensions)),
    ...(yield* skills.warnings).map((text) => finding(text, config.storage.userSkillsDir)),
    ...(yield* agentFindings(config, extensions)),
    ...(yield* commandFindings(config, extensions))
  ]
})

const serverFindings = (config: LoadedConfig, extensions: ReadonlyArray<ExtensionParts>): ReadonlyArray<Finding> => {
  const { environment, settings, trust } = config
  const { origins, servers, warnings } = configuredServers(settings, extensions)
  const redaction = { allowed: [], blocked: [] }
  const [source] = settings.explain("mcpServers").sources
  return [
    ...warnings.map((text) => finding(text, settingsFile(config))),
    ...Object.entries(servers).flatMap(([name, server]) => {
      const origin = Object.hasOwn(origins, name) ? origins[name] : undefined
      const brought = extensions.find((extension) => extension.name === origin?.extension)
      const place = {
        file: brought === undefined ? (source?.file ?? settingsFile(config)) : join(brought.path, MANIFEST_NAME),
        key: `mcpServers.${name}`
      }
      const planned = planServer(name, server, { environment, redaction, trust: trust.trust, origin })
      return Either.match(planned, {
        onLeft: ({ message }): ReadonlyArray<Finding> => [{ ...place, severity: "warning", message }],
        onRight: (plan) => plan.warnings.map((message): Finding => ({ ...place, severity: "warning", message }))
      })
    })
  ]
}

/** A file that keeps a run from starting is one finding, as there. */
const ruleFindings = Effect.fnUntraced(function* (config: LoadedConfig, extensions: ReadonlyArray<ExtensionParts>) {
  const policy = PolicyFromConfig.layerOf({
    config,
    extensions,
    mode: "default",
    isInteractive: true,
    plansDir: config.storage.tempDir,
    tempDir: config.storage.plannedProjectTempDir(),
    includeDirectories: includeDirectories(config, []),
    flags: {}
  })
  const made = yield* Effect.either(Effect.provide(Policy, policy))
  if (Either.isLeft(made)) return [finding(made.left.message, config.storage.userDir, "error")]
  return made.right.problems.map(({ file, line, message, severity }): Finding => {
    const place = line === undefined ? { file } : { file, line }
    return { ...place, severity, message }
  })
})

const agentFindings = Effect.fnUntraced(function* (config: LoadedConfig, extensions: ReadonlyArray<ExtensionParts>) {
  const folders = yield* Effect.forEach(agentFolders(config, extensions), readAgentFolder)
  const builtin = builtinDefinitions().map((agent) => ({ agent, origin: "built-in" as const, fingerprint: agent.name }))
  const found = folders.flatMap((folder) => folder.found)
  const { warnings } = register([...builtin, ...found], config.settings.get("agents.overrides"))
  return [...folders.flatMap(({ problems }) => problems.map(agentProblem)), ...warnings].map((text) =>
    finding(text, config.storage.userAgentsDir)
  )
})

const commandFindings = Effect.fnUntraced(function* (
  { environment, storage, trust }: LoadedConfig,
  extensions: ReadonlyArray<ExtensionParts>
) {
  const border = trust.trust === "trusted" ? projectBorder(environment.cwd, environment) : undefined
  const brought = extensions.map(({ name, path }) => ({ extension: name, folder: join(path, "commands") }))
  const { notices } = yield* loadCommands(commandFolders(storage, border, brought), (command) => command)
  return notices.map((text) => finding(text, storage.userCommandsDir))
})

const settingsFile = ({ files }: LoadedConfig): string =>
  files.find(({ scope }) => scope === "user")?.file ?? "settings"

/** What is said begins with the place, else it is about all that lies in `place`. */
const finding = (text: string, place: string, severity: Severity = "warning"): Finding => {
  const [, file, line, message] = /^(\/[^:]+|[A-Za-z]:\\[^:]+)(?::(\d+))?(?::\d+)?:? (.*)$/s.exec(text) ?? []
  if (file === undefined || message === undefined) return { severity, file: place, message: text }
  return { severity, file, ...(line === undefined ? {} : { line: Number(line) }), message }
}
