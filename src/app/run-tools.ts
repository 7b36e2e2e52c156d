/**
 * The tools of a run under their policy. Names and declarations are known from the start; the code of the tools and the
 * services behind them are loaded when the first one is called.
 */
import { Context, Effect, Layer, Option, Ref, type Scope } from "effect"
import * as Approval from "../approval/approval.ts"
import type { Environment } from "../config/environment.ts"
import type { LoadedConfig } from "../config/load.ts"
import type { Hook } from "../hooks/hook.ts"
import { Hooks } from "../hooks/hooks.ts"
import { cachedOnce } from "../kernel/cached-once.ts"
import type { Secret } from "../kernel/redact-secrets.ts"
import { serviceOf } from "../kernel/services.ts"
import type { ModelClient } from "../model/model-client.ts"
import type { ModelNames } from "../model/session-names.ts"
import type { UtilityModels } from "../model/utility-models.ts"
import { Stderr } from "../output/stderr.ts"
import { Policy } from "../policy/policy.ts"
import * as PolicyFromConfig from "../policy/policy-from-config.ts"
import { problemText } from "../policy/policy-problem.ts"
import type { ContextFiles } from "../prompt/context-files.ts"
import type { ShellAnalyzer } from "../shell/analysis/shell-analyzer.ts"
import { Skills } from "../skills/skills.ts"
import type { Http } from "../system/http/http.ts"
import { lazyBuiltins } from "../tools/catalogue.ts"
import { LazyServices } from "../tools/lazy-services.ts"
import { PlanMode } from "../tools/plan-mode.ts"
import * as ToolRegistry from "../tools/registry.ts"
import * as Scheduler from "../tools/scheduling/scheduler.ts"
import type { TurnNews } from "../tools/scheduling/turn-news.ts"
import { skillTool } from "../tools/skill-tool.ts"
import { exclusionsOf, type ToolSettings, toolSettings } from "../tools/tool-selection.ts"
import type { Topic } from "../tools/topic.ts"
import * as UserQuestions from "../tools/user-questions.ts"
import type { AppInput } from "./app.ts"
import { joinServers, serverTools } from "./mcp-servers.ts"
import { agentTools } from "./run-agents.ts"
import type { RunPlan } from "./run-plan.ts"
import type { ToolPlaces } from "./tool-places.ts"

/** `own`: credentials of this run that no variable holds. */
export const scheduler = (
  input: AppInput,
  places: ToolPlaces,
  { model, names, own }: { readonly model: string; readonly names: ModelNames; readonly own: ReadonlyArray<Secret> }
) => Scheduler.make({ ...schedulingOf(input, places, { names, own }), model })

export const schedulingOf = (
  { config, person }: AppInput,
  places: ToolPlaces,
  { names, own }: { readonly names: ModelNames; readonly own: ReadonlyArray<Secret> }
): Omit<Scheduler.SchedulerOptions, "model"> => ({
  canAsk: person !== undefined,
  truncateThreshold: config.settings.get("tools.truncateToolOutputThreshold"),
  outputDir: Effect.succeed(Option.some(places.outputDir)),
  nestsMedia: names.takesMediaInResponses,
  secrets: Effect.map(
    Effect.promise(() => import("./run-secrets.ts")),
    ({ runSecrets }) => [...runSecrets(config), ...own]
  )
})

/** Rules that were left out may be the ones that were counted on. */
export const policy = Effect.fnUntraced(function* (
  { config, extensions, options, person, plan }: AppInput,
  places: ToolPlaces
) {
  const stderr = yield* Stderr
  const hooks = yield* Hooks
  const made = yield* PolicyFromConfig.make({
    config,
    flags: options,
    isInteractive: person !== undefined,
    mode: plan.approvalMode,
    plansDir: places.plansDir,
    tempDir: places.tempDir,
    commands: Effect.map(hooks.list, (all) => all.flatMap(({ hook }) => unwatched(hook))),
    extensions,
    includeDirectories: places.includeDirectories,
    addedRoots: Ref.get(places.addedRoots)
  })
  yield* Effect.forEach(made.problems, (problem) => stderr.notice(`[WARNING] policy: ${problemText(problem)}`), {
    discard: true
  })
  const pending = yield* made.pendingWorkspace
  if (pending !== undefined && person === undefined) {
    const places = [...new Set(pending.rules.map(({ source }) => source))].join(", ")
    yield* stderr.notice(
      `[WARNING] what policy files of this project allow does not count (start gemini here to confirm it, or add --skip-trust): ${places}`
    )
  }
  return made
})

/** A hook of the project does not run once its files have changed; of the others nobody looks at the files. */
const unwatched = ({ accepted, command }: Hook): ReadonlyArray<string> => (accepted === undefined ? [command] : [])

