/** The policy of a run, from flags, settings, trust and the places where rules live. */
import { existsSync } from "node:fs"
import { join, resolve } from "node:path"
import { Effect, Layer, Predicate } from "effect"
import { forbidsAlways, yoloForbiddenBy } from "../config/administrator.ts"
import { isLasting } from "../config/folder-trust.ts"
import type { LoadedConfig } from "../config/load.ts"
import { RunFolders } from "../config/run-folders.ts"
import { variableRedaction } from "../config/variable-redaction.ts"
import { WorkspaceRoots } from "../config/workspace-roots.ts"
import { service, withLayer } from "../kernel/layers.ts"
import { lazy } from "../kernel/lazy.ts"
import type { ApprovalMode } from "../protocol/modes.ts"
import { Notices } from "../protocol/notices.ts"
import { type ExtensionParts, type RunFacts, UnwatchedCommands } from "../protocol/run-facts.ts"
import * as ShellAnalyzer from "../shell/analysis/shell-analyzer.ts"
import { shellProgram } from "../shell/invocation.ts"
import { childVariables } from "../system/child-variables.ts"
import { off, Telemetry } from "../telemetry/telemetry.ts"
import * as PlanMode from "./plan-mode.ts"
import * as Policy from "./policy.ts"
import { systemPolicyDir } from "./policy-files.ts"
import { PolicyError, problemText } from "./policy-problem.ts"
import type { PowerPlace } from "./power.ts"
import type { PowerSurroundings } from "./power-facts.ts"
import type { PolicySettings } from "./settings-rules.ts"
import * as SpokenTurns from "./spoken-turns.ts"

export interface PolicyInput {
  readonly config: LoadedConfig
  readonly mode: ApprovalMode
  readonly isInteractive: boolean
  readonly plansDir: string | undefined
  /** The project's folder for data. */
  readonly tempDir: string | undefined
  /** Those of the run: their rule files count, what they exclude is denied, and their servers are known. */
  readonly extensions?: ReadonlyArray<Pick<ExtensionParts, "name" | "path" | "excludeTools" | "mcpServers">>
  /** Command lines that the user has configured to be run by the program. */
  readonly commands?: Effect.Effect<ReadonlyArray<string>>
  /** Folders beside the working one, absolute. */
  readonly includeDirectories: ReadonlyArray<string>
  /** Those that joined since, real paths. */
  readonly addedRoots?: Effect.Effect<ReadonlyArray<string>>
  /** What was said, for safety checkers; nothing where no run goes on. */
  readonly history?: Effect.Effect<ReadonlyArray<SpokenTurns.SpokenTurn>>
  readonly flags: {
    readonly policy?: ReadonlyArray<string> | undefined
    readonly adminPolicy?: ReadonlyArray<string> | undefined
    readonly programPolicy?: ReadonlyArray<string> | undefined
    readonly allowedTools?: ReadonlyArray<string> | undefined
    readonly allowedMcpServerNames?: ReadonlyArray<string> | undefined
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
    shell: Effect.sync(() => ({
      variables: environment.variables,
      dialect: shellProgram(environment.platform, environment.variables, environment.cwd).dialect
    })),
    settings: { ...settingsOf(input), excludedByExtensions: exclusionsIn(extensions) },
    disablesAlways: forbidsAlways(settings),
    disablesYolo: yoloForbiddenBy(settings) !== undefined,
    geminiDir: environment.home === undefined ? undefined : storage.userDir,
    project: environment.cwd,
    home: environment.home,
    isTrusted: trust.trust === "trusted",
    ...(policyPaths === undefined ? {} : { policyPaths }),
    programPolicies: flags.programPolicy ?? [],
    adminPolicyPaths: flags.adminPolicy ?? settings.get("adminPolicyPaths"),
    systemDir,
    extensions: extensions.map(({ name, path }) => ({ name, dir: path })),
    // A flag or variable for this run accepts the present content; a stored trust covers only what was confirmed.
    acceptsWorkspace: !isLasting(trust.reason),
    power: powerOf(input, policyPaths ?? []),
    ...(input.commands === undefined ? {} : { commands: input.commands }),
    checkers: {
      inProcess: {},
      folders: [join(storage.userDir, "checkers"), join(systemDir, "..", "checkers")],
      env: () => childVariables({ inherits: environment.variables, redaction: variableRedaction(settings) }),
      history: input.history ?? Effect.succeed([])
    }
  }).pipe(Effect.tap((policy) => checkGiven(policy, flags, environment.cwd)))
}

/** What a run knows of its policy. */
export type PolicyFacts = Pick<RunFacts, "approvalMode" | "isInteractive" | "extensions"> & PolicyInput["flags"]

