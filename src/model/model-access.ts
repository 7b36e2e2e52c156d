/** How the model of a run is reached, known before the first request: credentials or a cassette, and what names mean. */
import { Context, Effect, Either, Option, Redacted, Schema } from "effect"
import type { AuthError, AuthPlan, CodeAssistPlan } from "../auth/auth-plan.ts"
import { plannedAuth } from "../auth/from-config.ts"
import type { CodeAssistAccount } from "../auth/google/account.ts"
import type { RemoteFlags } from "../auth/google/experiments.ts"
import { typeFromEnvironment } from "../auth/select-auth.ts"
import type { LoadedConfig } from "../config/load.ts"
import { Secrets } from "../config/secrets.ts"
import { cachedOnce } from "../kernel/cached-once.ts"
import { service } from "../kernel/layers.ts"
import { lazy } from "../kernel/lazy.ts"
import { monotonicMillis } from "../kernel/monotonic-time.ts"
import { AuthType, type OnMiss } from "../protocol/modes.ts"
import { Notices } from "../protocol/notices.ts"
import type { RunFacts } from "../protocol/run-facts.ts"
import type { Cassette } from "./cassette/cassette-file.ts"
import { type ResolvedConfig, resolveConfig, sourcesIn } from "./model-configs.ts"
import { type SessionAccess, sessionAccess } from "./model-names.ts"
import { builtInNames, type ModelNames } from "./session-names.ts"

export class ModelAccess extends Context.Tag("agent/model/ModelAccess")<
  ModelAccess,
  {
    readonly authType: AuthType
    readonly access: SessionAccess
    /** What the server of an account switches on and off; empty where none does. */
    readonly flags: RemoteFlags
    /** What names of models mean in this run. */
    readonly names: ModelNames
    /** Model and parameters of a request, by the name of a model or of a purpose. */
    readonly configFor: (name: string, attempt: { readonly isRetry: boolean }) => ResolvedConfig
    readonly source: ModelSource
  }
>() {}

export type ModelSource =
  | NetworkSource
  | { readonly _tag: "File"; readonly file: string; readonly strict: boolean }
  | CassetteSource
  | { readonly _tag: "Demo" }

export interface CassetteSource {
  readonly _tag: "Cassette"
  readonly cassette: Cassette
  /** Calls of tools are answered from it too. */
  readonly replaysTools: boolean
  readonly keepsGaps: boolean
  readonly onMiss: OnMiss
  /** Who is asked on a miss; credentials are looked for then, and not before. */
  readonly network: Effect.Effect<NetworkSource, AuthError>
}

/** `--replay`, and what goes with it. */
export interface ReplayWish {
  readonly file: string
  readonly onMiss: OnMiss
  readonly replaysTools: boolean
  readonly keepsGaps: boolean
}

export type NetworkSource = NetworkAuth & { readonly _tag: "Network"; readonly startedAt: number }

type NetworkAuth =
  | { readonly auth: Exclude<AuthPlan, CodeAssistPlan>; readonly account?: undefined }
  | { readonly auth: CodeAssistPlan; readonly account: CodeAssistAccount }

export interface AccessFacts extends Pick<RunFacts, "isDemo"> {
  /** Chosen by the person in this session; the settings and the environment are not asked then. */
  readonly authType: AuthType | undefined
  readonly fakeResponses: string | undefined
  readonly fakeResponsesNonStrict: string | undefined
  readonly replay: ReplayWish | undefined
  /** That was opened before the run was planned. */
  readonly account?: CodeAssistAccount | undefined
}

export const layer = (config: LoadedConfig, run: AccessFacts) =>
  service(
    ModelAccess,
    Effect.gen(function* () {
      const source = cannedOf(run) ?? (yield* sourceOf(config, run))
      yield* Effect.annotateLogs(Effect.logDebug("the model is reached by"), {
        way: source._tag === "Network" ? source.auth._tag : source._tag
      })
      return yield* accessBy(config, source)
    })
  )

/** Nothing is sent, so no key is needed; without one, names mean what they mean to a key of the Gemini API. */
export const layerUnsigned = (config: LoadedConfig, run: AccessFacts) =>
  service(
    ModelAccess,
    Effect.gen(function* () {
      const known = signsIn(config, run.authType)
        ? Effect.succeed(DEMO)
        : Effect.orElseSucceed(networkSource(config, run), () => DEMO)
      const source = cannedOf(run) ?? (yield* run.replay === undefined ? known : sourceOf(config, run))
      return yield* accessBy(config, source)
    })
  )

const sourceOf = (config: LoadedConfig, run: AccessFacts) =>
  run.replay === undefined ? networkSource(config, run) : cassetteSource(config, run, run.replay)

