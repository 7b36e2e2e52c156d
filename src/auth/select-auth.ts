/**
 * Which credentials a run uses: the type chosen in the settings, else the first one that the environment suggests.
 * The same rule headless and interactively, so that an exported key just works. The key store is asked last, and only
 * where a key can be what is missing: asking it may open a dialog or take seconds.
 */
import { Effect, Either, Option, Redacted, Schema } from "effect"
import { AuthType } from "../protocol/modes.ts"
import { readRegularFile } from "../system/regular-file.ts"
import { AuthError, type AuthPlan, type KeyMechanism } from "./auth-plan.ts"
import { codeAssistPlan } from "./google/code-assist-plan.ts"

export interface AuthInputs {
  readonly variables: Readonly<Record<string, string | undefined>>
  readonly selectedType?: string | undefined
  readonly enforcedType?: string | undefined
  /** Somebody in front of us authenticates: nothing is required here. */
  readonly useExternal?: boolean | undefined
  /** Key in the user's key store. */
  readonly storedKey: Effect.Effect<Option.Option<Redacted.Redacted>, AuthError>
}

export interface SelectedAuth {
  readonly plan: AuthPlan
  /** `environment`: nothing was selected in the settings; interactive mode says so in one line. */
  readonly source: "settings" | "environment"
}

export const selectAuth = Effect.fn("Auth.select")(function* (
  inputs: AuthInputs
): Effect.fn.Return<SelectedAuth, AuthError> {
  const selected = yield* chosenType(inputs)
  const found = selected ?? typeFromEnvironment(inputs.variables)
  yield* checkEnforced(found, inputs)
  if (found === undefined) return yield* nothingConfigured
  return { plan: yield* planFor(found, inputs), source: selected === undefined ? "environment" : "settings" }
})

const isAuthType = (value: string): value is AuthType => AuthType.literals.some((literal) => literal === value)

const chosenType = ({ selectedType }: AuthInputs): Either.Either<AuthType | undefined, AuthError> => {
  // `cloud-shell` is the name of a type that older versions wrote; it means that nothing is selected.
  if (selectedType === undefined || selectedType === "" || selectedType === "cloud-shell")
    return Either.right(undefined)
  if (isAuthType(selectedType)) return Either.right(selectedType)
  return Either.left(
    new AuthError({
      reason: "unknown-type",
      detail: `security.auth.selectedType is "${selectedType}", which is no authentication type`,
      hint: `Use one of ${AuthType.literals.join(", ")}.`
    })
  )
}

export const typeFromEnvironment = (variables: AuthInputs["variables"]): AuthType | undefined => {
  if (variables.GOOGLE_GENAI_USE_GCA === "true") return "oauth-personal"
  if (variables.GOOGLE_GENAI_USE_VERTEXAI === "true") return "vertex-ai"
  // An address alone is a gateway; together with a key it is the Gemini API at another address.
  if (isSet(variables.GEMINI_API_KEY)) return "gemini-api-key"
  if (isSet(variables.GOOGLE_GEMINI_BASE_URL)) return "gateway"
  if (variables.CLOUD_SHELL === "true" || variables.GEMINI_CLI_USE_COMPUTE_ADC === "true") {
    return "compute-default-credentials"
  }
  // Both are for Vertex AI alone, so nobody who has them needs to say so.
  if (isSet(variables.GOOGLE_API_KEY) || adcProject(variables) !== undefined) return "vertex-ai"
  return undefined
}

/** Works everywhere, and has the newest models first. */
const DEFAULT_LOCATION = "global"

/** The project of a credentials file that the environment names; `undefined` where that says none. */
const adcProject = (variables: AuthInputs["variables"]): string | undefined => {
  const file = variables.GOOGLE_APPLICATION_CREDENTIALS
  if (!isSet(file)) return undefined
  const named = [variables.GOOGLE_CLOUD_PROJECT, variables.GOOGLE_CLOUD_PROJECT_ID].find(isSet)
  return named ?? projectOfCredentials(file)
}