export const approval = ({ person }: AppInput) =>
  person === undefined ? Effect.succeed(Approval.headless) : serviceOf(Approval.Approval, person.approval)

/** The mode that tools see is the policy's own: there is one, not two. */
export const planMode = Effect.fnUntraced(function* (plansDir: string) {
  const policy = yield* Policy
  const approved = yield* Ref.make<string | null>(null)
  return PlanMode.of({
    mode: policy.mode,
    // Where the wanted mode is forbidden, the run goes on in the one that asks.
    setMode: (mode) =>
      Effect.zipRight(
        Effect.catchTag(policy.setMode(mode), "ModeError", () => Effect.orDie(policy.setMode("default"))),
        policy.mode
      ),
    modeAfterPlan: policy.modeAfterPlan,
    plansDir,
    approvedPlan: Ref.get(approved),
    approvePlan: (path) => Ref.set(approved, path)
  })
})

/** What the tools' services take from around them. */
type Surroundings =
  | Environment
  | Http
  | ModelClient
  | UtilityModels
  | ContextFiles
  | PlanMode
  | Topic
  | ShellAnalyzer
  | Stderr
  | TurnNews

export const lazyServices = Effect.fnUntraced(function* (
  { acceptedPrograms, config, options, person }: AppInput,
  places: ToolPlaces,
  own: ReadonlyArray<Secret>
) {
  const questions = person?.questions ?? UserQuestions.layerNone
  // What tools write to the project's folder must not stand there before the folder is the project's.
  const claim = options.demo ? Effect.void : Effect.ignore(config.storage.projectTempDir)
  const layer = Effect.map(
    Effect.promise(() => import("./tool-services.ts")),
    ({ toolServices }) => Layer.merge(toolServices(config, places, { accepted: acceptedPrograms, own }), questions)
  )
  const services = yield* cachedOnce(Effect.zipRight(claim, buildServices(layer)))
  const context = yield* Effect.context<Surroundings | Scope.Scope>()
  return LazyServices.of({ services: Effect.provide(services, context) })
})

export const registry = Effect.fnUntraced(function* (input: AppInput) {
  const { config, extensions, plan } = input
  const { services } = yield* LazyServices
  const made = yield* ToolRegistry.make({
    builtins: lazyBuiltins(services),
    joined: [skillTool(yield* Skills, services), ...(yield* serverTools(input)), ...(yield* agentTools)],
    settings: { ...selectionOf(config, plan), excludedBy: exclusionsOf(extensions) }
  })
  yield* Effect.provideService(discover(input), ToolRegistry.ToolRegistry, made)
  yield* Effect.provideService(joinServers(input), ToolRegistry.ToolRegistry, made)
  return made
})

/** What a `--bare` run works with, unless the settings name other tools: the rest would cost more than its prompt. */
const BARE_TOOLS = ["list_directory", "read_file", "grep_search", "glob", "replace", "write_file", "run_shell_command"]

const selectionOf = ({ settings }: LoadedConfig, { bare }: Pick<RunPlan, "bare">): ToolSettings => {
  const selection = toolSettings(settings)
  return bare ? { ...selection, core: selection.core ?? BARE_TOOLS } : selection
}

/** The scope is that of the run: background processes and connections end with it. */
const buildServices = <A, R>(layer: Effect.Effect<Layer.Layer<A, never, R>>) =>
  Effect.gen(function* () {
    const built = yield* Layer.build(yield* layer)
    const around = yield* Effect.context<Surroundings>()
    return Context.merge(around, built)
  })

/** A discovery command that fails costs its tools, not the run. */
const discover = Effect.fnUntraced(function* (input: AppInput) {
  if (input.config.settings.get("tools.discoveryCommand") === undefined) return
  const { discoverTools, discoveryFromSettings } = yield* Effect.promise(() => import("../tools/discovered-tool.ts"))
  const found = discoveryFromSettings(input.config)
  if (found === undefined) return
  const registry = yield* ToolRegistry.ToolRegistry
  const stderr = yield* Stderr
  const { tellPending } = yield* Effect.promise(() => import("./project-programs.ts"))
  const { discoveryGuard } = yield* Effect.promise(() => import("../tools/discovery-guard.ts"))
  const guard = discoveryGuard(input.config, input.acceptedPrograms)
  yield* tellPending(guard.programs, input)
  if (guard.isPending) return
  const options = { ...found, isChanged: guard.isChanged }
  yield* discoverTools(options).pipe(
    Effect.flatMap((tools) => registry.register(null, tools)),
    Effect.catchTag("DiscoveryError", (error) => stderr.notice(`[WARNING] ${error.message}`))
  )
})