/** Read now, since it says what names of models mean. */
const cassetteSource = Effect.fnUntraced(function* (config: LoadedConfig, run: AccessFacts, wish: ReplayWish) {
  const { openForRecording, readCassette } = yield* lazy(() => import("./cassette/cassette-file.ts"))
  const { file, ...how } = wish
  const cassette = yield* how.onMiss === "record" ? openForRecording(file) : readCassette(file)
  const around = yield* Effect.context<Secrets | Notices>()
  const network = yield* cachedOnce(Effect.provide(networkSource(config, run), around))
  return { _tag: "Cassette", cassette, network, ...how } satisfies CassetteSource
})

const accessBy = Effect.fnUntraced(function* (config: LoadedConfig, source: ModelSource) {
  // Canned answers need no key; names mean what they mean to a key of the Gemini API.
  const authType = source._tag === "Network" ? source.auth.authType : recordedAuth(source)
  const account = source._tag === "Network" ? source.account : undefined
  const recorded = source._tag === "Cassette" ? source.cassette.head.access : undefined
  const access: SessionAccess =
    recorded === undefined ? sessionAccess(authType, account) : { ...recorded, preview: recorded.preview }
  const names = yield* namesOf(config, access)
  const sources = sourcesIn(config.settings)
  return ModelAccess.of({
    authType,
    access,
    flags: account?.flags ?? {},
    names,
    source,
    configFor: (name, { isRetry }) => resolveConfig({ name: names.resolve(name), isRetry }, sources)
  })
})

const recordedAuth = (source: ModelSource): AuthType =>
  source._tag === "Cassette" && isAuthType(source.cassette.head.auth) ? source.cassette.head.auth : "gemini-api-key"

const isAuthType = Schema.is(AuthType)

const DEMO: ModelSource = { _tag: "Demo" }

const cannedOf = ({ fakeResponses, fakeResponsesNonStrict, isDemo }: AccessFacts): ModelSource | undefined => {
  if (isDemo) return DEMO
  if (fakeResponses !== undefined) return { _tag: "File", file: fakeResponses, strict: true }
  return fakeResponsesNonStrict === undefined
    ? undefined
    : { _tag: "File", file: fakeResponsesNonStrict, strict: false }
}

/** Opened before a run is planned, for its administrator has a say in the plan. `undefined`: nobody signs in with Google. */
export const accountOf = Effect.fnUntraced(function* (
  config: LoadedConfig,
  run: AccessFacts,
  tell: (line: string) => Effect.Effect<void>
) {
  const isCanned = cannedOf(run) !== undefined || run.replay?.onMiss === "fail"
  if (isCanned || !signsIn(config, run.authType)) return undefined
  const auth = yield* plannedAuth(config, run.authType)
  return auth._tag === "CodeAssist" ? yield* openedNow(auth, config, tell) : undefined
})

/** Told without asking for anything, on the path of every run. */
const signsIn = ({ environment, settings }: LoadedConfig, chosen: AuthType | undefined): boolean => {
  const selected = chosen ?? settings.get("security.auth.selectedType")
  const isUnset = selected === undefined || selected === "" || selected === "cloud-shell"
  const found = isUnset ? typeFromEnvironment(environment.variables) : selected
  return found === "oauth-personal" || found === "compute-default-credentials"
}

/** The key that requests carry is a secret, wherever it was kept. */
const networkSource = Effect.fnUntraced(function* (
  config: LoadedConfig,
  { account, authType }: Pick<AccessFacts, "authType" | "account">
) {
  const auth = yield* plannedAuth(config, authType)
  const { learn } = yield* Secrets
  if ("key" in auth) yield* learn([{ name: "API_KEY", value: Redacted.value(auth.key) }])
  const startedAt = yield* monotonicMillis
  if (auth._tag !== "CodeAssist") return { _tag: "Network", auth, startedAt } satisfies NetworkSource as NetworkSource
  const opened = account ?? (yield* openedNow(auth, config, (yield* Notices).info))
  yield* opened.tokens.tell(learn)
  return { _tag: "Network", auth, account: opened, startedAt } satisfies NetworkSource as NetworkSource
})

const openedNow = Effect.fnUntraced(function* (
  plan: CodeAssistPlan,
  config: LoadedConfig,
  tell: (line: string) => Effect.Effect<void>
) {
  const { openAccount } = yield* lazy(() => import("../auth/google/account.ts"))
  return yield* openAccount(plan, config, { tell })
})

/** Tables that cannot be read are named, and the built-in rules hold. */
const namesOf = Effect.fnUntraced(function* ({ settings }: LoadedConfig, access: SessionAccess) {
  const builtIn = builtInNames(access)
  if (!settings.get("experimental.dynamicModelConfiguration")) return builtIn
  const { warn } = yield* Notices
  const { namesFrom, tablesIn } = yield* lazy(() => import("./model-tables.ts"))
  const tables = Option.getOrElse(tablesIn(settings), () => Either.left([]))
  if (Either.isRight(tables)) return namesFrom(tables.right, access, builtIn)
  yield* Effect.forEach(tables.left, (fault) => warn(`${fault}; the built-in table is used`))
  return builtIn
})
