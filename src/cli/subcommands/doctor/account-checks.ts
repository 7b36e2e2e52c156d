/** Settings, credentials and the way to the network, as a run here would have them. Nothing is sent, unless asked for. */
import { accessSync, constants } from "node:fs"
import { dirname, resolve } from "node:path"
import { Clock, Effect, Either, Option } from "effect"
import type { AuthPlan } from "../../../auth/auth-plan.ts"
import { bunSecrets, inSystem } from "../../../auth/credentials.ts"
import { plannedAuth } from "../../../auth/from-config.ts"
import { storeOf } from "../../../auth/google/account.ts"
import { emailOf } from "../../../auth/google/google-accounts.ts"
import { type ConfigError, formatIssue } from "../../../config/config-error.ts"
import type { LoadedConfig } from "../../../config/load.ts"
import { lazy } from "../../../kernel/lazy.ts"
import { readBudget } from "../../../model/budget/budget-file.ts"
import { idIn } from "../../../model/model-tables.ts"
import { describeModelError } from "../../../retry/describe.ts"
import { statOrNone } from "../../../system/regular-file.ts"
import { off, Telemetry } from "../../../telemetry/telemetry.ts"
import { planTelemetry } from "../../../telemetry/telemetry-plan.ts"
import { type Check, check, fault, type HealthFinding, ok, warning } from "./finding.ts"

/** `strict`: the settings as a run reads them, which refuses what cannot be read. */
export const accountChecks = (
  config: LoadedConfig,
  strict: Either.Either<LoadedConfig, ConfigError>,
  { isOnline }: { readonly isOnline: boolean }
): ReadonlyArray<Check> => [
  check("Settings", "settings", () => settingsFindings(config, strict)),
  check("Settings", "trust", () => [trustFinding(config)]),
  { group: "Account", name: "sign-in", look: signIn(config) },
  { group: "Account", name: "key store", look: keyStore(config) },
  check("Account", "budget", () => budgetFinding(config)),
  check("Network", "proxy", () => networkFindings(config)),
  ...(isOnline ? [{ group: "Network", name: "service", look: askService(config) }] : []),
  check("Telemetry", "telemetry", () => telemetryFindings(config))
]

const settingsFindings = (
  { files, findings }: LoadedConfig,
  strict: Either.Either<LoadedConfig, ConfigError>
): ReadonlyArray<HealthFinding> => {
  const read = files.filter(({ file }) => statOrNone(file) !== undefined)
  const refused = Either.isLeft(strict) ? strict.left.issues.map(formatIssue) : []
  const doubtful = findings
    .filter(({ severity }) => severity !== "note")
    .map(formatIssue)
    .filter((line) => !refused.includes(line))
  return [
    ...refused.map((line) => fault("settings", line, "Correct it: no run starts with it.")),
    ...doubtful.map((line) => warning("settings", line, "gemini config validate lists all of them.")),
    ...(refused.length + doubtful.length === 0
      ? [ok("settings", read.length === 0 ? "no files" : read.map(({ file }) => file).join(", "))]
      : [])
  ]
}

const trustFinding = ({ environment, trust }: LoadedConfig): HealthFinding =>
  ok("trust", `${environment.cwd} is ${trust.trust}`)

const signIn = (config: LoadedConfig) =>
  Effect.gen(function* () {
    const planned = yield* Effect.either(plannedAuth(config))
    if (Either.isLeft(planned)) {
      return [fault("sign-in", planned.left.detail, planned.left.hint ?? "gemini auth --help tells how.")]
    }
    return [yield* planFinding(planned.right, config)]
  })

