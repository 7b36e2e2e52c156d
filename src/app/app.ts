/**
 * The composition root: the only room that knows which implementation stands behind which tag. One layer value,
 * provided once.
 */
import { Effect, Layer } from "effect"
import * as Chat from "../chat/chat.ts"
import type { RunOptions } from "../cli/run-options.ts"
import { type LoadedConfig, layerOf } from "../config/load.ts"
import type { ModelClient } from "../model/model-client.ts"
import { resolveConfig } from "../model/model-configs.ts"
import { resolveModel } from "../model/model-names.ts"
import * as SystemPrompt from "../prompt/system-prompt.ts"
import type { AuthType, OutputFormat } from "../protocol/modes.ts"
import * as ToolScheduler from "../tools/tool-scheduler.ts"
import { modelSource } from "./model-layer.ts"
import type { RunPlan } from "./run-plan.ts"
import type { ProcessFacts } from "./start.ts"

export interface AppInput {
  readonly facts: Pick<ProcessFacts, "sessionId" | "platform">
  readonly options: RunOptions
  readonly config: LoadedConfig
  readonly format: OutputFormat
  readonly plan: RunPlan
}

export const appLayer = (input: AppInput) =>
  Layer.unwrapEffect(
    Effect.map(modelSource(input), (source) =>
      chatLayer(input, source.authType).pipe(
        Layer.provide(
          Layer.mergeAll(
            recorded(source.layer, input.options.recordResponses),
            ToolScheduler.layerNone,
            SystemPrompt.layer({ interactive: false })
          )
        ),
        Layer.provide(layerOf(input.config))
      )
    )
  )

const recorded = <E>(model: Layer.Layer<ModelClient, E>, file: string | undefined) =>
  file === undefined
    ? model
    : Layer.unwrapEffect(
        Effect.map(
          Effect.promise(() => import("../model/record.ts")),
          ({ withRecording }) => withRecording(model, file)
        )
      )

const chatLayer = ({ config: { settings }, facts, format, plan }: AppInput, authType: AuthType) => {
  const sources = {
    aliases: settings.get("modelConfigs.aliases"),
    customAliases: settings.get("modelConfigs.customAliases"),
    overrides: settings.get("modelConfigs.overrides"),
    customOverrides: settings.get("modelConfigs.customOverrides")
  }
  return Chat.layer({
    sessionId: facts.sessionId,
    modelFor: ({ isRetry }) => resolveConfig({ name: resolveModel(plan.model, authType), isRetry }, sources),
    maxTurns: plan.maxTurns,
    restartable: format === "json"
  })
}
