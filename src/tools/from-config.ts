/**
 * The tools of a run under their policy. Names and declarations are known from the start; the code of the tools and the
 * services behind them are loaded when the first one is called.
 */
import { Context, Effect, Layer, Option, Predicate, type Scope } from "effect"
import * as Approval from "../approval/approval.ts"
import type { Environment } from "../config/environment.ts"
import type { LoadedConfig } from "../config/load.ts"
import { RunFolders } from "../config/run-folders.ts"
import { Secrets } from "../config/secrets.ts"
import { contextSizes } from "../config/settings.ts"
import type { WorkspaceRoots } from "../config/workspace-roots.ts"
import type { OpenDocuments } from "../files/open-documents.ts"
import { cachedOnce } from "../kernel/cached-once.ts"
import { service, serviceOf, withLayer } from "../kernel/layers.ts"
import { lazy } from "../kernel/lazy.ts"
import { type CassetteSource, ModelAccess } from "../model/model-access.ts"
import type { ModelClient } from "../model/model-client.ts"
import type { UtilityModels } from "../model/utility-models.ts"
import type { PlanMode } from "../policy/plan-mode.ts"
import type { ContextFiles } from "../prompt/context-files.ts"
import { Notices } from "../protocol/notices.ts"
import type { RunFacts } from "../protocol/run-facts.ts"
import { Sandbox } from "../sandbox/sandbox.ts"
import type { ShellAnalyzer } from "../shell/analysis/shell-analyzer.ts"
import type { PersonTerminal } from "../shell/person-terminal.ts"
import { Skills } from "../skills/skills.ts"
import type { Http } from "../system/http/http.ts"
import { lazyBuiltins } from "./catalogue.ts"
import { LazyServices } from "./lazy-services.ts"
import { joinServers, serverTools } from "./mcp/from-config.ts"
import * as ToolRegistry from "./registry.ts"
import { AgentTools } from "./registry.ts"
import * as Scheduler from "./scheduling/scheduler.ts"
import * as TurnNews from "./scheduling/turn-news.ts"
import { skillTool } from "./skill-tool.ts"
import type { Tool } from "./tool.ts"
import { ToolScheduler } from "./tool-scheduler.ts"
import { exclusionsOf, type ToolSettings, toolSettings } from "./tool-selection.ts"
import * as Topic from "./topic.ts"
import * as UserQuestions from "./user-questions.ts"

/** Layers that put questions to a person at a terminal or in an editor. */
export interface Person {
  readonly approval: Layer.Layer<Approval.Approval>
  readonly questions: Layer.Layer<UserQuestions.UserQuestions>
  /** Files that they have open; absent where the disk is all there is. */
  readonly documents?: OpenDocuments
  /** At which they can sit down at a command. */
  readonly terminal?: Layer.Layer<PersonTerminal>
  /** When all calls of an answer were refused, the next word is theirs. */
  readonly endsWhenRefused?: boolean
}

interface ServiceFacts extends Pick<RunFacts, "isDemo" | "isEphemeral" | "acceptedPrograms"> {
  /** Who is there to be asked; nobody in a headless run. */
  readonly person: Person | undefined
}

/** What tools share with the rest of a run: who is asked, the topic, what happened meanwhile, and their services. */
export const shared = (config: LoadedConfig, run: ServiceFacts) =>
  service(
    Approval.Approval,
    run.person === undefined ? Effect.succeed(Approval.headless) : serviceOf(Approval.Approval, run.person.approval)
  ).pipe(
    withLayer(Topic.layer),
    withLayer(service(TurnNews.TurnNews, TurnNews.make)),
    withLayer(service(LazyServices, lazyServices(config, run)))
  )

/** What the tools' services take from around them. */
type Around =
  | Environment
  | Http
  | ModelClient
  | UtilityModels
  | ContextFiles
  | PlanMode
  | Topic.Topic
  | ShellAnalyzer
  | Notices
  | RunFolders
  | Sandbox
  | Secrets
  | TurnNews.TurnNews
  | WorkspaceRoots

