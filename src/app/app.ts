/**
 * The composition root: the only room that knows which implementation stands behind which tag. One layer value,
 * provided once.
 */
import { Effect, Layer } from "effect"
import type { Approval } from "../approval/approval.ts"
import * as Chat from "../chat/chat.ts"
import type { OutputContract } from "../chat/structured/output-contract.ts"
import type { RunOptions } from "../cli/run-options.ts"
import { version } from "../cli/version.ts"
import { SessionFacts } from "../commands/session-facts.ts"
import { type LoadedConfig, layerOf } from "../config/load.ts"
import type { SettingsView } from "../config/settings.ts"
import type { ModelClient } from "../model/model-client.ts"
import { type ResolvedConfig, resolveConfig } from "../model/model-configs.ts"
import { resolveModel } from "../model/model-names.ts"
import * as SelectedModel from "../model/selected-model.ts"
import * as UtilityModels from "../model/utility-models.ts"
import { promptIdOf } from "../protocol/ids.ts"
import type { AuthType, OutputFormat } from "../protocol/modes.ts"
import * as Availability from "../retry/availability/model-availability.ts"
import type { UserQuestions } from "../tools/user-questions.ts"
import { journalLayer, withRuns } from "./journal-layer.ts"
import { hubLayer, withInstructions } from "./mcp-servers.ts"
import { budgetLayer, routerLayer } from "./model-choice.ts"
import { modelSource } from "./model-layer.ts"
import { contextLayer, promptLayer } from "./prompt-layer.ts"
import { recorderLayer } from "./recorder-layer.ts"
import type { RunPlan } from "./run-plan.ts"
import type { SessionPlan } from "./session-plan.ts"
import type { ProcessFacts } from "./start.ts"
import { type ToolPlaces, toolPlaces } from "./tool-places.ts"
import { toolsLayer } from "./tools-layer.ts"

export interface AppInput {
  readonly facts: Pick<ProcessFacts, "sessionId" | "platform" | "learnSecrets">
  readonly options: RunOptions
  readonly config: LoadedConfig
  readonly format: OutputFormat
  readonly plan: RunPlan
  /** What is recorded, and what the conversation goes on from; a new session where absent. */
  readonly session?: SessionPlan | undefined
  /** Chosen by the person in this session; the settings and the environment are not asked then. */
  readonly authType?: AuthType | undefined
  /** Who is there to be asked; nobody in a headless run. */
  readonly person?: Person
}

/** Layers that put questions to a person at a terminal or in an editor. */
export interface Person {
  readonly approval: Layer.Layer<Approval>
  readonly questions: Layer.Layer<UserQuestions>
}

/** Everything a run is made of. A headless run uses the chat alone; a conversation's commands use the rest too. */
export const appLayer = (input: AppInput) =>
  Layer.unwrapEffect(
    Effect.gen(function* () {
      const { authType, layer, secrets } = yield* modelSource(input)
      input.facts.learnSecrets(secrets)
      const configFor = requestConfigs(input, authType)
      const { model } = configFor(input.plan.model, { isRetry: false })
      const places = yield* placesOf(input)
      const contract = yield* contractOf(input)
      // One after another: building them side by side would start a fiber for each, at a cost that a short run notices.
      return withRuns(chatLayer(input, configFor, places, contract)).pipe(
        Layer.provideMerge(promptLayer(input, places)),
        Layer.provideMerge(routerLayer(input, authType)),
        Layer.provideMerge(toolsLayer(input, places, { model, own: secrets })),
        Layer.provideMerge(withInstructions(input, contextLayer(input, places))),
        Layer.provideMerge(hubLayer(input, places)),
        Layer.provideMerge(journalLayer(input, places)),
        Layer.provideMerge(recorded(layer, input.options.recordResponses)),
        Layer.provideMerge(utilityModels(input, configFor)),
        Layer.provideMerge(budgetLayer(input)),
        Layer.provideMerge(recorderLayer(input, secrets)),
        Layer.provideMerge(SelectedModel.layer(input.plan.model)),
        Layer.provideMerge(Availability.layer),
        Layer.provideMerge(sessionFacts(input, authType)),
        Layer.provideMerge(layerOf(input.config))
      )
    })
  )

const sessionFacts = ({ facts, person }: AppInput, authType: AuthType) =>
  Layer.succeed(SessionFacts, {
    sessionId: facts.sessionId,
    version,
    authType,
    isInteractive: person !== undefined
  })

export const placesOf = ({ config, facts, options }: AppInput) =>
  toolPlaces(config, { sessionId: facts.sessionId, includeDirectories: options.includeDirectories ?? [] })

type ConfigFor = (name: string, attempt: { readonly isRetry: boolean }) => ResolvedConfig

/** Model and parameters of a request, by the name of a model or of a purpose. */
export const requestConfigs = ({ config: { settings } }: AppInput, authType: AuthType): ConfigFor => {
  const sources = {
    aliases: settings.get("modelConfigs.aliases"),
    customAliases: settings.get("modelConfigs.customAliases"),
    overrides: settings.get("modelConfigs.overrides"),
    customOverrides: settings.get("modelConfigs.customOverrides")
  }
  return (name, { isRetry }) => resolveConfig({ name: resolveModel(name, authType), isRetry }, sources)
}

export const utilityModels = ({ facts }: AppInput, configFor: ConfigFor) =>
  UtilityModels.layer((alias) => configFor(alias, { isRetry: false }), promptIdOf(facts.sessionId, 0))

/** The schema is read and checked before anything is asked. */
export const contractOf = Effect.fnUntraced(function* ({ config, options: { outputSchema } }: AppInput) {
  if (outputSchema === undefined) return undefined
  const { loadContract } = yield* Effect.promise(() => import("../chat/structured/load-contract.ts"))
  return yield* loadContract(outputSchema, config.environment.cwd)
})

const recorded = <E, R>(model: Layer.Layer<ModelClient, E, R>, file: string | undefined) =>
  file === undefined
    ? model
    : Layer.unwrapEffect(
        Effect.map(
          Effect.promise(() => import("../model/record.ts")),
          ({ withRecording }) => withRecording(model, file)
        )
      )

const chatLayer = (
  { config: { settings }, facts, format, plan }: AppInput,
  configFor: ConfigFor,
  places: ToolPlaces,
  contract: OutputContract | undefined
) =>
  Chat.layer({
    sessionId: facts.sessionId,
    modelFor: configFor,
    contract,
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
    restartable: format === "json"
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