const planFinding = Effect.fnUntraced(function* (
  plan: AuthPlan,
  config: LoadedConfig
): Effect.fn.Return<HealthFinding> {
  switch (plan._tag) {
    case "ApiKey":
      return ok(
        "sign-in",
        `${plan.authType}: ${config.environment.get("GEMINI_API_KEY") ? "GEMINI_API_KEY" : "a stored key"}`
      )
    case "Gateway":
      return ok("sign-in", `${plan.authType}: ${plan.baseUrl.host}`)
    case "VertexExpress":
      return ok("sign-in", `${plan.authType}: GOOGLE_API_KEY`)
    case "Vertex":
      return vertexFinding(plan)
    case "CodeAssist": {
      if (plan.accessToken !== undefined) return ok("sign-in", `${plan.authType}: GOOGLE_CLOUD_ACCESS_TOKEN`)
      const store = storeOf(config)
      const stored = yield* Effect.either(store.read)
      if (Either.isLeft(stored)) {
        return fault("sign-in", stored.left.detail, stored.left.hint ?? "Sign in again: gemini auth login.")
      }
      if (Option.isNone(stored.right)) {
        return plan.credentialsFile !== undefined || plan.authType === "compute-default-credentials"
          ? ok("sign-in", `${plan.authType}: ${plan.credentialsFile ?? `the metadata server ${plan.metadataHost}`}`)
          : fault("sign-in", "nobody is signed in with Google", "Sign in: gemini auth login.")
      }
      const { expiry_date: expiry, refresh_token: refresh } = stored.right.value
      const who = `${plan.authType}: ${emailOf(config.storage.googleAccountsFile) ?? "an account"}, kept in ${store.place}`
      const isOver = expiry !== undefined && expiry !== null && expiry < (yield* Clock.currentTimeMillis)
      return isOver && !refresh
        ? fault("sign-in", `${who}; it has expired`, "Sign in again: gemini auth login.")
        : ok("sign-in", `${who}${isOver ? "; renewed at the next run" : ""}`)
    }
  }
})

const vertexFinding = ({
  credentialsFile,
  location,
  project
}: Extract<AuthPlan, { readonly _tag: "Vertex" }>): HealthFinding => {
  const place = `vertex-ai: project ${project}, ${location}, ${credentialsFile ?? "application default credentials"}`
  return credentialsFile !== undefined && !isReadable(credentialsFile)
    ? fault("sign-in", `${place}: the file cannot be read`, "Correct GOOGLE_APPLICATION_CREDENTIALS.")
    : ok("sign-in", place)
}

const PROBE = { service: "gemini-cli-doctor", account: "probe" } as const

const keyStore = ({ environment, storage }: LoadedConfig) =>
  Effect.gen(function* () {
    if (environment.get("GEMINI_FORCE_FILE_STORAGE") === "true") {
      return [ok("key store", `${storage.secretsFile} (GEMINI_FORCE_FILE_STORAGE)`)]
    }
    const answered = yield* inSystem(() => bunSecrets.get(PROBE))
    return [
      Option.isSome(answered)
        ? ok("key store", "that of the system")
        : ok("key store", `the system has none that answers; ${storage.secretsFile} serves, encrypted`)
    ]
  })

const budgetFinding = ({ environment }: LoadedConfig): ReadonlyArray<HealthFinding> => {
  const named = environment.get("GEMINI_BUDGET") ?? ""
  if (named === "") return []
  const file = resolve(environment.cwd, named)
  const budget = readBudget(file)
  return Either.isLeft(budget)
    ? [fault("budget", budget.left.message, budget.left.advice)]
    : [ok("budget", `${file}; gemini budget show tells what is used`)]
}

const PROXIES = ["HTTPS_PROXY", "https_proxy", "HTTP_PROXY", "http_proxy"]