const MAX_BYTES = 1024 * 1024

const Projects = Schema.parseJson(
  Schema.Struct({
    project_id: Schema.optionalWith(Schema.NonEmptyString, { exact: true }),
    quota_project_id: Schema.optionalWith(Schema.NonEmptyString, { exact: true })
  })
)

/** Its own, or the one that it bills; `undefined`: it names none, or is no such file. */
const projectOfCredentials = (file: string): string | undefined => {
  const content = readRegularFile(file, MAX_BYTES)
  if (content.kind !== "text") return undefined
  const found = Option.getOrUndefined(Schema.decodeUnknownOption(Projects)(content.text))
  return found?.project_id ?? found?.quota_project_id
}

const isSet = (value: string | undefined): value is string => value !== undefined && value.trim() !== ""

const checkEnforced = (found: AuthType | undefined, inputs: AuthInputs): Either.Either<void, AuthError> => {
  const { enforcedType, useExternal } = inputs
  if (!isSet(enforcedType) || found === enforcedType || useExternal === true) return Either.void
  return Either.left(
    new AuthError({
      reason: "enforced-mismatch",
      detail:
        found === undefined
          ? `the enforced authentication type is '${enforcedType}', but no authentication is configured`
          : `the enforced authentication type is '${enforcedType}', but the current type is '${found}'`,
      hint: "Sign in with the enforced type, or ask your administrator (security.auth.enforcedType).",
      ...(found === undefined ? {} : { authType: found })
    })
  )
}

const THREE_WAYS =
  "Set GEMINI_API_KEY (a key from https://aistudio.google.com/apikey), " +
  "or GOOGLE_GENAI_USE_VERTEXAI=true with GOOGLE_CLOUD_PROJECT and GOOGLE_CLOUD_LOCATION (or with GOOGLE_API_KEY), " +
  "or GOOGLE_GEMINI_BASE_URL for a gateway; or sign in with a Google account: gemini auth login."

const nothingConfigured = Effect.fail(
  new AuthError({
    reason: "none-configured",
    detail:
      "no authentication is configured: none of GEMINI_API_KEY, GOOGLE_GENAI_USE_VERTEXAI, GOOGLE_GENAI_USE_GCA, " +
      "GOOGLE_GEMINI_BASE_URL and the setting security.auth.selectedType is set",
    hint: THREE_WAYS
  })
)

const planFor = (authType: AuthType, inputs: AuthInputs): Effect.Effect<AuthPlan, AuthError> => {
  switch (authType) {
    case "gemini-api-key":
      return apiKeyPlan(inputs)
    case "gateway":
      return gatewayPlan(inputs)
    case "vertex-ai":
      return vertexPlan(inputs)
    case "oauth-personal":
    case "compute-default-credentials":
      return codeAssistPlan(authType, inputs.variables)
  }
}

const apiKeyPlan = Effect.fnUntraced(function* (inputs: AuthInputs) {
  const baseUrl = yield* urlIn(inputs, "GOOGLE_GEMINI_BASE_URL")
  const key = yield* apiKey(inputs)
  return { _tag: "ApiKey", authType: "gemini-api-key", key, mechanism: mechanismOf(inputs), baseUrl } as const
})

const apiKey = Effect.fnUntraced(function* (inputs: AuthInputs) {
  const fromEnvironment = inputs.variables.GEMINI_API_KEY
  if (isSet(fromEnvironment)) return Redacted.make(fromEnvironment.trim())
  const stored = yield* inputs.storedKey
  if (Option.isSome(stored)) return stored.value
  if (inputs.useExternal === true) return Redacted.make("")
  return yield* new AuthError({
    reason: "missing-key",
    detail:
      fromEnvironment === undefined
        ? "authentication type gemini-api-key needs a key: GEMINI_API_KEY is not set, and no key is stored"
        : "authentication type gemini-api-key needs a key: GEMINI_API_KEY is empty, and no key is stored",
    hint: "Set GEMINI_API_KEY; keys are made at https://aistudio.google.com/apikey.",
    authType: "gemini-api-key"
  })
})

