/**
 * `gemini auth`: sign in with a Google account, say who is signed in and how, sign out, and give a token to a script. The
 * token shows on a terminal or where it was asked for explicitly, and nowhere else.
 */
import * as Command from "@effect/cli/Command"
import * as Options from "@effect/cli/Options"
import { Clock, DateTime, Effect, Either, Option, Ref } from "effect"
import { API_KEY } from "../../auth/api-key.ts"
import type { AuthError, AuthPlan, CodeAssistPlan } from "../../auth/auth-plan.ts"
import { credentialsOf, describePlace } from "../../auth/credentials.ts"
import { plannedAuth } from "../../auth/from-config.ts"
import { accessTokens } from "../../auth/google/access-tokens.ts"
import { openAccount, rememberedAccount, storeOf } from "../../auth/google/account.ts"
import { codeAssistPlan } from "../../auth/google/code-assist-plan.ts"
import { emailOf } from "../../auth/google/google-accounts.ts"
import { signIn, signOut } from "../../auth/google/sign-in.ts"
import { browserProgram, openPage } from "../../config/browser.ts"
import { removeSetting, storeSetting } from "../../config/edit-settings.ts"
import { httpOf } from "../../config/http.ts"
import type { LoadedConfig } from "../../config/load.ts"
import { oneLine } from "../../kernel/one-line.ts"
import { jsonText } from "../../kernel/readable-text.ts"
import { ExitCode } from "../../protocol/exit-code.ts"
import { quotaText } from "../../slash/stats/session-stats-text.ts"
import { isTerminal } from "../../system/terminal.ts"
import { CliContext } from "../cli-context.ts"
import { CommandExit } from "../command-exit.ts"
import { defineSubcommand } from "../subcommand.ts"
import { UsageError, usageError } from "../usage-error.ts"
import { json } from "./common-options.ts"
import { loadSettings } from "./load-settings.ts"

const SELECTED_TYPE = { key: "security.auth.selectedType", inside: [] } as const

const login = Command.make("login", {}, () =>
  Effect.gen(function* () {
    const context = yield* CliContext
    const config = yield* loadSettings()
    const { environment, storage } = config
    if (!isTerminal(0)) return yield* noTerminal
    const plan = yield* googlePlan(config)
    const hasBrowser = browserProgram(environment) !== undefined
    const email = yield* signIn({
      oauth: plan.oauth,
      http: httpOf(config),
      store: storeOf(config),
      accountsFile: storage.googleAccountsFile,
      variable: environment.get,
      dialogue: {
        tell: (line) => context.writeError(`${line}\n`),
        ask: (question) => context.ask(question, { isHidden: false }),
        open: hasBrowser ? (url) => openPage(url, environment) : undefined
      }
    }).pipe(Effect.mapError(failed))
    yield* storeSetting({ scope: "user", file: storage.userSettingsFile }, SELECTED_TYPE, "oauth-personal").pipe(
      Effect.catchTag("ConfigError", (error) => context.writeError(`warning: ${error.message}\n`))
    )
    yield* context.write(`Signed in${email === undefined ? "" : ` as ${email}`}.\n`)
    const account = yield* openAccount({ ...plan, accessToken: undefined }, config, {
      tell: (line) => context.writeError(`${line}\n`)
    }).pipe(Effect.mapError(failed))
    yield* context.write(`${account.tierName ?? account.tier}, project ${account.project ?? "none"}\n`)
  })
).pipe(Command.withDescription("Sign in with a Google account."))

const logout = Command.make("logout", {}, () =>
  Effect.gen(function* () {
    const context = yield* CliContext
    const config = yield* loadSettings()
    const wasThere = yield* signOut(storeOf(config), config.storage.googleAccountsFile).pipe(Effect.mapError(failed))
    if (config.settings.get("security.auth.selectedType") === "oauth-personal") {
      const target = { scope: "user", file: config.storage.userSettingsFile } as const
      yield* removeSetting(target, SELECTED_TYPE).pipe(
        Effect.catchTag("ConfigError", (error) => context.writeError(`warning: ${error.message}\n`))
      )
    }
    yield* context.write(wasThere ? "Signed out.\n" : "Nobody was signed in with Google.\n")
  })
).pipe(Command.withDescription("Forget the sign-in with Google. Other machines stay signed in."))

