/** The model of a run: over the network with credentials, from a cassette, or the demo; recorded where asked. */
import { release } from "node:os"
import { Clock, Duration, Effect, Layer, Option } from "effect"
import type { AuthPlan } from "../auth/auth-plan.ts"
import { selectAuth } from "../auth/select-auth.ts"
import { version } from "../cli/version.ts"
import type { LoadedConfig } from "../config/load.ts"
import { layerFor } from "../model/model-layer.ts"
import type { AuthType } from "../protocol/modes.ts"
import type { AppInput } from "./app.ts"

/** What is known of the model before the first request. */
export interface ModelSource {
  readonly authType: AuthType
  readonly layer: ReturnType<typeof networkLayer> | ReturnType<typeof replayLayer>
}

export const modelSource = Effect.fnUntraced(function* (input: AppInput) {
  const replay = cassetteOf(input)
  if (replay !== undefined) {
    // Canned answers need no key; names mean what they mean to a key of the Gemini API.
    return { authType: "gemini-api-key", layer: replayLayer(replay) } satisfies ModelSource
  }
  const plan = yield* authOf(input.config)
  const layer = networkLayer(input, plan, yield* Clock.currentTimeMillis)
  return { authType: plan.authType, layer } satisfies ModelSource
})

const authOf = Effect.fnUntraced(function* ({ environment, settings }: LoadedConfig) {
  const { plan } = yield* selectAuth({
    variables: environment.variables,
    selectedType: settings.get("security.auth.selectedType"),
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
  return Layer.unwrapEffect(
    Effect.map(
      Effect.promise(() => import("../model/with-retry.ts")),
      ({ withRetry }) =>
        withRetry(client, {
          maxAttempts: settings.get("general.maxAttempts"),
          retryFetchErrors: settings.get("general.retryFetchErrors"),
          deadline: Effect.succeed(
            Option.map(Option.fromNullable(plan.maxTime), ({ value }) => startedAt + Duration.toMillis(value))
          )
        })
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