const lazyServices = Effect.fnUntraced(function* (config: LoadedConfig, run: ServiceFacts) {
  const questions = run.person?.questions ?? UserQuestions.layerNone
  // What tools write to the project's folder must not stand there before the folder is the project's.
  const claim = run.isDemo || run.isEphemeral ? Effect.void : Effect.ignore(config.storage.projectTempDir)
  const layer = Effect.map(
    lazy(() => import("./tool-services.ts")),
    ({ toolServices }) => Layer.merge(toolServices(config, { ...run, ...placeOf(run.person) }), questions)
  )
  const services = yield* cachedOnce(Effect.zipRight(claim, buildServices(layer)))
  const context = yield* Effect.context<Around | Scope.Scope>()
  return LazyServices.of({ services: Effect.provide(services, context) })
})

const placeOf = (person: Person | undefined) => ({ documents: person?.documents, terminal: person?.terminal })

/** The scope is that of the run: background processes and connections end with it. */
const buildServices = <A, R>(layer: Effect.Effect<Layer.Layer<A, never, R>>) =>
  Effect.gen(function* () {
    const built = yield* Layer.build(yield* layer)
    const around = yield* Effect.context<Around>()
    return Context.merge(around, built)
  })

export interface ToolFacts
  extends Pick<RunFacts, "isBare" | "isInteractive" | "isEphemeral" | "extensions" | "acceptedPrograms">,
    NamedTools {}

/** What the command line leaves of the tools. */
interface NamedTools {
  /** `--tools`; `undefined`: all. */
  readonly onlyTools: ReadonlyArray<string> | undefined
  /** `--exclude-tools`. */
  readonly exceptTools: ReadonlyArray<string>
}

/** Which tools the model has: built-in ones, those of skills, servers and agents, and those that a command names. */
export const registry = (config: LoadedConfig, run: ToolFacts) =>
  service(ToolRegistry.ToolRegistry, makeRegistry(config, run))

const makeRegistry = Effect.fnUntraced(function* (config: LoadedConfig, run: ToolFacts) {
  const { services } = yield* LazyServices
  const registry = yield* ToolRegistry.make({
    builtins: yield* declaringPermissions(lazyBuiltins(services), run),
    joined: [skillTool(yield* Skills, services), ...(yield* serverTools(config, run)), ...(yield* AgentTools)],
    settings: { ...selectionOf(config, run), excludedBy: exclusionsOf(run.extensions) }
  })
  yield* Effect.provideService(discover(config, run), ToolRegistry.ToolRegistry, registry)
  yield* Effect.provideService(joinServers(config, run), ToolRegistry.ToolRegistry, registry)
  return registry
})

/** The model is told of the argument where somebody may agree to it; elsewhere it is only words to pay for. */
const declaringPermissions = Effect.fnUntraced(function* (
  builtins: ReadonlyArray<Tool>,
  { isInteractive }: Pick<ToolFacts, "isInteractive">
) {
  const report = isInteractive ? yield* (yield* Sandbox).report : undefined
  if (report === undefined || report.isWhole === true) return builtins
  return builtins.map((tool) =>
    tool.name === "run_shell_command" ? { ...tool, jsonSchema: withPermissions(tool.jsonSchema) } : tool
  )
})

const PATHS = { type: "array", items: { type: "string" } }

const withPermissions = (schema: Tool["jsonSchema"] = {}) => ({
  ...schema,
  properties: {
    ...(Predicate.isReadonlyRecord(schema.properties) ? schema.properties : {}),
    additional_permissions: {
      type: "object",
      description:
        "What the sandbox does not give to all commands and this one needs; the user is asked. Only after it has failed without, and no more than it needs.",
      properties: {
        network: { type: "boolean", description: "The whole network." },
        domains: { ...PATHS, description: "Hosts to connect to." },
        fileSystem: {
          type: "object",
          properties: {
            read: { ...PATHS, description: "Absolute paths to read." },
            write: { ...PATHS, description: "Absolute paths to change." }
          }
        }
      }
    }
  }
})

/** What a `--bare` run works with, unless the settings name other tools: the rest would cost more than its prompt. */
const BARE_TOOLS = ["list_directory", "read_file", "grep_search", "glob", "replace", "write_file", "run_shell_command"]

const selectionOf = (
  { settings }: LoadedConfig,
  { exceptTools, isBare, isEphemeral, onlyTools }: ToolFacts
): ToolSettings => {
  const selection = toolSettings(settings)
  return {
    ...selection,
    core: selection.core ?? (isBare && onlyTools === undefined ? BARE_TOOLS : undefined),
    only: onlyTools,
    // Its file lies under the home folder.
    exclude: [...selection.exclude, ...exceptTools, ...(isEphemeral ? ["save_memory"] : [])]
  }
}

