/**
 * The composition root: the only room that knows which implementation stands behind which tag. One layer value,
 * provided once.
 */
import { release } from "node:os"
import { Effect, Layer, Option } from "effect"
import type { AuthPlan } from "../auth/auth-plan.ts"
import { selectAuth } from "../auth/select-auth.ts"
import * as Chat from "../chat/chat.ts"
import type { RunOptions } from "../cli/run-options.ts"
import { version } from "../cli/version.ts"
import { Environment } from "../config/environment.ts"
import type { LoadedConfig } from "../config/load.ts"
import { layerFor } from "../model/model-layer.ts"
import * as SystemPrompt from "../prompt/system-prompt.ts"
import type { OutputFormat } from "../protocol/modes.ts"
import * as ToolScheduler from "../tools/tool-scheduler.ts"
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
    Effect.gen(function* () {
      const auth = yield* authOf(input.config)
      return chatLayer(input).pipe(
        Layer.provide(
          Layer.mergeAll(modelLayer(input, auth), ToolScheduler.layerNone, SystemPrompt.layer({ interactive: false }))
        ),
        Layer.provide(Layer.succeed(Environment, input.config.environment))
      )
    })
  )

const authOf = ({ environment, settings }: LoadedConfig) =>
  Effect.map(
    selectAuth({
      variables: environment.variables,
      selectedType: settings.get("security.auth.selectedType"),
      enforcedType: settings.get("security.auth.enforcedType"),
      useExternal: settings.get("security.auth.useExternal"),
      storedKey: Effect.succeed(Option.none())
    }),
    ({ plan }) => plan
  )

const modelLayer = ({ config, facts }: AppInput, plan: AuthPlan) =>
  layerFor(plan, {
    identity: { version, platform: facts.platform, arch: process.arch, osVersion: release() },
    variables: config.environment.variables,
    vertexRouting: {
      requestType: config.settings.get("billing.vertexAi.requestType"),
      sharedRequestType: config.settings.get("billing.vertexAi.sharedRequestType")
    }
  })

const chatLayer = ({ facts, format, plan }: AppInput) =>
  Chat.layer({
    sessionId: facts.sessionId,
    model: plan.model,
    maxTurns: plan.maxTurns,
    restartable: format === "json",
    generationConfig: () => ({})
  })