const quota = Options.boolean("quota").pipe(
  Options.withDescription("Ask the server what is left of each model's quota.")
)

const status = Command.make("status", { json, quota }, (options) =>
  Effect.gen(function* () {
    const context = yield* CliContext
    const config = yield* loadSettings()
    const facts = yield* Effect.either(statusOf(config))
    if (Either.isLeft(facts)) {
      yield* Ref.set(yield* CommandExit, ExitCode.authentication)
      const { detail, hint } = facts.left
      return yield* options.json
        ? context.write(`${jsonText({ method: null, problem: detail, advice: hint ?? null })}\n`)
        : context.write(`${oneLine(`Not signed in: ${detail}. ${hint ?? ""}`, 500)}\n`)
    }
    const rows = Object.entries(facts.right).filter(([, value]) => value !== null)
    const left = options.quota ? yield* quotaLeft(config) : undefined
    if (options.json) return yield* context.write(`${jsonText({ ...facts.right, ...(left && { quota: left }) })}\n`)
    yield* context.write(rows.map(([name, value]) => `${`${name}:`.padEnd(9)} ${value}\n`).join(""))
    if (left !== undefined) yield* context.write(`\n${quotaText(left, yield* Clock.currentTimeMillis)}\n`)
  })
).pipe(Command.withDescription("How requests are authenticated, and for whom. Asks nobody but with --quota."))

const quotaLeft = Effect.fnUntraced(function* (config: LoadedConfig) {
  const context = yield* CliContext
  const plan = yield* Effect.mapError(plannedAuth(config), failed)
  if (plan._tag !== "CodeAssist") return yield* noQuota
  const account = yield* openAccount(plan, config, { tell: (line) => context.writeError(`${line}\n`) }).pipe(
    Effect.mapError(failed)
  )
  return yield* Effect.mapError(account.quota, ({ detail }) =>
    usageError(`the quota could not be asked: ${detail}`, "Try again later.")
  )
})

const noQuota = new UsageError({
  message: "what is left of a quota is told to those who sign in with Google only",
  hint: "For a key or a project its console tells: https://aistudio.google.com, https://console.cloud.google.com.",
  exitCode: ExitCode.general
})

const yes = Options.boolean("yes").pipe(Options.withDescription("Also where the output is no terminal."))

const token = Command.make("token", { yes }, (options) =>
  Effect.gen(function* () {
    const context = yield* CliContext
    if (!options.yes && !isTerminal(1)) return yield* tokenNotShown
    const config = yield* loadSettings()
    const plan = yield* googlePlan(config)
    const tokens = yield* accessTokens(plan, { http: httpOf(config), store: storeOf(config) }).pipe(
      Effect.mapError(failed)
    )
    yield* context.write(`${yield* Effect.mapError(tokens.current, failed)}\n`)
  })
).pipe(Command.withDescription("Print an access token of the account, for a script."))

const googlePlan = ({ environment, settings }: LoadedConfig): Effect.Effect<CodeAssistPlan, UsageError> => {
  const isMachine =
    settings.get("security.auth.selectedType") === "compute-default-credentials" ||
    environment.get("GEMINI_CLI_USE_COMPUTE_ADC") === "true" ||
    environment.get("CLOUD_SHELL") === "true"
  return Effect.mapError(
    codeAssistPlan(isMachine ? "compute-default-credentials" : "oauth-personal", environment.variables),
    failed
  )
}

