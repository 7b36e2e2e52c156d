/** The policy of a run, from flags, settings, trust and the places where rules live. */
import { existsSync } from "node:fs"
import { join, resolve } from "node:path"
import { Effect, Layer, Predicate } from "effect"
import type { LoadedConfig } from "../config/load.ts"
import type { ExtensionParts } from "../protocol/extension-parts.ts"
import type { ApprovalMode } from "../protocol/modes.ts"
import * as ShellAnalyzer from "../shell/analysis/shell-analyzer.ts"
import * as Policy from "./policy.ts"
import { PolicyError } from "./policy-error.ts"
import { systemPolicyDir } from "./policy-files.ts"
import type { PolicySettings } from "./settings-rules.ts"

export interface PolicyInput {
  readonly config: LoadedConfig
  readonly mode: ApprovalMode
  readonly isInteractive: boolean
  readonly plansDir: string | undefined
  /** Those of the run: their rule files count, what they exclude is denied, and their servers are known. */
  readonly extensions?: ReadonlyArray<Pick<ExtensionParts, "name" | "path" | "excludeTools" | "mcpServers">>
  /** Folders beside the working one, absolute. */
  readonly includeDirectories: ReadonlyArray<string>
  /** Those that joined since, real paths. */
  readonly addedRoots?: Effect.Effect<ReadonlyArray<string>>
  readonly flags: {
    readonly policy?: ReadonlyArray<string>
    readonly adminPolicy?: ReadonlyArray<string>
    readonly allowedTools?: ReadonlyArray<string>
    readonly allowedMcpServerNames?: ReadonlyArray<string>
  }
}

export const make = (input: PolicyInput) => {
  const { addedRoots = Effect.succeed([]), config, flags, includeDirectories, isInteractive, mode, plansDir } = input
  const { extensions = [] } = input
  const { environment, settings, storage, trust } = config
  const policyPaths = flags.policy ?? nonEmpty(settings.get("policyPaths"))
  const systemDir = systemPolicyDir(environment.platform)
  return Policy.make({
    mode,
    isInteractive,
    cwd: environment.cwd,
    workspaceDirs: Effect.map(addedRoots, (added) => [environment.cwd, ...includeDirectories, ...added]),
    plansDir,
    settings: { ...settingsOf(input), excludedByExtensions: exclusionsIn(extensions) },
    disablesAlways: settings.get("security.disableAlwaysAllow"),
    disablesYolo: settings.get("security.disableYoloMode"),
    geminiDir: environment.home === undefined ? undefined : storage.userDir,
    project: environment.cwd,
    home: environment.home,
    isTrusted: trust.trust === "trusted",
    ...(policyPaths === undefined ? {} : { policyPaths }),
    adminPolicyPaths: flags.adminPolicy ?? settings.get("adminPolicyPaths"),
    systemDir,
    extensions: extensions.map(({ name, path }) => ({ name, dir: path })),
    // A flag or variable for this run accepts the present content; a stored trust covers only what was confirmed.
    acceptsWorkspace: trust.reason !== "rule",
    checkers: {
      inProcess: {},
      folders: [join(storage.userDir, "checkers"), join(systemDir, "..", "checkers")],
      env: environment.variables,
      history: Effect.succeed([])
    }
  }).pipe(Effect.tap((policy) => checkGiven(policy, flags, environment.cwd)))
}

export const layer = (input: PolicyInput) =>
  Layer.effect(Policy.Policy, make(input)).pipe(Layer.provideMerge(ShellAnalyzer.layer))

/** A file that the command line names was meant to count: a mistake in it, or in its name, must not open a door. */
const checkGiven = (
  policy: Policy.Policy["Type"],
  flags: PolicyInput["flags"],
  cwd: string
): Effect.Effect<void, PolicyError> => {
  const given = [...(flags.policy ?? []), ...(flags.adminPolicy ?? [])]
    .filter((path) => path !== "")
    .map((path) => resolve(cwd, path))
  const missing = given.find((path) => !existsSync(path))
  if (missing !== undefined) return new PolicyError({ file: missing, detail: "does not exist" })
  const fault = policy.problems.find(
    ({ file, severity }) => severity === "error" && given.some((path) => resolve(cwd, file).startsWith(path))
  )
  return fault === undefined
    ? Effect.void
    : new PolicyError({
        file: fault.file,
        ...(fault.line === undefined ? {} : { atLine: fault.line }),
        detail: fault.message
      })
}

const settingsOf = ({ config: { settings, trust }, extensions = [], flags }: PolicyInput): PolicySettings => {
  const core = settings.get("tools.core")
  const servers = {
    ...Object.fromEntries(
      extensions.flatMap(({ mcpServers }) => Object.keys(mcpServers).map((name) => [name, { trust: false }]))
    ),
    ...settings.get("mcpServers"),
    ...requiredServers(settings.get("admin.mcp.requiredConfig"))
  }
  return {
    ...(core === undefined ? {} : { coreTools: core }),
    allowedTools: flags.allowedTools ?? settings.get("tools.allowed") ?? [],
    excludedTools: settings.get("tools.exclude") ?? [],
    confirmedTools: settings.get("tools.confirmationRequired") ?? [],
    allowedServers: flags.allowedMcpServerNames ?? settings.get("mcp.allowed") ?? [],
    // Naming servers on the command line sets the list of excluded ones aside.
    excludedServers: flags.allowedMcpServerNames === undefined ? (settings.get("mcp.excluded") ?? []) : [],
    // A trusted server is trusted with what is trusted: not with a folder that is not.
    servers: Object.fromEntries(
      Object.entries(servers).map(([name, server]) => [
        name,
        { trust: server.trust === true && trust.trust === "trusted" }
      ])
    ),
    allowsServersHeadless: settings.get("mcp.autoAllowInHeadless") === true
  }
}

/** Trusted, unless the administrator says otherwise. */
const requiredServers = (required: Readonly<Record<string, unknown>>) =>
  Object.fromEntries(
    Object.entries(required).map(([name, server]) => [
      name,
      { trust: !(Predicate.hasProperty(server, "trust") && server.trust === false) }
    ])
  )
const exclusionsIn = (extensions: NonNullable<PolicyInput["extensions"]>) =>
  extensions.flatMap(({ excludeTools, name }) => excludeTools.map((entry) => ({ extension: name, entry })))

const nonEmpty = (paths: ReadonlyArray<string>): ReadonlyArray<string> | undefined =>
  paths.length === 0 ? undefined : paths