const networkFindings = ({ environment }: LoadedConfig): ReadonlyArray<HealthFinding> => {
  const { get } = environment
  const proxies = PROXIES.flatMap((name) => {
    const value = get(name) ?? ""
    if (value === "") return []
    const url = URL.parse(value.includes("://") ? value : `http://${value}`)
    return url === null
      ? [fault("proxy", `${name} is no address`, "Write it as http://host:port.")]
      : [ok("proxy", `${name}: ${url.host}`)]
  })
  const bundle = get("NODE_EXTRA_CA_CERTS") ?? ""
  const bases = ["GOOGLE_GEMINI_BASE_URL", "GOOGLE_VERTEX_BASE_URL"].flatMap((name) => {
    const value = get(name) ?? ""
    if (value === "") return []
    return URL.canParse(value)
      ? [ok("address", `${name}: ${new URL(value).host}`)]
      : [fault("address", `${name} is no address`, "Write it with https://.")]
  })
  return [
    ...(proxies.length === 0 ? [ok("proxy", "none")] : proxies),
    ...bases,
    ...(bundle === ""
      ? []
      : [
          isReadable(resolve(environment.cwd, bundle))
            ? ok("certificates", bundle)
            : fault(
                "certificates",
                `${bundle} (NODE_EXTRA_CA_CERTS) cannot be read`,
                "Correct the path, or take it away."
              )
        ]),
    ...(get("NODE_TLS_REJECT_UNAUTHORIZED") === "0"
      ? [
          warning(
            "certificates",
            "NODE_TLS_REJECT_UNAUTHORIZED=0 accepts any of them",
            "Name the right one in NODE_EXTRA_CA_CERTS."
          )
        ]
      : [])
  ]
}

/** Beyond that, sign-ins are refused. */
const MOST_SKEW_MS = 5 * 60_000

/** One request for the facts of the model that a run would ask. */
const askService = (config: LoadedConfig) =>
  Effect.gen(function* () {
    const planned = yield* Effect.either(plannedAuth(config))
    if (Either.isLeft(planned)) return [warning("service", "not asked: nobody is signed in", "See the sign-in above.")]
    const plan = planned.right
    if (plan._tag === "CodeAssist") {
      return [ok("service", "not asked: that of a Google account tells nothing of single models")]
    }
    const { lookUpModel } = yield* lazy(() => import("../../../model/online-models.live.ts"))
    const name = config.settings.get("model.name") ?? "auto"
    const model = idIn(config.settings, name, plan.authType)
    const answer = yield* Effect.either(Effect.provideService(lookUpModel(plan, config, model), Telemetry, off))
    if (Either.isLeft(answer)) {
      const { hint = "Try again.", message } = describeModelError(answer.left)
      return [fault("service", message, hint)]
    }
    const { date } = answer.right
    const skew = date === undefined ? 0 : (yield* Clock.currentTimeMillis) - date
    return [
      ok("service", `${model} answers`),
      Math.abs(skew) > MOST_SKEW_MS
        ? fault(
            "clock skew",
            `this clock differs from that of the service by ${Math.round(skew / 1000)} s`,
            "Set the clock."
          )
        : ok("clock skew", `${Math.round(Math.abs(skew) / 1000)} s`)
    ]
  })

const telemetryFindings = ({ environment, settings }: LoadedConfig): ReadonlyArray<HealthFinding> => {
  const planned = planTelemetry({ flags: {}, settings: settings.get("telemetry"), variable: environment.get })
  if (Either.isLeft(planned)) {
    return [fault("telemetry", `${planned.left.source}: ${planned.left.message}`, "Correct it: no run starts with it.")]
  }
  const { notices, plan } = planned.right
  if (plan === undefined) return [ok("telemetry", "off")]
  const { destination } = plan
  const doubts = notices.map((text) => warning("telemetry", text, "See gemini help telemetry."))
  if (destination._tag === "File") {
    const file = resolve(environment.cwd, destination.file)
    return [
      ...doubts,
      isWritable(dirname(file))
        ? ok("telemetry", file)
        : warning("telemetry", `${file} cannot be written`, "Make its folder, or name another file.")
    ]
  }
  const place = "url" in destination ? ` ${destination.url}` : ""
  return [...doubts, ok("telemetry", `${destination._tag}${place}`)]
}

const isReadable = (file: string): boolean => isAccessible(file, constants.R_OK)
const isWritable = (folder: string): boolean => isAccessible(folder, constants.W_OK)

const isAccessible = (path: string, mode: number): boolean => {
  try {
    accessSync(path, mode)
    return true
  } catch {
    return false
  }
}
