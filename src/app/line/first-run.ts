/**
 * What the person has to confirm before a conversation can begin: trust in the folder, and a way to reach a
 * model. Both are asked only where nothing has decided them yet.
 */
import { Effect, Option, Redacted, Schema } from "effect"
import type { AuthError } from "../../auth/auth-plan.ts"
import { typeFromEnvironment } from "../../auth/select-auth.ts"
import { openPage } from "../../config/browser.ts"
import type { ConfigError } from "../../config/config-error.ts"
import { storeSetting } from "../../config/edit-settings.ts"
import type { LoadedConfig } from "../../config/load.ts"
import { PROGRAM_KINDS, type ProjectProgram } from "../../config/programs/project-program.ts"
import { saveTrusted } from "../../config/programs/trusted-programs-file.ts"
import { type Contribution, projectContents } from "../../config/project-contents.ts"
import { saveTrust } from "../../config/trusted-folders-file.ts"
import { lazy } from "../../kernel/lazy.ts"
import { AuthType } from "../../protocol/modes.ts"
import { askWay, type GivenKey } from "../../repl/first-run/key-question.ts"
import { askTrust } from "../../repl/first-run/trust-question.ts"
import { printWords } from "../../repl/printed-text.ts"
import { Screen } from "../../repl/terminal/screen.ts"
import { Telemetry } from "../../telemetry/telemetry.ts"

/** How the configuration is to be read from here on. */
export interface Readiness {
  /** Trusted for this session, where the answer could not be stored. */
  readonly skipTrust: boolean
  /** Added to those of the process. */
  readonly variables: Readonly<Record<string, string>>
  /** Chosen in this session, whatever the settings say. */
  readonly authType: AuthType | undefined
}

export type Confirmed =
  | { readonly _tag: "GoOn" }
  /** Something was decided: the configuration is read again, in this way. */
  | { readonly _tag: "Reread"; readonly reading: Readiness }
  | { readonly _tag: "Leave" }

/** A folder without a rule is asked about. `asTrusted`: the configuration that trust would give. */
export const confirmTrust = Effect.fnUntraced(function* (
  { environment, settings, storage, trust }: LoadedConfig,
  reading: Readiness,
  asTrusted: Effect.Effect<LoadedConfig, ConfigError>
): Effect.fn.Return<Confirmed, never, Effect.Effect.Context<ReturnType<typeof askTrust>>> {
  if (trust.reason !== "no-rule") return { _tag: "GoOn" }
  const screen = yield* Screen
  const names = settings.get("context.fileName") ?? ["GEMINI.md"]
  const programs = yield* shownPrograms(asTrusted)
  const contents = (yield* projectContents(environment.cwd, names)).filter(({ kind }) => !LISTED_KINDS.has(kind))
  const answer = yield* askTrust(environment.cwd, [...programs.contents, ...contents])
  if (answer === "LEAVE") return { _tag: "Leave" }
  const agreed = answer === "DO_NOT_TRUST" ? [] : programs.fingerprints
  const isKept = yield* saveTrust(storage.trustedFoldersFile, environment.cwd, answer).pipe(
    // Agreeing to the folder is agreeing to what was shown of it: nothing is asked twice.
    Effect.zipRight(agreed.length === 0 ? Effect.void : saveTrusted(storage.trustedHooksFile, environment.cwd, agreed)),
    Effect.as(true),
    Effect.catchAll((error) =>
      Effect.as(printWords(screen, `The answer counts for this session only: ${error.message}`), false)
    )
  )
  return { _tag: "Reread", reading: { ...reading, skipTrust: !isKept && answer !== "DO_NOT_TRUST" } }
})

/** More of one kind are only counted, and asked about by themselves. */
const MAX_SHOWN = 40

/** Their programs are shown whole, not only their names. */
const LISTED_KINDS: ReadonlySet<string> = new Set(Object.values(PROGRAM_KINDS))

