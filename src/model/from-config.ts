/** The model of a run: over the network with credentials, from a cassette, or the demo; recorded where asked. */
import { release } from "node:os"
import { resolve } from "node:path"
import { Duration, Effect, Layer, Option, type Scope } from "effect"
import type { AuthPlan } from "../auth/auth-plan.ts"
import { httpOf } from "../config/http.ts"
import type { LoadedConfig } from "../config/load.ts"
import { cachedOnce } from "../kernel/cached-once.ts"
import * as Flow from "../kernel/flow.ts"
import { service, serviceOf, withLayer } from "../kernel/layers.ts"
import { lazy } from "../kernel/lazy.ts"
import { version } from "../kernel/version.ts"
import { promptIdOf } from "../protocol/ids.ts"
import type { AuthType } from "../protocol/modes.ts"
import { Notices } from "../protocol/notices.ts"
import type { RunFacts } from "../protocol/run-facts.ts"
import type { RunReader } from "../protocol/run-readers.ts"
import type { TierWish } from "../protocol/usage.ts"
import * as Availability from "../retry/availability/model-availability.ts"
import { ModelError } from "../retry/model-error.ts"
import { off, Telemetry } from "../telemetry/telemetry.ts"
import { loadClient } from "./load-client.ts"
import { type CassetteSource, ModelAccess, type ModelSource, type NetworkSource } from "./model-access.ts"
import { ModelClient } from "./model-client.ts"
import { priceLookup } from "./pricing.ts"
import type { QuotaFacts } from "./routing/quota-answer.ts"
import * as SelectedModel from "./selected-model.ts"
import * as UtilityModels from "./utility-models.ts"
import { withRetry } from "./with-retry.ts"

export interface ClientFacts
  extends Pick<RunFacts, "sessionId" | "isInteractive">,
    Pick<QuotaFacts, "onQuota" | "fallback"> {
  /** As configured: a name or an alias. */
  readonly model: string
  readonly platform: NodeJS.Platform
  readonly maxTime: { readonly value: Duration.Duration } | undefined
  /** At which service tier requests are answered; absent: as the service does by itself. */
  readonly tier?: TierWish | undefined
  /** A file for everything that is answered. */
  readonly recordResponses: string | undefined
  /** A cassette for every call. */
  readonly record: string | undefined
  /** Absent: a terminal or a script. */
  readonly surface?: "acp" | undefined
}

/** The client, and everything that says which model it is asked for. */
export const layer = (config: LoadedConfig, run: ClientFacts) =>
  selected(run).pipe(withLayer(service(ModelClient, recorded(makeClient(config, run), config, run))))

/** A client that many conversations share. What is done about refusals is the business of whoever shares it out. */
export const sharedClient = (config: LoadedConfig, run: ClientFacts, share: (client: Client) => ModelClient["Type"]) =>
  service(ModelClient, recorded(Effect.map(openClient(config, run, Effect.succeed), share), config, run))

const noRequest = Effect.dieMessage("this run asks no model")

/** A model that nobody asks: for what can be said of a request without sending it. */
export const unasked = service(
  ModelClient,
  Effect.succeed({
    stream: () => Flow.fromEffect(noRequest),
    generate: () => noRequest,
    countTokens: () => noRequest,
    embed: () => noRequest
  })
)

/** Everything but the client. */
export const selected = ({ model, sessionId }: Pick<ClientFacts, "model" | "sessionId">) =>
  Availability.layer.pipe(
    withLayer(SelectedModel.layer(model)),
    withLayer(
      service(
        UtilityModels.UtilityModels,
        Effect.flatMap(ModelAccess, ({ configFor }) =>
          UtilityModels.make((alias) => configFor(alias, { isRetry: false }), promptIdOf(sessionId, 0))
        )
      )
    )
  )

type Client = ModelClient["Type"]

/** What becomes of the client of the network, of which each attempt is a request of its own. */
type Finish = (client: Client, startedAt: number) => Effect.Effect<Client>

/** One conversation among many, over a client that they share. */
export const selectedAmong = (run: Pick<ClientFacts, "model" | "sessionId">) =>
  selected(run).pipe(withLayer(service(ModelClient, ModelClient)))

