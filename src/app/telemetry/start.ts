/** Telemetry that is on: who records, under which identity, and the last record of a session. */
import { existsSync, readFileSync } from "node:fs"
import { mkdir, writeFile } from "node:fs/promises"
import { resolve } from "node:path"
import { Effect, Option, Schema } from "effect"
import type { CodeAssistAccount } from "../../auth/google/account.ts"
import type { EnvironmentView } from "../../config/environment.ts"
import { httpOf } from "../../config/http.ts"
import type { LoadedConfig } from "../../config/load.ts"
import { Secrets } from "../../config/secrets.ts"
import { lazy } from "../../kernel/lazy.ts"
import { redactionOf, type Secret } from "../../kernel/redact-secrets.ts"
import { version } from "../../kernel/version.ts"
import { ModelAccess } from "../../model/model-access.ts"
import { Stderr } from "../../output/stderr.ts"
import type { AuthType } from "../../protocol/modes.ts"
import { DEFAULT_INTERVAL, makeMonitor } from "../../telemetry/resource-monitor.ts"
import { log, record } from "../../telemetry/signal.ts"
import { type Attributes, off } from "../../telemetry/telemetry.ts"
import type { TelemetryPlan } from "../../telemetry/telemetry-plan.ts"
import type { AppInput } from "../facts.ts"

/** What telemetry is made of. */
export interface TelemetryStart extends Pick<AppInput, "config" | "person"> {
  readonly facts: Pick<AppInput["facts"], "sessionId" | "platform">
  readonly plan: Pick<AppInput["plan"], "telemetry" | "usageEndpoint">
}

export interface Known {
  /** Absent: nobody was asked for anything. */
  readonly authType: AuthType | undefined
  /** Of a sign-in with Google. */
  readonly account?: CodeAssistAccount | undefined
  /** That no record may hold. */
  readonly secrets: ReadonlyArray<Secret>
}

export const startTelemetry = Effect.fnUntraced(function* (input: TelemetryStart) {
  const { sessionId } = input.facts
  const { authType, source } = yield* ModelAccess
  const account = source._tag === "Network" ? source.account : undefined
  const secrets = yield* (yield* Secrets).all
  const recording = yield* recordingOf(input, { authType, secrets, account })
  const active = yield* makeMonitor(recording, { every: monitorInterval(input.config.environment) })
  yield* Effect.addFinalizer(() =>
    record(recording, [log("end_session", "The session is over.", { session_id: sessionId })])
  )
  return { ...recording, active }
})

/** Set is enough to ask for it; a number says how often. */
const monitorInterval = ({ get }: EnvironmentView): number | undefined => {
  const given = get("GEMINI_MEMORY_MONITOR_INTERVAL")
  if (given === undefined || given === "") return undefined
  const every = Number(given)
  return every > 0 ? every : DEFAULT_INTERVAL
}

/** Telemetry, usage statistics, or both. */
export const recordingOf = Effect.fnUntraced(function* (input: TelemetryStart, known: Known) {
  const { telemetry: plan, usageEndpoint: endpoint } = input.plan
  const telemetry = plan === undefined ? undefined : yield* telemetryOf(input, plan, known)
  if (endpoint === undefined) return telemetry ?? off
  const { both, make } = yield* lazy(() => import("../../telemetry/usage-statistics.ts"))
  const { platform, sessionId } = input.facts
  const usage = yield* make({ endpoint, version, platform, sessionId, http: httpOf(input.config) })
  return telemetry === undefined ? usage : both(telemetry, usage)
})

