/**
 * The composition root: the only room that knows which implementation stands behind which tag. One layer value,
 * provided once.
 */
import { Effect, Layer } from "effect"
import * as Chat from "../chat/chat.ts"
import type { RunOptions } from "../cli/run-options.ts"
import { type LoadedConfig, layerOf } from "../config/load.ts"
import type { ModelClient } from "../model/model-client.ts"
import { type ResolvedConfig, resolveConfig } from "../model/model-configs.ts"
import { resolveModel } from "../model/model-names.ts"
import * as UtilityModels from "../model/utility-models.ts"
import { promptIdOf } from "../protocol/ids.ts"
import type { AuthType, OutputFormat } from "../protocol/modes.ts"
import { modelSource } from "./model-layer.ts"
import { contextLayer, promptLayer } from "./prompt-layer.ts"
import type { RunPlan } from "./run-plan.ts"
import type { ProcessFacts } from "./start.ts"
import { toolPlaces } from "./tool-places.ts"
import { toolsLayer } from "./tools-layer.ts"

export interface AppInput {
  readonly facts: Pick<ProcessFacts, "sessionId" | "platform">
  readonly options: RunOptions
  readonly config: LoadedConfig
  readonly format: OutputFormat
  readonly plan: RunPlan
}

export const appLayer = (input: AppInput) =>
  Layer.unwrapEffect(
    Effect.gen(function* () {
      const { authType, layer } = yield* modelSource(input)
      const configFor = requestConfigs(input, authType)
      const { model } = configFor(input.plan.model, { isRetry: false })
      const places = yield* toolPlaces(input.config, {
        sessionId: input.facts.sessionId,
        includeDirectories: input.options.includeDirectories ?? []
      })
      const around = Layer.mergeAll(
        recorded(layer, input.options.recordResponses),
        utilityModels(input, configFor),
        layerOf(input.config)
      )
      return chatLayer(input, configFor).pipe(
        Layer.provide(promptLayer(input, places)),
        Layer.provide(toolsLayer(input, places, model)),
        Layer.provide(contextLayer(input, places)),
        Layer.provide(around)
      )
    })
  )

type ConfigFor = (name: string, attempt: { readonly isRetry: boolean }) => ResolvedConfig

/** Model and parameters of a request, by the name of a model or of a purpose. */
const requestConfigs = ({ config: { settings } }: AppInput, authType: AuthType): ConfigFor => {
  const sources = {
    aliases: settings.get("modelConfigs.aliases"),
    customAliases: settings.get("modelConfigs.customAliases"),
    overrides: settings.get("modelConfigs.overrides"),
    customOverrides: settings.get("modelConfigs.customOverrides")
  }
  return (name, { isRetry }) => resolveConfig({ name: resolveModel(name, authType), isRetry }, sources)
}

const utilityModels = ({ facts }: AppInput, configFor: ConfigFor) =>
  UtilityModels.layer((alias) => configFor(alias, { isRetry: false }), promptIdOf(facts.sessionId, 0))

const recorded = <E>(model: Layer.Layer<ModelClient, E>, file: string | undefined) =>
  file === undefined
    ? model
    : Layer.unwrapEffect(
        Effect.map(
          Effect.promise(() => import("../model/record.ts")),
          ({ withRecording }) => withRecording(model, file)
        )
      )

const chatLayer = ({ facts, format, plan }: AppInput, configFor: ConfigFor) =>
  Chat.layer({
    sessionId: facts.sessionId,
    modelFor: (attempt) => configFor(plan.model, attempt),
    maxTurns: plan.maxTurns,
    restartable: format === "json"
  })