const openClient = Effect.fnUntraced(function* (config: LoadedConfig, run: ClientFacts, finish: Finish) {
  const { source } = yield* ModelAccess
  if (source._tag === "Network") return yield* finish(yield* networkClient(config, run, source), source.startedAt)
  const answers = source._tag === "Cassette" ? playedClient(config, run, { ...source, finish }) : replayClient(source)
  return yield* observed(yield* answers, undefined)
})

const networkClient = Effect.fnUntraced(function* (config: LoadedConfig, run: ClientFacts, source: NetworkSource) {
  const { flags } = yield* ModelAccess
  const { environment, settings } = config
  const { info: say } = yield* Notices
  const client = yield* loadClient(
    source.account === undefined ? source.auth : { ...run, say, account: source.account },
    {
      identity: { version, platform: run.platform, arch: process.arch, osVersion: release(), surface: run.surface },
      http: httpOf(config),
      variables: environment.variables,
      vertexRouting: {
        requestType: settings.get("billing.vertexAi.requestType"),
        sharedRequestType: settings.get("billing.vertexAi.sharedRequestType")
      },
      openingWithin: flags.requestTimeoutSeconds ? Duration.seconds(flags.requestTimeoutSeconds) : undefined
    }
  )
  const paid = yield* withSharedBudget(client, config)
  const tiered = yield* withRunTier(paid, run.tier, source.auth.authType)
  return yield* observed(tiered, source.auth)
})

/** The budget that other processes use too, where one is named. */
const withSharedBudget = Effect.fnUntraced(function* (
  client: ModelClient["Type"],
  { environment, settings }: LoadedConfig
) {
  const named = environment.get("GEMINI_BUDGET") ?? ""
  if (named === "") return client
  const file = resolve(environment.cwd, named)
  const [{ readBudget }, { withBudget }] = yield* Effect.all([
    lazy(() => import("./budget/budget-file.ts")),
    lazy(() => import("./budget/with-budget.ts"))
  ])
  yield* readBudget(file)
  return withBudget(client, {
    file,
    priceOf: priceLookup(settings.get("run.prices")),
    say: (yield* Notices).info
  })
})

/** Nothing is loaded for a wish that nobody has. */
const withRunTier = Effect.fnUntraced(function* (client: Client, tier: TierWish | undefined, authType: AuthType) {
  if (tier === undefined) return client
  const { info, warn } = yield* Notices
  if (hasNoTiers(authType)) {
    if (tier !== "standard") yield* warn(`--tier ${tier} has no effect: requests of a Google account have no tiers`)
    return client
  }
  const { withTier } = yield* lazy(() => import("./service-tier.ts"))
  return withTier(client, { tier, authType, say: info })
})

const hasNoTiers = (authType: AuthType): boolean =>
  authType === "oauth-personal" || authType === "compute-default-credentials"

const makeClient = Effect.fnUntraced(function* (config: LoadedConfig, run: ClientFacts) {
  const around = yield* Effect.context<Effect.Effect.Context<ReturnType<typeof persistent>>>()
  return yield* openClient(config, run, (client, startedAt) =>
    Effect.provide(persistent(client, startedAt, config, run), around)
  )
})

/** Sends again what failed on the way, and knows what to do about a quota. */
const persistent = Effect.fnUntraced(function* (
  client: Client,
  startedAt: number,
  config: LoadedConfig,
  run: ClientFacts
) {
  const { settings } = config
  const deadline = run.maxTime === undefined ? undefined : startedAt + Duration.toMillis(run.maxTime.value)
  const { action } = run.onQuota
  const asks = action === "fail" && run.fallback !== undefined
  const retried = withRetry(client, {
    maxAttempts: settings.get("general.maxAttempts"),
    retryFetchErrors: settings.get("general.retryFetchErrors"),
    deadline: Effect.succeed(Option.fromNullable(deadline)),
    asksAboutCapacity: asks
  })
  // By default a quota that is used up ends a run without a person, and nothing more is loaded.
  if (action === "fail" && !asks) return retried
  const { quotaAnswer } = yield* lazy(() => import("./routing/quota-answer.ts"))
  const isQuiet = settings.get("ui.errorVerbosity") === "low"
  const { openPage } = yield* lazy(() => import("../config/browser.ts"))
  return yield* quotaAnswer(retried, {
    ...run,
    deadline,
    isQuiet,
    openPage: (url) => openPage(url, config.environment)
  })
})