/** A discovery command that fails costs its tools, not the run. */
const discover = Effect.fnUntraced(function* (config: LoadedConfig, run: ToolFacts) {
  if (config.settings.get("tools.discoveryCommand") === undefined) return
  const { discoverTools, discoveryFromSettings, UNCALLED } = yield* lazy(() => import("./discovered-tool.ts"))
  const found = discoveryFromSettings(config)
  const { warn } = yield* Notices
  if (found === undefined) return yield* warn(UNCALLED)
  const registry = yield* ToolRegistry.ToolRegistry
  const { reportPending } = yield* lazy(() => import("../config/programs/pending-programs.ts"))
  const { discoveryGuard } = yield* lazy(() => import("./discovery-guard.ts"))
  const guard = discoveryGuard(config, run.acceptedPrograms)
  yield* reportPending(guard.programs, config, run)
  if (guard.isPending) return
  yield* discoverTools({ ...found, isChanged: guard.isChanged, sandbox: yield* Sandbox }).pipe(
    Effect.flatMap((tools) => registry.register(null, tools)),
    Effect.catchTag("DiscoveryError", ({ message }) => warn(message))
  )
})

/** `model`: as configured, a name or an alias. */
export const scheduler = (config: LoadedConfig, run: Pick<RunFacts, "isInteractive"> & { readonly model: string }) =>
  service(
    ToolScheduler,
    Effect.gen(function* () {
      const { configFor } = yield* ModelAccess
      const { model } = configFor(run.model, { isRetry: false })
      return yield* Scheduler.make({ ...(yield* scheduling(config, run)), model })
    })
  )

/** How calls are carried out, whatever the model: those of agents too. */
export const scheduling = Effect.fnUntraced(function* (
  config: LoadedConfig,
  { isInteractive }: Pick<RunFacts, "isInteractive">
) {
  const { settings } = config
  const { names, source } = yield* ModelAccess
  const { outputDir } = yield* RunFolders
  const { all } = yield* Secrets
  return {
    canAsk: isInteractive,
    truncateThreshold: longestOutput(settings),
    ...(yield* distilling(settings)),
    outputDir: Effect.succeed(Option.some(outputDir)),
    nestsMedia: names.takesMediaInResponses,
    secrets: all,
    ...(source._tag === "Cassette" && source.replaysTools ? { recorded: yield* recordedCalls(source, config) } : {})
  } satisfies Omit<Scheduler.SchedulerOptions, "model">
})

/** In characters; zero and less for no limit. A managed context has its sizes in tokens. */
export const longestOutput = (settings: LoadedConfig["settings"]): number => {
  const sizes = contextSizes(settings)
  return sizes === undefined
    ? settings.get("tools.truncateToolOutputThreshold")
    : CHARACTERS_IN_TOKEN * sizes.maxOutputTokens
}

const CHARACTERS_IN_TOKEN = 4

/** What was too long to be shown is told in a few lines, where the context is managed. */
const distilling = Effect.fnUntraced(function* (settings: LoadedConfig["settings"]) {
  const sizes = contextSizes(settings)
  if (sizes === undefined) return {}
  const around = yield* Effect.context<ModelClient | UtilityModels | Secrets>()
  const from = CHARACTERS_IN_TOKEN * sizes.summarizationThresholdTokens
  return {
    distill: (tool: string, output: string) =>
      output.length <= from || output.length > LONGEST_SUMMARISED
        ? Effect.succeed("")
        : Effect.flatMap(
            lazy(() => import("./output-summarizer.ts")),
            ({ outline }) => Effect.provide(outline(tool, output), around)
          )
  }
})

const LONGEST_SUMMARISED = 1_000_000

const recordedCalls = Effect.fnUntraced(function* ({ cassette }: CassetteSource, config: LoadedConfig) {
  const { normalizerOf } = yield* lazy(() => import("../model/cassette/from-config.ts"))
  const { recordedRun } = yield* lazy(() => import("./scheduling/recorded-calls.ts"))
  return recordedRun(cassette, yield* normalizerOf(config))
})