/** The run as safety checkers are told it. */
export const reader = SpokenTurns.reader

/** Rules that were left out may be the ones that were counted on: they are named. */
export const layer = (config: LoadedConfig, run: PolicyFacts) =>
  service(ShellAnalyzer.ShellAnalyzer, ShellAnalyzer.make).pipe(
    withLayer(SpokenTurns.layer),
    withLayer(service(Policy.Policy, makeForRun(config, run))),
    withLayer(PlanMode.layerOfPolicy)
  )

const makeForRun = Effect.fnUntraced(function* (config: LoadedConfig, run: PolicyFacts) {
  const { warn } = yield* Notices
  const { plansDir, tempDir } = yield* RunFolders
  const roots = yield* WorkspaceRoots
  const policy = yield* make({
    config,
    flags: run,
    isInteractive: run.isInteractive,
    mode: run.approvalMode,
    plansDir,
    tempDir,
    commands: yield* UnwatchedCommands,
    extensions: run.extensions,
    includeDirectories: roots.included,
    addedRoots: roots.added,
    history: (yield* SpokenTurns.SpokenTurns).all
  })
  yield* Effect.forEach(policy.problems, (problem) => warn(`policy: ${problemText(problem)}`), { discard: true })
  if (!run.isInteractive) yield* tellOfPending(policy)
  if ((yield* Telemetry) === off) return policy
  const { observeMode } = yield* lazy(() => import("./observe-mode.ts"))
  return yield* observeMode(policy)
})

/** Nobody is there to agree to them. */
const tellOfPending = Effect.fnUntraced(function* ({ pendingWorkspace }: Policy.Policy["Type"]) {
  const { warn } = yield* Notices
  const pending = yield* pendingWorkspace
  if (pending === undefined) return
  const places = [...new Set(pending.rules.map(({ source }) => source))].join(", ")
  yield* warn(
    `what policy files of this project allow does not count (start gemini here to confirm it, or add --skip-trust): ${places}`
  )
})

/** For commands that speak about the policy of a run. */
export const layerOf = (input: PolicyInput) =>
  Layer.effect(Policy.Policy, make(input)).pipe(Layer.provideMerge(ShellAnalyzer.layer))

/** A file that the command line names was meant to count: a mistake in it, or in its name, must not open a door. */
const checkGiven = (
  policy: Policy.Policy["Type"],
  flags: PolicyInput["flags"],
  cwd: string
): Effect.Effect<void, PolicyError> => {
  const given = [...(flags.policy ?? []), ...(flags.adminPolicy ?? []), ...(flags.programPolicy ?? [])]
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

const SETTINGS = { kind: "agent", does: "decides what gemini runs and allows" } as const
const RULES = { kind: "agent", does: "holds rules of what gemini may do" } as const
const LOG = { kind: "own", does: "is a log of gemini" } as const

/** Everything that the run goes by, wherever it stands. */
const powerOf = ({ config, flags, plansDir, tempDir }: PolicyInput, policyPaths: ReadonlyArray<string>) => {
  const { environment, files, settings, storage } = config
  const place = (power: Omit<PowerPlace, "path">, path: string | undefined): ReadonlyArray<PowerPlace> =>
    path === undefined || path === "" ? [] : [{ ...power, path: resolve(environment.cwd, path) }]
  const rules = [
    ...policyPaths,
    ...(flags.programPolicy ?? []),
    ...(flags.adminPolicy ?? settings.get("adminPolicyPaths"))
  ]
  return {
    home: environment.home,
    userDir: environment.home === undefined ? undefined : storage.userDir,
    tempDir,
    plansDir,
    memoryNames: settings.get("context.fileName") ?? ["GEMINI.md"],
    wanted: settings.get("security.powerFiles"),
    known: [
      ...files.flatMap(({ file }) => place(SETTINGS, file)),
      ...rules.flatMap((path) => place(RULES, path)),
      ...place({ kind: "own", does: "says which folders are trusted" }, storage.trustedFoldersFile),
      ...place({ kind: "own", does: "limits what requests may cost" }, environment.get("GEMINI_BUDGET")),
      ...place(LOG, environment.get("GEMINI_DEBUG_LOG_FILE")),
      ...place(LOG, environment.get("GEMINI_TELEMETRY_OUTFILE") ?? settings.get("telemetry")?.outfile),
      ...place({ kind: "program", does: "is gemini itself" }, process.execPath)
    ]
  } satisfies PowerSurroundings
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
    // Nothing said is not the same as no: what only looks runs unasked unless somebody minds.
    asksOfReading: settings.get("tools.autoAccept") === false,
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