const placeOfKey = Effect.fnUntraced(function* (config: LoadedConfig) {
  const { environment, settings } = config
  const key = environment.get("GEMINI_API_KEY")
  if (!key)
    return Option.match(yield* credentialsOf(config).placeOf(API_KEY), { onNone: () => NOWHERE, onSome: describePlace })
  return key === settings.get("security.auth.apiKey") ? "security.auth.apiKey in the settings" : "GEMINI_API_KEY"
})

/** It was just found, and is gone. */
const NOWHERE = "nowhere any more"

interface Status {
  readonly method: AuthPlan["authType"]
  readonly account: string | null
  readonly expires: string | null
  readonly project: string | null
  readonly tier: string | null
  /** Where the secret is kept. */
  readonly kept: string
}

const statusOf = Effect.fnUntraced(function* (config: LoadedConfig): Effect.fn.Return<Status, AuthError> {
  const plan = yield* plannedAuth(config)
  const none = { method: plan.authType, account: null, expires: null, project: null, tier: null }
  if (plan._tag === "ApiKey") {
    return { ...none, kept: yield* placeOfKey(config) }
  }
  if (plan._tag === "Gateway") return { ...none, kept: plan.baseUrl.host }
  if (plan._tag === "VertexExpress") return { ...none, kept: "GOOGLE_API_KEY" }
  if (plan._tag === "Vertex") {
    return { ...none, project: plan.project, kept: plan.credentialsFile ?? "application default credentials" }
  }
  if (plan.accessToken !== undefined)
    return { ...none, kept: "GOOGLE_CLOUD_ACCESS_TOKEN", project: plan.project ?? null }
  const store = storeOf(config)
  const stored = yield* store.read
  if (Option.isNone(stored)) {
    const kept =
      plan.credentialsFile ??
      (plan.authType === "compute-default-credentials" ? `the metadata server ${plan.metadataHost}` : undefined)
    // What is missing is said as a run would say it; nothing is asked for it.
    if (kept === undefined) yield* accessTokens(plan, { http: httpOf(config), store })
    return { ...none, kept: kept ?? store.place, project: plan.project ?? null }
  }
  const known = yield* rememberedAccount(plan, config, stored.value)
  return {
    method: plan.authType,
    account: emailOf(config.storage.googleAccountsFile) ?? null,
    expires: Option.match(Option.fromNullable(stored.value.expiry_date).pipe(Option.flatMap(DateTime.make)), {
      onNone: () => null,
      onSome: DateTime.formatIso
    }),
    project: Option.getOrUndefined(known)?.project ?? plan.project ?? null,
    tier: Option.getOrUndefined(known)?.tier ?? null,
    kept: yield* store.foundIn
  }
})

const failed = ({ detail, hint = "See gemini auth --help.", reason }: AuthError): UsageError =>
  new UsageError({
    message: oneLine(detail, LINE_LENGTH),
    hint: oneLine(hint, LINE_LENGTH),
    exitCode: reason === "invalid-endpoint" ? ExitCode.config : ExitCode.authentication
  })

const LINE_LENGTH = 600

const noTerminal = new UsageError({
  message: "signing in needs a person at a terminal",
  hint: "Without one, set GEMINI_API_KEY, GOOGLE_APPLICATION_CREDENTIALS or GOOGLE_CLOUD_ACCESS_TOKEN.",
  exitCode: ExitCode.authentication
})

const tokenNotShown = new UsageError({
  message: "the token is a secret, and the output is no terminal",
  hint: "Add --yes where a program reads it.",
  exitCode: ExitCode.general
})

export const subcommand = defineSubcommand({
  matching: "exact",
  command: Command.make("auth").pipe(
    Command.withDescription("Sign in with Google, and see how requests are authenticated."),
    Command.withSubcommands([login, status, logout, token])
  ),
  examples: [
    "gemini auth login",
    "gemini auth status --json",
    'curl -H "Authorization: Bearer $(gemini auth token --yes)" ...'
  ]
})
