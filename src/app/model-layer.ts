/** The model of a run: over the network with credentials, from a cassette, or the demo; recorded where asked. */
import { release } from "node:os"
import { Clock, Duration, Effect, Layer, Option, Redacted } from "effect"
import type { AuthPlan } from "../auth/auth-plan.ts"
import { selectAuth } from "../auth/select-auth.ts"
import { version } from "../cli/version.ts"
import type { Secret } from "../kernel/redact-secrets.ts"
import type { ModelClient } from "../model/model-client.ts"
import { layerFor } from "../model/model-layer.ts"
import { chainModels, isAutoModel, resolveModel } from "../model/model-names.ts"
import { withRetry } from "../model/with-retry.ts"
import type { AuthType } from "../protocol/modes.ts"
import type { ModelAvailability } from "../retry/availability/model-availability.ts"
import { chainFor } from "../retry/availability/policy-chain.ts"
import type { AppInput } from "./app.ts"
import type { RunPlan } from "./run-plan.ts"

/** What is known of the model before the first request. */
export interface ModelSource {
  readonly authType: AuthType
  /** The key that requests carry, wherever it was kept. */
  readonly secrets: ReadonlyArray<Secret>
  readonly layer: ReturnType<typeof networkLayer> | ReturnType<typeof replayLayer>
}

export const modelSource = Effect.fnUntraced(function* (input: AppInput) {
  const replay = cassetteOf(input)
  if (replay !== undefined) {
    // Canned answers need no key; names mean what they mean to a key of the Gemini API.
    return { authType: "gemini-api-key", secrets: [], layer: replayLayer(replay) } satisfies ModelSource
  }
  const plan = yield* authOf(input)
  const layer = networkLayer(input, plan, yield* Clock.currentTimeMillis)
  const secrets = "key" in plan ? [{ name: "API_KEY", value: Redacted.value(plan.key) }] : []
  return { authType: plan.authType, secrets, layer } satisfies ModelSource
})

const authOf = Effect.fnUntraced(function* ({ authType, config: { environment, settings } }: AppInput) {
  const { plan } = yield* selectAuth({
    variables: environment.variables,
    selectedType: authType ?? settings.get("security.auth.selectedType"),
    enforcedType: settings.get("security.auth.enforcedType"),
    useExternal: settings.get("security.auth.useExternal"),
    storedKey: Effect.flatMap(
      Effect.promise(() => import("../auth/key-store.ts")),
      ({ storedApiKey }) =>
        storedApiKey({ home: environment.home, fileOnly: environment.get("GEMINI_FORCE_FILE_STORAGE") === "true" })
    )
  })
  return plan
})

const networkLayer = ({ config, facts, plan }: AppInput, auth: AuthPlan, startedAt: number) => {
  const { environment, settings } = config
  const client = layerFor(auth, {
    identity: { version, platform: facts.platform, arch: process.arch, osVersion: release() },
    variables: environment.variables,
    vertexRouting: {
      requestType: settings.get("billing.vertexAi.requestType"),
      sharedRequestType: settings.get("billing.vertexAi.sharedRequestType")
    }
  })
  const deadline = plan.maxTime === undefined ? undefined : startedAt + Duration.toMillis(plan.maxTime.value)
  const retried = withRetry(client, {
    maxAttempts: settings.get("general.maxAttempts"),
    retryFetchErrors: settings.get("general.retryFetchErrors"),
    deadline: Effect.succeed(Option.fromNullable(deadline))
  })
  return withQuotaAnswer(retried, plan, { authType: auth.authType, deadline })
}

/** By default a quota that is used up ends the run, and nothing more is loaded. */
const withQuotaAnswer = <E, R>(
  client: Layer.Layer<ModelClient, E, R>,
  { approvalMode, model, onQuota }: RunPlan,
  { authType, deadline }: { readonly authType: AuthType; readonly deadline: number | undefined }
): Layer.Layer<ModelClient, E, R | ModelAvailability> => {
  const { action, model: named } = onQuota
  if (action === "fail") return client
  const chainOf = (asked: string) =>
    chainFor({
      model: asked,
      isAuto: isAutoModel(model),
      isPlanMode: approvalMode === "plan",
      models: chainModels(authType)
    })
  const stand = named === undefined ? undefined : resolveModel(named, authType)
  return Layer.unwrapEffect(
    Effect.map(
      Effect.promise(() => import("../model/routing/with-fallback.ts")),
      ({ withFallback }) => withFallback(client, { onQuota: { action, model: stand }, chainOf, deadline })
    )
  )
}

type Cassette = { readonly _tag: "File"; readonly file: string; readonly strict: boolean } | { readonly _tag: "Demo" }

const cassetteOf = ({ options }: AppInput): Cassette | undefined => {
  if (options.demo) return { _tag: "Demo" }
  if (options.fakeResponses !== undefined) return { _tag: "File", file: options.fakeResponses, strict: true }
  return options.fakeResponsesNonStrict === undefined
    ? undefined
    : { _tag: "File", file: options.fakeResponsesNonStrict, strict: false }
}

const replayLayer = (cassette: Cassette) =>
  Layer.unwrapEffect(
    Effect.gen(function* () {
      const { layerFile, layerText } = yield* Effect.promise(() => import("../model/replay.ts"))
      if (cassette._tag === "File") return layerFile(cassette.file, { strict: cassette.strict })
      const { demoCassette } = yield* Effect.promise(() => import("./demo.ts"))
      return layerText("the demo", demoCassette, { strict: true })
    })
  )