const telemetryOf = Effect.fnUntraced(function* (
  input: TelemetryStart,
  plan: TelemetryPlan,
  { account, authType, secrets }: Known
) {
  const stderr = yield* Stderr
  const usesLogin = plan.destination._tag === "GoogleCloud" && plan.destination.usesLogin
  if (usesLogin && account === undefined) {
    // A command that asks no model has no sign-in, and nothing to say about it.
    if (authType !== undefined) yield* stderr.notice(`[WARNING] telemetry is off: ${NO_LOGIN}`)
    return off
  }
  const { make } = yield* lazy(() => import("../../telemetry/telemetry.live.ts"))
  const { config, facts } = input
  const common: Attributes = {
    "session.id": facts.sessionId,
    "installation.id": yield* installationId(config),
    interactive: input.person !== undefined,
    auth_type: authType,
    "user.email": plan.logPrompts ? signedIn(config, authType) : undefined,
    "experiments.ids": account?.experiments.ids.map(String)
  }
  return yield* make(inFolder(plan, config.environment.cwd), {
    version,
    sessionId: facts.sessionId,
    common,
    redact: redactionOf(secrets),
    notify: stderr.notice,
    write: stderr.write,
    http: httpOf(config),
    variables: config.environment.variables,
    googleHeaders: usesLogin && account !== undefined ? loginHeaders(account, config) : yield* googleHeaders(config)
  })
})

/** A file is named relative to the folder in which the program was started. */
const inFolder = (plan: TelemetryPlan, cwd: string): TelemetryPlan =>
  plan.destination._tag === "File"
    ? { ...plan, destination: { _tag: "File", file: resolve(cwd, plan.destination.file) } }
    : plan

/** Made at the first use, and the same from then on. It says nothing about the person. */
const installationId = ({ storage: { installationIdFile, userDir } }: LoadedConfig): Effect.Effect<string> =>
  Effect.suspend(() => {
    const known = existsSync(installationIdFile) ? readFileSync(installationIdFile, "utf8").trim() : ""
    if (known !== "") return Effect.succeed(known)
    const made = crypto.randomUUID()
    return Effect.as(
      Effect.ignore(
        Effect.tryPromise(async () => {
          await mkdir(userDir, { recursive: true, mode: 0o700 })
          await writeFile(installationIdFile, made, { mode: 0o600 })
        })
      ),
      made
    )
  })

const Accounts = Schema.parseJson(Schema.Struct({ active: Schema.NullOr(Schema.String) }))

/** Who signed in with a Google account; `undefined` where nobody did. */
const signedIn = (
  { storage: { googleAccountsFile } }: LoadedConfig,
  authType: AuthType | undefined
): string | undefined => {
  if (authType !== "oauth-personal" || !existsSync(googleAccountsFile)) return undefined
  return Option.match(Schema.decodeUnknownOption(Accounts)(readFileSync(googleAccountsFile, "utf8")), {
    onNone: () => undefined,
    onSome: ({ active }) => active ?? undefined
  })
}

const NO_LOGIN = "telemetry.useCliAuth takes the sign-in with Google, and this run has none"

/** Asked for each time: after a sign-out there is none. */
const loginHeaders = ({ tokens }: CodeAssistAccount, { environment }: LoadedConfig) =>
  Effect.mapBoth(tokens.current, {
    onFailure: ({ message }) => message,
    onSuccess: (token) => [
      ["authorization", `Bearer ${token}`] as const,
      ...QUOTA_PROJECTS.map(environment.get)
        .filter((project) => project !== undefined && project !== "")
        .slice(0, 1)
        .map((project = "") => ["x-goog-user-project", project] as const)
    ]
  })

const QUOTA_PROJECTS = ["GOOGLE_CLOUD_QUOTA_PROJECT", "GOOGLE_CLOUD_PROJECT", "GOOGLE_CLOUD_PROJECT_ID"]

/** The credentials of this machine, or those that a variable names; loaded at the first use, and kept. */
const googleHeaders = (config: LoadedConfig) =>
  Effect.map(
    Effect.cached(
      Effect.map(
        lazy(() => import("../../auth/google-credentials.live.ts")),
        ({ makeCredentialHeaders }) =>
          makeCredentialHeaders({
            credentialsFile: config.environment.get("GOOGLE_APPLICATION_CREDENTIALS"),
            quotaProject: undefined,
            http: httpOf(config)
          })
      )
    ),
    (headers) => Effect.mapError(Effect.flatten(headers), ({ message }) => message)
  )
