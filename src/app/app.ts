/**
 * The composition root: the only room that knows which implementation stands behind which tag. One layer value,
 * provided once.
 */
import { Context, Effect, Layer, Ref } from "effect"
import * as AgentRunner from "../agents/agent-runner.ts"
import { Agents } from "../agents/agents.ts"
import { RemoteAgents } from "../agents/remote/remote-agents.ts"
import { Approval } from "../approval/approval.ts"
import * as Chat from "../chat/chat.ts"
import type { ChatOptions } from "../chat/chat-options.ts"
import { RunBudget } from "../chat/limits/run-budget.ts"
import type { RunOptions } from "../cli/run-options.ts"
import { version } from "../cli/version.ts"
import { type ConfigServices, contextOf, type LoadedConfig } from "../config/load.ts"
import type { SettingsView } from "../config/settings.ts"
import { Extensions } from "../extensions/extensions.ts"
import { Hooks } from "../hooks/hooks.ts"
import type { Secret } from "../kernel/redact-secrets.ts"
import { serviceOf, withService } from "../kernel/services.ts"
import { McpHub } from "../mcp/mcp-hub.ts"
import { ModelClient } from "../model/model-client.ts"
import { type ResolvedConfig, resolveConfig, sourcesIn } from "../model/model-configs.ts"
import type { FallbackQuestions } from "../model/routing/fallback-questions.ts"
import { ModelRouter } from "../model/routing/model-router.ts"
import * as SelectedModel from "../model/selected-model.ts"
import type { ModelNames } from "../model/session-names.ts"
import * as UtilityModels from "../model/utility-models.ts"
import { Policy } from "../policy/policy.ts"
import { ContextFiles } from "../prompt/context-files.ts"
import { SystemPrompt } from "../prompt/system-prompt.ts"
import type { EnabledExtension } from "../protocol/extension-parts.ts"
import { promptIdOf } from "../protocol/ids.ts"
import type { ApprovalMode, AuthType, OutputFormat } from "../protocol/modes.ts"
import * as Availability from "../retry/availability/model-availability.ts"
import { SessionRecorder } from "../session/session-recorder.ts"
import { ChangeJournal } from "../session/undo/change-journal.ts"
import * as ShellAnalyzer from "../shell/analysis/shell-analyzer.ts"
import { Skills } from "../skills/skills.ts"
import { SessionFacts } from "../slash/session-facts.ts"
import { type Recording, Telemetry } from "../telemetry/telemetry.ts"
import { LazyServices } from "../tools/lazy-services.ts"
import { PlanMode } from "../tools/plan-mode.ts"
import { ToolRegistry } from "../tools/registry.ts"
import * as TurnNews from "../tools/scheduling/turn-news.ts"
import { ToolScheduler } from "../tools/tool-scheduler.ts"
import * as Topic from "../tools/topic.ts"
import type { UserQuestions } from "../tools/user-questions.ts"
import { hub } from "./mcp-servers.ts"
import { budget, router } from "./model-choice.ts"
import { type ModelSource, modelSource } from "./model-source.ts"
import { agents, connectAgents, remoteAgents } from "./run-agents.ts"
import { hooks } from "./run-hooks.ts"
import { journal, withRuns } from "./run-journal.ts"
import type { RunPlan } from "./run-plan.ts"
import { contextFiles, systemPrompt } from "./run-prompt.ts"
import { recorder } from "./run-recorder.ts"
import { skills } from "./run-skills.ts"
import { telemetry, toldEnd, toldPolicy, toldRecorder } from "./run-telemetry.ts"
import { approval, lazyServices, planMode, policy, registry, scheduler, schedulingOf } from "./run-tools.ts"
import type { SessionPlan } from "./session-plan.ts"
import type { ProcessFacts } from "./start.ts"
import { type ToolPlaces, toolPlaces } from "./tool-places.ts"
import { withReports } from "./with-reports.ts"

export interface AppInput {
  readonly facts: Pick<ProcessFacts, "sessionId" | "platform" | "learnSecrets" | "profile" | "early">
  readonly options: RunOptions
  readonly config: LoadedConfig
  readonly format: OutputFormat
  readonly plan: RunPlan
  /** What is recorded, and what the conversation goes on from; a new session where absent. */
  readonly session?: SessionPlan | undefined
  /** Chosen by the person in this session; the settings and the environment are not asked then. */
  readonly authType?: AuthType | undefined
  /** Fingerprints of programs of the project that the person agreed to in this session. */
  readonly acceptedPrograms?: ReadonlySet<string>
  /** Those that are enabled in this folder. */
  readonly extensions: ReadonlyArray<EnabledExtension>
  /** Extensions that the person turned on or off for this session, by name. */
  readonly extensionSwitches?: ReadonlyMap<string, boolean>
  /** Who is there to be asked; nobody in a headless run. */
  readonly person?: Person
}