const gatewayPlan = Effect.fnUntraced(function* (inputs: AuthInputs) {
  const baseUrl = yield* urlIn(inputs, "GOOGLE_GEMINI_BASE_URL")
  if (baseUrl === undefined) {
    return yield* new AuthError({
      reason: "invalid-base-url",
      detail: "authentication type gateway needs the gateway's address: GOOGLE_GEMINI_BASE_URL is not set",
      hint: "Set GOOGLE_GEMINI_BASE_URL, for example http://localhost:8080.",
      authType: "gateway"
    })
  }
  const key = Redacted.make((inputs.variables.GEMINI_API_KEY ?? "").trim())
  return { _tag: "Gateway", authType: "gateway", key, mechanism: mechanismOf(inputs), baseUrl } as const
})

const vertexPlan = Effect.fnUntraced(function* (inputs: AuthInputs) {
  const { variables } = inputs
  const baseUrl = yield* urlIn(inputs, "GOOGLE_VERTEX_BASE_URL")
  if (isSet(variables.GOOGLE_API_KEY)) {
    const key = Redacted.make(variables.GOOGLE_API_KEY.trim())
    return { _tag: "VertexExpress", authType: "vertex-ai", key, mechanism: mechanismOf(inputs), baseUrl } as const
  }
  const named = [variables.GOOGLE_CLOUD_PROJECT, variables.GOOGLE_CLOUD_PROJECT_ID].find(isSet)
  const project = named ?? adcProject(variables)
  const isByFile = variables.GOOGLE_GENAI_USE_VERTEXAI !== "true" && !isSet(inputs.selectedType)
  const location = [variables.GOOGLE_CLOUD_LOCATION, isByFile ? DEFAULT_LOCATION : undefined].find(isSet)
  if (project === undefined || location === undefined) return yield* vertexIncomplete({ project, location })
  return {
    _tag: "Vertex",
    authType: "vertex-ai",
    project: project.trim(),
    location: location.trim(),
    baseUrl,
    quotaProject: [variables.GOOGLE_CLOUD_QUOTA_PROJECT].find(isSet),
    credentialsFile: [variables.GOOGLE_APPLICATION_CREDENTIALS].find(isSet)
  } as const
})

const vertexIncomplete = (found: { readonly project: string | undefined; readonly location: string | undefined }) => {
  const missing = [
    ...(found.project === undefined ? ["GOOGLE_CLOUD_PROJECT"] : []),
    ...(found.location === undefined ? ["GOOGLE_CLOUD_LOCATION"] : [])
  ]
  return new AuthError({
    reason: "vertex-incomplete",
    detail: `authentication type vertex-ai needs ${missing.join(" and ")}, or GOOGLE_API_KEY for express mode`,
    hint: "Set GOOGLE_CLOUD_PROJECT and GOOGLE_CLOUD_LOCATION (for example us-central1 or global), or GOOGLE_API_KEY.",
    authType: "vertex-ai"
  })
}

const mechanismOf = ({ variables }: AuthInputs): KeyMechanism =>
  variables.GEMINI_API_KEY_AUTH_MECHANISM === "bearer" ? "bearer" : "x-goog-api-key"

const urlIn = ({ variables }: AuthInputs, name: string): Either.Either<URL | undefined, AuthError> => {
  const text = variables[name]
  if (!isSet(text)) return Either.right(undefined)
  const url = URL.parse(text.trim())
  if (url !== null && /^https?:$/.test(url.protocol)) return Either.right(url)
  return Either.left(
    new AuthError({
      reason: "invalid-base-url",
      detail: `${name} is not an http or https address: ${text}`,
      hint: `Correct or unset ${name}; an address looks like https://gateway.example.com.`
    })
  )
}