const shownPrograms = Effect.fnUntraced(function* (asTrusted: Effect.Effect<LoadedConfig, ConfigError>) {
  const { projectPrograms } = yield* lazy(() => import("../../repl/first-run/project-programs.ts"))
  const programs = yield* asTrusted.pipe(
    Effect.flatMap(projectPrograms),
    // What cannot be read brings nothing; it is told when the settings are read for good.
    Effect.catchAll(() => Effect.succeed<ReadonlyArray<ProjectProgram>>([]))
  )
  const kinds = (["hook", "server", "command"] as const).map((kind) => programs.filter((one) => one.kind === kind))
  return {
    contents: kinds.flatMap((all): ReadonlyArray<Contribution> => {
      const [first] = all
      if (first === undefined) return []
      return [
        { kind: PROGRAM_KINDS[first.kind], names: all.slice(0, MAX_SHOWN).map(({ what }) => what), count: all.length }
      ]
    }),
    fingerprints: kinds.flatMap((all) => all.slice(0, MAX_SHOWN).map(({ fingerprint }) => fingerprint))
  }
})

/** Errors that another way to sign in, or the same once more, would put right. */
const SIGN_IN_HELPS: ReadonlySet<AuthError["reason"]> = new Set([
  ...(["none-configured", "missing-key", "enforced-mismatch", "no-oauth-client", "sign-in-needed"] as const),
  ...(["sign-in-refused", "google-unavailable", "account", "validation-required", "project"] as const)
])

export const canSignIn = ({ reason }: AuthError): boolean => SIGN_IN_HELPS.has(reason)

interface SignInQuestion {
  readonly config: LoadedConfig
  readonly reading: Readiness
  /** What stands in the way of the present one. */
  readonly error?: AuthError
  /** There is no present one any more. */
  readonly isSignedOut?: boolean
}

/** `None`: nobody signed in. */
export const confirmSignIn = Effect.fnUntraced(function* ({ config, error, isSignedOut, reading }: SignInQuestion) {
  const screen = yield* Screen
  const wished = wishedType(config)
  let why = wished.fault ?? (error === undefined ? undefined : wordsOf(error))
  while (true) {
    const given = yield* askWay(why, {
      enforced: config.settings.get("security.auth.enforcedType") || undefined,
      ...waysFor(config, error),
      present: error === undefined && isSignedOut !== true ? (reading.authType ?? typeInUse(config)) : undefined,
      initial: wished.type
    })
    if (Option.isNone(given)) return Option.none<Readiness>()
    const way = given.value
    if ("key" in way) return Option.some(yield* withKey(way, config, reading))
    if (way.chosen === "again") return Option.some(reading)
    if (way.chosen === "machine") {
      return Option.some<Readiness>({ ...reading, authType: yield* chosenType("compute-default-credentials", config) })
    }
    why = undefined
    if (way.chosen === "verify" && error?.link !== undefined) {
      yield* openPage(error.link, config.environment)
      yield* printWords(screen, error.link)
      continue
    }
    const { signInAtTerminal } = yield* lazy(() => import("../../repl/first-run/google-sign-in.ts"))
    const refused = yield* signInAtTerminal(config)
    if (refused === undefined) {
      return Option.some<Readiness>({ ...reading, authType: yield* chosenType("oauth-personal", config) })
    }
    why = wordsOf(refused)
  }
})

const wordsOf = ({ hint, message, reason }: AuthError): string =>
  reason === "none-configured"
    ? "No way to reach a model is set up yet."
    : `${message}.${hint === undefined || reason === "missing-key" ? "" : ` ${hint}`}`

