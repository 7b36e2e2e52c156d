/**
 * A signed-in account: its tokens, what it may use, and what its server and its administrator say. It is opened once in a
 * process; what does not change from run to run is kept for an hour, so that most runs ask nothing before their prompt.
 */
import { join } from "node:path"
import { Clock, Duration, Effect, Option, Schema } from "effect"
import { httpOf } from "../../config/http.ts"
import type { LoadedConfig } from "../../config/load.ts"
import { monotonicMillis } from "../../kernel/monotonic-time.ts"
import { version } from "../../kernel/version.ts"
import { writeFileAtomic } from "../../system/atomic-write.ts"
import { readRegularFile } from "../../system/regular-file.ts"
import type { AuthError, CodeAssistPlan } from "../auth-plan.ts"
import { credentialsOf } from "../credentials.ts"
import { type AccessTokens, accessTokens, identityOf } from "./access-tokens.ts"
import { type AccountSetup, askCredits, isProjectNumber, setUpAccount } from "./account-setup.ts"
import { type CodeAssistServer, callServer } from "./code-assist-server.ts"
import {
  type Experiments,
  experimentsFrom,
  fetchExperiments,
  flagsIn,
  NO_EXPERIMENTS,
  type RemoteFlags
} from "./experiments.ts"
import { askEmail, emailOf, setActiveAccount } from "./google-accounts.ts"
import { type PaidCredits, paidCredits } from "./paid-credits.ts"
import { credentialStore, type GoogleCredentials } from "./stored-credentials.ts"

export interface CodeAssistAccount extends Omit<AccountSetup, "credits"> {
  readonly plan: CodeAssistPlan
  readonly tokens: AccessTokens
  readonly server: CodeAssistServer
  /** Where it is known. */
  readonly email: string | undefined
  readonly experiments: Experiments
  /** What the experiments mean, with those of a file that stands in for them. */
  readonly flags: RemoteFlags
  /** The newest models may be used; absent: the server did not say. */
  readonly hasPreview: boolean | undefined
  /** What is left of the models' quotas; asked again when the last answer is older than half a minute. */
  readonly quota: Effect.Effect<ReadonlyArray<QuotaBucket>, ServerProblem>
  readonly credits: PaidCredits
}

/** Why the server did not say something. */
export interface ServerProblem {
  readonly detail: string
}

export interface OpenOptions {
  readonly tell: (line: string) => Effect.Effect<void>
}

type Surroundings = Pick<LoadedConfig, "environment" | "storage">

/** The store of the sign-in, as the environment asks for it. */
export const storeOf = ({ environment, storage }: Surroundings) =>
  credentialStore({
    file: storage.oauthCredentialsFile,
    isEncrypted: environment.get("GEMINI_FORCE_ENCRYPTED_FILE_STORAGE") === "true",
    credentials: credentialsOf({ environment })
  })

export const openAccount = Effect.fn("Auth.openAccount")(function* (
  plan: CodeAssistPlan,
  config: Surroundings & Pick<LoadedConfig, "settings">,
  { tell }: OpenOptions
): Effect.fn.Return<CodeAssistAccount, AuthError> {
  const http = httpOf(config)
  const store = storeOf(config)
  const tokens = yield* accessTokens(plan, { http, store })
  const server: CodeAssistServer = { base: plan.server, http, tokens, userAgent: userAgentOf(config) }
  const { file, key } = keptAt(plan, config, tokens.identity)
  const kept = yield* readKept(file, key)
  const accounts = config.storage.googleAccountsFile
  const [known] = yield* Effect.all(
    [
      Option.isSome(kept) ? Effect.succeed(kept.value) : freshly(server, plan, tell),
      Option.isNone(kept) && tokens.origin === store.place && !isProjectNumber(plan.project)
        ? learnEmail(server, plan, accounts)
        : Effect.void
    ],
    { concurrency: 2 }
  )
  const quota = whileRecent(quotaOf({ server, project: known.project }), QUOTA_LASTS)
  const replaced = yield* experimentsFrom(config.environment.get("GEMINI_EXP"), known.experiments)
  if (Option.isNone(kept) && flagsIn(known.experiments).keepsAccount !== false) yield* keep(file, key, known)
  return {
    ...known,
    plan,
    tokens,
    server,
    email: tokens.origin === store.place ? emailOf(accounts) : undefined,
    experiments: replaced,
    flags: flagsIn(replaced),
    quota,
    credits: paidCredits({
      strategy: config.settings.get("billing.overageStrategy"),
      balance: known.credits,
      ask: askCredits(server, known.project)
    })
  }
})

const keptAt = (plan: CodeAssistPlan, { storage }: Surroundings, identity: string) => ({
  file: join(storage.userDir, CACHE_NAME),
  key: [plan.server, plan.project ?? "", identity].join(" ")
})

/** What was found out the last time; nothing is asked. */
export const rememberedAccount = (plan: CodeAssistPlan, config: Surroundings, stored: GoogleCredentials) => {
  const { file, key } = keptAt(plan, config, identityOf(stored))
  return readKept(file, key)
}

/** Whose sign-in it is, where nobody wrote that down. */
const learnEmail = Effect.fnUntraced(function* (server: CodeAssistServer, { oauth }: CodeAssistPlan, file: string) {
  if (emailOf(file) !== undefined) return
  const email = yield* askEmail(server.http, oauth.userInfoUrl, yield* server.tokens.current)
  if (email !== undefined) yield* setActiveAccount(file, email)
})