/** Below the retries: each attempt is a request. `undefined`: recorded answers, which nobody is asked for. */
const observed = Effect.fnUntraced(function* (client: Client, auth: AuthPlan | undefined) {
  if ((yield* Telemetry) === off) return client
  const { withTelemetry } = yield* lazy(() => import("./with-telemetry.ts"))
  return withTelemetry(client, auth)
})

interface Played extends CassetteSource {
  readonly finish: Finish
}

/** The real model is made at the first miss, if anybody may be asked then. */
const playedClient = Effect.fnUntraced(function* (
  config: LoadedConfig,
  run: ClientFacts,
  { finish, ...source }: Played
) {
  const { played, recordedBy } = yield* lazy(() => import("./cassette/from-config.ts"))
  const around = yield* Effect.context<LiveNeeds>()
  const ask = Effect.gen(function* () {
    const network = yield* Effect.mapError(source.network, (error) => notAsked("auth", error.message, error.hint))
    const opened = Effect.mapError(networkClient(config, run, network), ({ advice, message }) =>
      notAsked("budget", message, advice)
    )
    const client = yield* finish(yield* opened, network.startedAt)
    return source.onMiss === "record" ? yield* recordedBy(client, source.cassette, config) : client
  })
  const live = source.onMiss === "fail" ? undefined : yield* cachedOnce(Effect.provide(ask, around))
  return yield* played({ ...source, live }, config)
})

type LiveNeeds = Effect.Effect.Context<
  ReturnType<typeof networkClient> | ReturnType<typeof import("./cassette/from-config.ts")["recordedBy"]>
>

/** The run has begun already, so it ends as a request that failed. */
const notAsked = (kind: "auth" | "budget", message: string, advice: string | undefined) =>
  new ModelError({
    kind,
    detail: [message, ...(advice === undefined ? [] : [advice])].join(". "),
    phase: "open",
    errorType: kind === "auth" ? "UNSIGNED" : "BUDGET"
  })

const replayClient = Effect.fnUntraced(function* (cassette: Extract<ModelSource, { readonly _tag: "File" | "Demo" }>) {
  const { layerFile, layerText } = yield* lazy(() => import("./replay.ts"))
  if (cassette._tag === "File") {
    return yield* serviceOf(ModelClient, layerFile(cassette.file, { strict: cassette.strict }))
  }
  const { demoCassette } = yield* lazy(() => import("./demo-cassette.ts"))
  return yield* serviceOf(
    ModelClient,
    layerText("the demo", demoCassette, { strict: true, repeatsLast: true, pace: "20 millis" })
  )
})

const recorded = Effect.fnUntraced(function* <E, R>(
  made: Effect.Effect<ModelClient["Type"], E, R>,
  config: LoadedConfig,
  { record, recordResponses }: Pick<ClientFacts, "record" | "recordResponses">
) {
  const client = recordResponses === undefined ? made : withResponses(made, recordResponses)
  if (record === undefined) return yield* client
  const { recorded } = yield* lazy(() => import("./cassette/from-config.ts"))
  return yield* recorded(yield* client, record, config)
})

const withResponses = <E, R>(client: Effect.Effect<ModelClient["Type"], E, R>, file: string) =>
  Effect.flatMap(
    lazy(() => import("./record.ts")),
    ({ withRecording }) => serviceOf(ModelClient, withRecording(Layer.effect(ModelClient, client), file))
  )

/** Whoever turned usage statistics on in a file of the person or of the system tells the server of the account, too. */
export const reader = (
  { settings }: LoadedConfig,
  { sessionId }: Pick<ClientFacts, "sessionId">
): Effect.Effect<RunReader, never, ModelAccess | Scope.Scope> =>
  Effect.flatMap(ModelAccess, ({ source }) => {
    const account = source._tag === "Network" ? source.account : undefined
    if (account === undefined || !tellsServer(settings)) return Effect.succeed({})
    return Effect.flatMap(
      lazy(() => import("./code-assist/edit-metrics.ts")),
      ({ editMetrics }) => editMetrics({ account, sessionId })
    )
  })

export const tellsServer = ({ explain, get }: LoadedConfig["settings"]): boolean =>
  get("privacy.usageStatisticsEnabled") &&
  explain("privacy.usageStatisticsEnabled").sources.some(
    ({ scope, value }) => value === true && (scope === "user" || scope === "system")
  )