/** Layers that put questions to a person at a terminal or in an editor. */
export interface Person {
  readonly approval: Layer.Layer<Approval>
  readonly questions: Layer.Layer<UserQuestions>
  /** What to do about a model that was given up; absent where that cannot be asked. */
  readonly fallback?: Layer.Layer<FallbackQuestions>
}

/** Everything a run is made of. A headless run uses the chat alone; a conversation's commands use the rest too. */
export const appLayer = (input: AppInput) =>
  Layer.scopedContext(input.facts.profile.during("initialize_app", services(input)))

const services = (input: AppInput) =>
  Effect.gen(function* () {
    const { learnSecrets, profile } = input.facts
    const source = withExtensionSecrets(yield* profile.during("authenticate", modelSource(input)), input.extensions)
    learnSecrets(source.secrets)
    const recording = yield* telemetry(input, source)
    return yield* toldEnd(recording)(servicesOver(input, source, recording))
  })

const servicesOver = (input: AppInput, source: ModelSource, recording: Recording) =>
  Effect.gen(function* () {
    const configFor = requestConfigs(input, source.names)
    const places = placesOf(input)
    const contract = yield* contractOf(input)
    // The client is there before the policy, whose mode it asks for later.
    const mode = yield* Ref.make<Effect.Effect<ApprovalMode>>(Effect.succeed(input.plan.approvalMode))
    const client = source.client(Effect.flatten(Ref.get(mode)))
    const surroundings = yield* Effect.succeed(contextOf(input.config)).pipe(
      withService(Telemetry, Effect.succeed(recording)),
      withService(SessionFacts, Effect.succeed(sessionFacts(input, source))),
      withService(Extensions, extensionsOf(input)),
      withService(Availability.ModelAvailability, Availability.make),
      withService(SelectedModel.SelectedModel, SelectedModel.make(input.plan.model)),
      withService(SessionRecorder, toldRecorder(input, recorder(input, source.secrets))),
      withService(Hooks, hooks(input, places, source.secrets)),
      withService(ChangeJournal, journal(input, places, source.secrets)),
      withService(RunBudget, budget(input)),
      withService(UtilityModels.UtilityModels, utilityModels(input, configFor)),
      withService(ModelClient, recorded(client, input.options.recordResponses))
    )
    const { model } = configFor(input.plan.model, { isRetry: false })
    const options = chatOptions(input, places)
    return yield* withTools(surroundings, input, places, { model, names: source.names, own: source.secrets }).pipe(
      Effect.map((tools) => Context.merge(surroundings, tools)),
      Effect.tap((context) => Ref.set(mode, Context.get(context, Policy).mode)),
      Effect.tap((context) =>
        Effect.provide(
          connectAgents({
            input,
            ...source,
            places,
            chat: options,
            scheduling: schedulingOf(input, places, { names: source.names, own: source.secrets }),
            sources: sourcesIn(input.config.settings)
          }),
          context
        )
      ),
      withService(ModelRouter, router(input, source.names)),
      withService(Chat.Chat, withReports(input, withRuns(Chat.make({ ...options, modelFor: configFor, contract }))))
    )
  })

/** What `--estimate` needs as well: everything that has a say in the first request, whatever model is behind it. */
export const withTools = (
  surroundings: Context.Context<ConfigServices | UtilityModels.UtilityModels | ModelClient | ChangeJournal>,
  input: AppInput,
  places: ToolPlaces,
  known: { readonly model: string; readonly names: ModelNames; readonly own: ReadonlyArray<Secret> }
) =>
  Effect.succeed(surroundings).pipe(
    withService(McpHub, hub(input, places)),
    withService(ContextFiles, contextFiles(input, places)),
    withService(ShellAnalyzer.ShellAnalyzer, ShellAnalyzer.make),
    withService(Policy, toldPolicy(input, policy(input, places))),
    withService(Approval, approval(input)),
    withService(PlanMode, planMode(places.plansDir)),
    withService(Topic.Topic, Topic.make),
    withService(TurnNews.TurnNews, TurnNews.make),
    withService(Skills, skills(input)),
    withService(LazyServices, lazyServices(input, places, known.own)),
    withService(RemoteAgents, remoteAgents(input)),
    withService(Agents, agents(input)),
    withService(AgentRunner.AgentRunner, AgentRunner.make),
    withService(ToolRegistry, input.facts.profile.during("discover_tools", registry(input))),
    withService(ToolScheduler, scheduler(input, places, known)),
    withService(SystemPrompt, systemPrompt(input, places))
  )

const extensionsOf = ({ extensions: enabled, extensionSwitches = new Map(), options }: AppInput) =>
  Effect.map(Ref.make(extensionSwitches), (session) => ({ enabled, named: options.extensions, session }))