const waysFor = ({ environment }: LoadedConfig, error: AuthError | undefined) => {
  const machine =
    environment.get("CLOUD_SHELL") === "true"
      ? "Use Cloud Shell user credentials"
      : environment.get("GEMINI_CLI_USE_COMPUTE_ADC") === "true"
        ? "Use metadata server application default credentials"
        : undefined
  const canRetry = error !== undefined && RETRIED.has(error.reason)
  return {
    accounts: [
      { value: "google", label: "Sign in with Google" },
      ...(machine === undefined ? [] : [{ value: "machine", label: machine }])
    ],
    more: [
      ...(error?.link === undefined ? [] : [{ value: "verify", label: `Open the page: ${error.link}` }]),
      ...(canRetry ? [{ value: "again", label: "Try again" }] : [])
    ]
  }
}

const typeInUse = ({ environment, settings }: LoadedConfig): string | undefined =>
  settings.get("security.auth.selectedType") || typeFromEnvironment(environment.variables)

const isType = Schema.is(AuthType)

/** What Enter means at the question: what is selected, else wished for, else what the environment has. */
const wishedType = ({ environment, settings }: LoadedConfig) => {
  const wish = environment.get("GEMINI_DEFAULT_AUTH_TYPE")
  const isWrong = wish !== undefined && wish !== "" && !isType(wish)
  const wished = [settings.get("security.auth.selectedType"), isWrong ? undefined : wish].find(Boolean)
  const otherwise = environment.get("GEMINI_API_KEY") ? "gemini-api-key" : "oauth-personal"
  return {
    type: wished ?? otherwise,
    fault: isWrong
      ? `GEMINI_DEFAULT_AUTH_TYPE is "${wish}", which is no authentication type. Use one of ${AuthType.literals.join(", ")}.`
      : undefined
  }
}

const RETRIED: ReadonlySet<AuthError["reason"]> = new Set(["validation-required", "google-unavailable", "account"])

/** Kept for the next time where that can be done. */
const chosenType = Effect.fnUntraced(function* (authType: AuthType, { files }: LoadedConfig) {
  const userFile = files.find(({ scope }) => scope === "user")
  if (userFile !== undefined) yield* Effect.ignore(storeSetting(userFile, SELECTED_TYPE, authType))
  return authType
})

const withKey = Effect.fnUntraced(function* ({ isKept, key }: GivenKey, config: LoadedConfig, reading: Readiness) {
  yield* reportKey(reading.authType ?? config.settings.get("security.auth.selectedType"))
  const isStored = isKept && (yield* keepKey(key, config))
  const variables = isStored ? reading.variables : { ...reading.variables, GEMINI_API_KEY: Redacted.value(key) }
  return { ...reading, variables, authType: "gemini-api-key" } satisfies Readiness as Readiness
})

const reportKey = (previous: string | undefined) =>
  Effect.flatMap(Telemetry, ({ log }) =>
    log({
      name: "gemini_cli.api_key_updated",
      body: "Another API key was given.",
      attributes: { previous_auth_type: previous, new_auth_type: "gemini-api-key" }
    })
  )

/** False when it could not be kept; the person is told, and goes on with it for this session. */
const keepKey = Effect.fnUntraced(
  function* (key: GivenKey["key"], { environment, files }: LoadedConfig) {
    const screen = yield* Screen
    const { storeApiKey } = yield* lazy(() => import("../../auth/api-key.ts"))
    const { credentialsOf } = yield* lazy(() => import("../../auth/credentials.ts"))
    const place = yield* storeApiKey(key, credentialsOf({ environment }))
    const userFile = files.find(({ scope }) => scope === "user")
    if (userFile !== undefined) yield* storeSetting(userFile, SELECTED_TYPE, "gemini-api-key")
    yield* screen.print(
      place._tag === "System"
        ? "The key is kept in the key store of the system."
        : `The key is kept, encrypted, in ${place.file}.`
    )
    return true
  },
  Effect.catchAll((error) =>
    Effect.gen(function* () {
      const screen = yield* Screen
      yield* printWords(screen, `The key is used for this session only: ${error.message}`)
      return false
    })
  )
)

const SELECTED_TYPE = { key: "security.auth.selectedType", inside: [] } as const
