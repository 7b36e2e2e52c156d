/** The model of a run: over the network with credentials, from a cassette, or the demo; recorded where asked. */
import { release } from "node:os"
import { Clock, Duration, Effect, Option, Redacted, type Scope } from "effect"
import type { AuthPlan } from "../auth/auth-plan.ts"
import { selectAuth } from "../auth/select-auth.ts"
import { version } from "../cli/version.ts"
import { httpOf } from "../config/http.ts"
import type { Secret } from "../kernel/redact-secrets.ts"
import { serviceOf } from "../kernel/services.ts"
import type { CassetteError } from "../model/cassette.ts"
import { loadClient } from "../model/load-client.ts"
import { ModelClient } from "../model/model-client.ts"
import type { SelectedModel } from "../model/selected-model.ts"
import type { ModelNames } from "../model/session-names.ts"
import { withRetry } from "../model/with-retry.ts"
import type { ApprovalMode, AuthType } from "../protocol/modes.ts"
import type { ModelAvailability } from "../retry/availability/model-availability.ts"
import type { AppInput } from "./app.ts"
import { modelNames } from "./model-choice.ts"
import type { QuotaFacts } from "./quota-answer.ts"
import { toldClient } from "./run-telemetry.ts"

/** What is known of the model before the first request. */
export interface ModelSource {
  readonly authType: AuthType
  readonly names: ModelNames
  /** The key that requests carry, wherever it was kept. */
  readonly secrets: ReadonlyArray<Secret>
  /** `mode`: the approval mode of the moment. */
  readonly client: (
    mode: Effect.Effect<ApprovalMode>
  ) => Effect.Effect<ModelClient["Type"], CassetteError, ModelAvailability | SelectedModel | Scope.Scope>
}

export const modelSource = Effect.fnUntraced(function* (input: AppInput) {
  const replay = cassetteOf(input)
  if (replay !== undefined) {
    // Canned answers need no key; names mean what they mean to a key of the Gemini API.
    const client = Effect.flatMap(replayClient(replay), (canned) => toldClient(input, canned, undefined))
    const names = yield* modelNames(input, "gemini-api-key")
    return { authType: "gemini-api-key", names, secrets: [], client: () => client } satisfies ModelSource
  }
  const plan = yield* authOf(input)
  const names = yield* modelNames(input, plan.authType)
  const startedAt = yield* Clock.currentTimeMillis
  const client: ModelSource["client"] = (mode) => networkClient(input, plan, { names, startedAt, mode })
  const secrets = "key" in plan ? [{ name: "API_KEY", value: Redacted.value(plan.key) }] : []
  return { authType: plan.authType, names, secrets, client } satisfies ModelSource
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

const networkClient = (
  input: AppInput,
  auth: AuthPlan,
  { mode, names, startedAt }: Pick<QuotaFacts, "mode" | "names"> & { readonly startedAt: number }
) => {
  const { config, facts, plan } = input
  const { environment, settings } = config
  const client = loadClient(auth, {
    identity: { version, platform: facts.platform, arch: process.arch, osVersion: release() },
    http: httpOf(config),
    variables: environment.variables,
    vertexRouting: {
      requestType: settings.get("billing.vertexAi.requestType"),
      sharedRequestType: settings.get("billing.vertexAi.sharedRequestType")
    }
  })
  const deadline = plan.maxTime === undefined ? undefined : startedAt + Duration.toMillis(plan.maxTime.value)
  const options = {
    maxAttempts: settings.get("general.maxAttempts"),
    retryFetchErrors: settings.get("general.retryFetchErrors"),
    deadline: Effect.succeed(Option.fromNullable(deadline)),
    asksAboutCapacity: asksPerson(input)
  }
  return Effect.flatMap(
    Effect.flatMap(client, (bare) => toldClient(input, bare, auth)),
    (told) => withAnswer(withRetry(told, options), input, { names, deadline, mode })
  )
}

/** By default a quota that is used up ends a run without a person, and nothing more is loaded. */
const withAnswer = (client: ModelClient["Type"], input: AppInput, facts: QuotaFacts) =>
  input.plan.onQuota.action === "fail" && !asksPerson(input)
    ? Effect.succeed(client)
    : Effect.flatMap(
        Effect.promise(() => import("./quota-answer.ts")),
        ({ quotaAnswer }) => quotaAnswer(client, input, facts)
      )

/** Whoever said that a quota is the end is not asked. */
const asksPerson = ({ options, person, plan }: AppInput): boolean =>
  person?.fallback !== undefined && plan.onQuota.action === "fail" && options.onQuota === undefined

type Cassette = { readonly _tag: "File"; readonly file: string; readonly strict: boolean } | { readonly _tag: "Demo" }

const cassetteOf = ({ options }: AppInput): Cassette | undefined => {
  if (options.demo) return { _tag: "Demo" }
  if (options.fakeResponses !== undefined) return { _tag: "File", file: options.fakeResponses, strict: true }
  return options.fakeResponsesNonStrict === undefined
    ? undefined
    : { _tag: "File", file: options.fakeResponsesNonStrict, strict: false }
}

const replayClient = Effect.fnUntraced(function* (cassette: Cassette) {
  const { layerFile, layerText } = yield* Effect.promise(() => import("../model/replay.ts"))
  if (cassette._tag === "File") {
    return yield* serviceOf(ModelClient, layerFile(cassette.file, { strict: cassette.strict }))
  }
  const { demoCassette } = yield* Effect.promise(() => import("./demo.ts"))
  return yield* serviceOf(ModelClient, layerText("the demo", demoCassette, { strict: true }))
})