/** Values of sensitive settings are credentials like any other. */
const withExtensionSecrets = <S extends { readonly secrets: ReadonlyArray<Secret> }>(
  source: S,
  extensions: AppInput["extensions"]
): S =>
  extensions.length === 0
    ? source
    : {
        ...source,
        secrets: [
          ...source.secrets,
          ...extensions.flatMap(({ environment, secretVariables }) =>
            secretVariables.flatMap((name) => ({ name, value: environment[name] ?? "" }))
          )
        ]
      }

const sessionFacts = (
  { config, facts, person }: AppInput,
  { authType, secrets }: { readonly authType: AuthType; readonly secrets: ReadonlyArray<Secret> }
): SessionFacts["Type"] => ({
  sessionId: facts.sessionId,
  version,
  authType,
  isInteractive: person !== undefined,
  secrets: Effect.map(
    Effect.promise(() => import("./run-secrets.ts")),
    ({ runSecrets }) => [...runSecrets(config), ...secrets]
  )
})

export const placesOf = ({ config, extensions, facts, options, session }: AppInput): ToolPlaces =>
  toolPlaces(config, {
    sessionId: facts.sessionId,
    includeDirectories: [...(options.includeDirectories ?? []), ...(session?.directories ?? [])],
    isDemo: options.demo,
    plansFallback: extensions.find(({ planDirectory }) => planDirectory !== undefined)?.planDirectory
  })

type ConfigFor = (name: string, attempt: { readonly isRetry: boolean }) => ResolvedConfig

/** Model and parameters of a request, by the name of a model or of a purpose. */
export const requestConfigs = (input: AppInput, names: ModelNames): ConfigFor => {
  const sources = sourcesIn(input.config.settings)
  return (name, { isRetry }) => resolveConfig({ name: names.resolve(name), isRetry }, sources)
}

export const utilityModels = ({ facts }: AppInput, configFor: ConfigFor) =>
  UtilityModels.make((alias) => configFor(alias, { isRetry: false }), promptIdOf(facts.sessionId, 0))

/** The schema is read and checked before anything is asked. */
export const contractOf = Effect.fnUntraced(function* ({ config, options: { outputSchema } }: AppInput) {
  if (outputSchema === undefined) return undefined
  const { loadContract } = yield* Effect.promise(() => import("../chat/structured/load-contract.ts"))
  return yield* loadContract(outputSchema, config.environment.cwd)
})

const recorded = <E, R>(client: Effect.Effect<ModelClient["Type"], E, R>, file: string | undefined) =>
  file === undefined
    ? client
    : Effect.flatMap(
        Effect.promise(() => import("../model/record.ts")),
        ({ withRecording }) => serviceOf(ModelClient, withRecording(Layer.effect(ModelClient, client), file))
      )

const chatOptions = (
  { config: { settings }, facts, format, plan }: AppInput,
  places: ToolPlaces
): Omit<ChatOptions, "modelFor" | "contract"> => ({
  promptId: (count) => promptIdOf(facts.sessionId, count),
  role: "main",
  maxTurns: { session: plan.maxTurns, prompt: promptTurns(settings, plan) },
  room: {
    compressionThreshold: compressionThreshold(settings),
    truncateThreshold: settings.get("tools.truncateToolOutputThreshold"),
    outputDir: places.outputDir,
    masking: {
      protectionThresholdTokens: settings.get("contextManagement.tools.outputMasking.protectionThresholdTokens"),
      minPrunableThresholdTokens: settings.get("contextManagement.tools.outputMasking.minPrunableThresholdTokens"),
      protectLatestTurn: settings.get("contextManagement.tools.outputMasking.protectLatestTurn")
    }
  },
  detectsLoops: !settings.get("model.disableLoopDetection"),
  checksNextSpeaker: !settings.get("model.skipNextSpeakerCheck"),
  restartable: format === "json",
  maxAttempts: settings.get("general.maxAttempts")
})

/** So that no prompt goes on for ever, unless somebody wants it to: a limit of the person's own takes its place. */
const DEFAULT_PROMPT_TURNS = 500

const promptTurns = (settings: SettingsView, { maxTurns }: RunPlan) => {
  const own = settings.get("model.maxPromptTurns")
  if (own === undefined && maxTurns !== undefined) return undefined
  const value = own ?? DEFAULT_PROMPT_TURNS
  return value < 0 ? undefined : { value, source: "model.maxPromptTurns" }
}

/** The older name of the setting counts where the newer one is not used. */
const compressionThreshold = (settings: SettingsView): number => {
  const older = settings.get("model.chatCompression")?.contextPercentageThreshold
  return older !== undefined && settings.explain("model.compressionThreshold").sources.length === 0
    ? older
    : settings.get("model.compressionThreshold")
}