type Known = AccountSetup & Pick<CodeAssistAccount, "experiments" | "hasPreview">

const freshly = Effect.fnUntraced(function* (
  server: CodeAssistServer,
  plan: CodeAssistPlan,
  tell: OpenOptions["tell"]
): Effect.fn.Return<Known, AuthError> {
  const setup = yield* setUpAccount(server, plan.project, tell)
  const [experiments, buckets] = yield* Effect.all(
    [
      Effect.orElseSucceed(fetchExperiments(server, setup.project), () => NO_EXPERIMENTS),
      Effect.orElseSucceed(quotaOf({ server, ...setup }), () => undefined)
    ],
    { concurrency: 2 }
  )
  return { ...setup, experiments, hasPreview: buckets?.some(({ modelId }) => isPreview(modelId)) }
})

const isPreview = (modelId: string): boolean => /^gemini-3.*(?:preview|pro)/.test(modelId)

const QuotaAnswer = Schema.Struct({
  buckets: Schema.optional(
    Schema.Array(
      Schema.Struct({
        modelId: Schema.optional(Schema.String),
        remainingAmount: Schema.optional(Schema.NullOr(Schema.String)),
        remainingFraction: Schema.optional(Schema.NullOr(Schema.Number)),
        resetTime: Schema.optional(Schema.NullOr(Schema.String))
      })
    )
  )
})

export interface QuotaBucket {
  readonly modelId: string
  /** Of 1. */
  readonly left: number | undefined
  /** Requests or tokens; absent where the server counts in shares. */
  readonly remaining: number | undefined
  readonly resetTime: string | undefined
}

const QUOTA_LASTS = Duration.seconds(30)

/** The last answer, while it is not older than this. */
const whileRecent = <A, E>(ask: Effect.Effect<A, E>, lasts: Duration.Duration): Effect.Effect<A, E> => {
  let last: { readonly answer: A; readonly at: number } | undefined
  return Effect.gen(function* () {
    const now = yield* monotonicMillis
    if (last !== undefined && now - last.at < Duration.toMillis(lasts)) return last.answer
    const answer = yield* ask
    last = { answer, at: now }
    return answer
  })
}

const ASIDE_WITHIN = Duration.seconds(5)

/** What is left of the models' quotas. */
export const quotaOf = ({ project, server }: Pick<CodeAssistAccount, "server" | "project">) =>
  callServer(
    server,
    { path: ":retrieveUserQuota", body: { project, userAgent: server.userAgent }, within: ASIDE_WITHIN },
    QuotaAnswer
  ).pipe(
    Effect.mapError(({ detail }): ServerProblem => ({ detail })),
    Effect.timeoutFail({ duration: ASIDE_WITHIN, onTimeout: () => ({ detail: "no answer came within 5 seconds" }) }),
    Effect.map(
      ({ buckets = [] }): ReadonlyArray<QuotaBucket> =>
        buckets.flatMap(({ modelId, remainingAmount, remainingFraction, resetTime }) =>
          modelId === undefined
            ? []
            : [
                {
                  // One model goes by another name there.
                  modelId: modelId === "gemini-3-flash" ? "gemini-3.5-flash" : modelId,
                  left: remainingFraction ?? undefined,
                  remaining:
                    remainingAmount != null && /^\d+$/.test(remainingAmount) ? Number(remainingAmount) : undefined,
                  resetTime: resetTime ?? undefined
                }
              ]
        )
    )
  )

const userAgentOf = ({ environment }: Surroundings): string =>
  `GeminiCLI/${version} (${environment.platform}; ${process.arch}; terminal)`

const CACHE_NAME = "code-assist-account.json"
const KEPT_FOR = Duration.toMillis("1 hour")
const MAX_BYTES = 1024 * 1024

const Kept = Schema.parseJson(
  Schema.Struct({
    key: Schema.String,
    at: Schema.Number,
    project: Schema.optional(Schema.String),
    tier: Schema.String,
    tierName: Schema.optional(Schema.String),
    hasPreview: Schema.optional(Schema.Boolean),
    credits: Schema.optional(Schema.Number),
    experiments: Schema.Struct({
      ids: Schema.Array(Schema.Number),
      values: Schema.Record({ key: Schema.String, value: Schema.Unknown })
    })
  })
)

const readKept = Effect.fnUntraced(function* (file: string, key: string): Effect.fn.Return<Option.Option<Known>> {
  const content = readRegularFile(file, MAX_BYTES)
  if (content.kind !== "text") return Option.none()
  const now = yield* Clock.currentTimeMillis
  return Option.map(
    Option.filter(
      Schema.decodeUnknownOption(Kept)(content.text),
      (kept) => kept.key === key && kept.at <= now && now - kept.at < KEPT_FOR
    ),
    ({ credits, hasPreview, project, tierName, ...kept }) => ({ ...kept, credits, hasPreview, project, tierName })
  )
})

/** Whoever cannot keep it asks again the next time. */
const keep = Effect.fnUntraced(function* (file: string, key: string, known: Known) {
  const at = yield* Clock.currentTimeMillis
  const content = `${JSON.stringify({ ...known, key, at }, null, 2)}\n`
  yield* Effect.ignore(writeFileAtomic({ file, content, mode: 0o600 }))
})
