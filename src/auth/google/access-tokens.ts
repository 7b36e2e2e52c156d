/**
 * The bearer token of requests to the Code Assist server. It comes from the first of these that has one: a variable, the
 * sign-in that is kept, a credentials file that the environment names, and for the credentials of a machine its metadata
 * server. A token that ends soon, or that the server refused, is renewed where it came from.
 */
import { createHash } from "node:crypto"
import { Clock, Duration, Effect, Option, Redacted, Schema } from "effect"
import { lazy } from "../../kernel/lazy.ts"
import { shortLine } from "../../kernel/readable-text.ts"
import type { Secret } from "../../kernel/redact-secrets.ts"
import { ask } from "../../system/http/ask.ts"
import type { HttpClient } from "../../system/http/http.ts"
import { readRegularFile } from "../../system/regular-file.ts"
import { AuthError, type CodeAssistPlan } from "../auth-plan.ts"
import { ACCESS_TOKEN } from "./code-assist-plan.ts"
import type { CredentialStore, GoogleCredentials } from "./stored-credentials.ts"
import { askAgain, noClient, requestToken, WITHOUT_CLIENT } from "./token-endpoint.ts"

export interface AccessTokens {
  /** Tells users apart without naming them: of what the tokens are made from. */
  readonly identity: string
  /** Where they come from, for people. */
  readonly origin: string
  readonly current: Effect.Effect<string, AuthError>
  /** Another one than this, which the server does not accept. */
  readonly instead: (refused: string) => Effect.Effect<string, AuthError>
  /** Told of every token, so that nothing shows one; also of those that were found before. */
  readonly tell: (learn: Learn) => Effect.Effect<void>
}

export type Learn = (found: ReadonlyArray<Secret>) => Effect.Effect<void>

export interface TokenSurroundings {
  readonly http: HttpClient
  readonly store: CredentialStore
}

export const SCOPES = [
  "https://www.googleapis.com/auth/cloud-platform",
  "https://www.googleapis.com/auth/userinfo.email",
  "https://www.googleapis.com/auth/userinfo.profile"
]

interface Source {
  readonly origin: string
  readonly identity: string
  /** The one that is at hand, unless it is refused. */
  readonly token: (refused: string | undefined) => Effect.Effect<string, AuthError>
}

/** One that does not work is passed over where another one does; where none does, the first one says why. */
export const accessTokens = Effect.fn("Auth.accessTokens")(function* (
  plan: CodeAssistPlan,
  around: TokenSurroundings
): Effect.fn.Return<AccessTokens, AuthError> {
  let failure: AuthError | undefined
  for (const find of sourcesOf(plan, around)) {
    const found = yield* Effect.either(
      Effect.gen(function* () {
        const source = yield* find
        if (Option.isNone(source)) return Option.none()
        return Option.some({ source: source.value, first: yield* source.value.token(undefined) })
      })
    )
    if (found._tag === "Right" && Option.isSome(found.right)) return tokensOf(found.right.value)
    if (found._tag === "Left") failure ??= found.left
  }
  return yield* failure ?? (plan.oauth.id === undefined ? noClient : notSignedIn)
})

const tokensOf = ({ first, source }: { readonly source: Source; readonly first: string }): AccessTokens => {
  const learners: Array<Learn> = []
  const seen = new Set([first])
  const told = (token: string) =>
    Effect.suspend(() => {
      if (seen.has(token)) return Effect.succeed(token)
      seen.add(token)
      return Effect.as(
        Effect.forEach(learners, (learn) => learn([secretOf(token)])),
        token
      )
    })
  return {
    identity: source.identity,
    origin: source.origin,
    current: Effect.suspend(() => Effect.flatMap(source.token(undefined), told)),
    instead: (refused) => Effect.flatMap(source.token(refused), told),
    tell: (learn) =>
      Effect.suspend(() => {
        learners.push(learn)
        return learn([...seen].map(secretOf))
      })
  }
}

const secretOf = (value: string): Secret => ({ name: "ACCESS_TOKEN", value })

type FindSource = Effect.Effect<Option.Option<Source>, AuthError>

const sourcesOf = (plan: CodeAssistPlan, around: TokenSurroundings): ReadonlyArray<FindSource> => {
  if (plan.accessToken !== undefined) return [Effect.succeed(Option.some(variableSource(plan.accessToken)))]
  return [
    storedSource(plan, around),
    ...(plan.credentialsFile === undefined
      ? []
      : [fileSource(plan.credentialsFile, "GOOGLE_APPLICATION_CREDENTIALS", around)]),
    ...(plan.authType === "compute-default-credentials" ? [machineSource(plan.metadataHost, around)] : [])
  ]
}

const variableSource = (token: Redacted.Redacted): Source => ({
  origin: ACCESS_TOKEN,
  identity: digest(Redacted.value(token)),
  token: (refused) =>
    refused === undefined
      ? Effect.succeed(Redacted.value(token))
      : new AuthError({
          reason: "sign-in-refused",
          detail: `the token in ${ACCESS_TOKEN} was not accepted: it has ended, or is not meant for this`,
          hint: `Set ${ACCESS_TOKEN} to a new one (gcloud auth print-access-token), or unset it.`
        })
})

/** Tokens that end within this are renewed before they are used. */
const ENDS_SOON = Duration.toMillis("5 minutes")

const storedSource = (plan: CodeAssistPlan, { http, store }: TokenSurroundings): FindSource =>
  Effect.flatMap(store.read, (stored) => {
    if (Option.isNone(stored)) return Effect.succeedNone
    const { type } = stored.value
    if (type !== undefined) return fileSource(store.file, shortLine(type), { http })
    return Effect.succeedSome<Source>({
      origin: store.place,
      identity: identityOf(stored.value),
      token: Effect.fnUntraced(function* (refused) {
        const atHand = usable(yield* store.read, yield* Clock.currentTimeMillis, refused, ENDS_SOON)
        return Option.isSome(atHand) ? atHand.value : yield* store.alone(renewStored(plan, { http, store }, refused))
      })
    })
  })

/** Alone: whoever was quicker has left a new one. */
const renewStored = Effect.fnUntraced(function* (
  { oauth }: CodeAssistPlan,
  { http, store }: TokenSurroundings,
  refused: string | undefined
) {
  const stored = yield* store.read
  const now = yield* Clock.currentTimeMillis
  const atHand = usable(stored, now, refused, ENDS_SOON)
  if (Option.isSome(atHand)) return atHand.value
  const refresh_token = Option.getOrElse(stored, (): GoogleCredentials => ({})).refresh_token || undefined
  const lastMinutes = usable(stored, now, refused, 0)
  if (Option.isSome(lastMinutes) && (oauth.id === undefined || refresh_token === undefined)) return lastMinutes.value
  if (refresh_token === undefined) return yield* signInEnded
  const renewed = yield* requestToken(http, oauth, { grant_type: "refresh_token", refresh_token })
  yield* store.write({ ...Option.getOrElse(stored, () => ({})), ...{ refresh_token }, ...renewed })
  return renewed.access_token
})

const usable = (
  stored: Option.Option<GoogleCredentials>,
  now: number,
  refused: string | undefined,
  margin: number
): Option.Option<string> =>
  stored.pipe(
    Option.filter(({ expiry_date }) => expiry_date === undefined || expiry_date - now > margin),
    Option.flatMapNullable(({ access_token }) => access_token),
    Option.filter((token) => token !== "" && token !== refused)
  )

const MAX_FILE_BYTES = 1024 * 1024

/** Service accounts, workload identity and the like, and what `gcloud` writes: by the official library. */
const fileSource = (file: string, about: string, { http }: Pick<TokenSurroundings, "http">): FindSource =>
  Effect.gen(function* () {
    const content = readRegularFile(file, MAX_FILE_BYTES)
    const { makeCredentialHeaders } = yield* lazy(() => import("../google-credentials.live.ts"))
    let headers = makeCredentialHeaders({ credentialsFile: file, quotaProject: undefined, scopes: SCOPES, http })
    const source: Source = {
      origin: `${file} (${about})`,
      identity: digest(content.kind === "text" ? content.text : file),
      token: (refused) =>
        Effect.suspend(() => {
          // The library keeps its token; a new client has to ask for one.
          if (refused !== undefined) {
            headers = makeCredentialHeaders({ credentialsFile: file, quotaProject: undefined, scopes: SCOPES, http })
          }
          return headers
        }).pipe(
          Effect.map((list) => list.find(([name]) => name === "authorization")?.[1].replace(/^Bearer /i, "")),
          Effect.filterOrFail(
            (token): token is string => token !== undefined && token !== "",
            () => ({ detail: "no token came" })
          ),
          Effect.mapError(
            ({ detail }) =>
              new AuthError({
                reason: "sign-in-refused",
                detail: `the credentials in ${file} (${about}) give no token: ${detail}`,
                hint: "Correct the file, or name another one."
              })
          )
        )
    }
    return Option.some(source)
  })

const MachineToken = Schema.parseJson(
  Schema.Struct({ access_token: Schema.NonEmptyString, expires_in: Schema.optional(Schema.Number) })
)
const METADATA_BOUNDS = { within: Duration.seconds(10), maxBytes: 1024 * 1024, maxRedirects: 0 }

const machineSource = (host: string, { http }: TokenSurroundings): FindSource =>
  Effect.sync(() => {
    let kept: { readonly token: string; readonly endsAt: number } | undefined
    const source: Source = {
      origin: `the metadata server ${host}`,
      identity: digest(host),
      token: Effect.fnUntraced(function* (refused) {
        const now = yield* Clock.currentTimeMillis
        if (kept !== undefined && kept.token !== refused && kept.endsAt - now > 0) return kept.token
        const answer = yield* machineToken(http, host)
        const lasts = answer.expires_in === undefined ? 0 : answer.expires_in * 1000 - ENDS_SOON
        kept = { token: answer.access_token, endsAt: now + lasts }
        return answer.access_token
      })
    }
    return Option.some(source)
  })

const machineToken = (http: HttpClient, host: string) =>
  Effect.try({
    try: () => new URL(`http://${host}/computeMetadata/v1/instance/service-accounts/default/token`),
    catch: () => noMachineToken(host, "GCE_METADATA_HOST is no host")
  }).pipe(
    Effect.flatMap((url) =>
      ask(http, { url, headers: { "Metadata-Flavor": "Google" } }, METADATA_BOUNDS).pipe(
        Effect.mapError(({ detail }) => noMachineToken(host, detail)),
        Effect.filterOrFail(
          ({ status }) => status < 500,
          ({ status }) => noMachineToken(host, `it answered with HTTP ${status}`)
        ),
        Effect.retry(askAgain)
      )
    ),
    Effect.flatMap(({ status, text }) =>
      status === 200
        ? Effect.mapError(Schema.decodeUnknown(MachineToken)(text), () =>
            noMachineToken(host, "its answer cannot be read")
          )
        : noMachineToken(host, `it answered with HTTP ${status}`)
    )
  )

const noMachineToken = (host: string, why: string) =>
  new AuthError({
    reason: "google-unavailable",
    detail: `the metadata server ${host} gave no token for this machine: ${why}`,
    hint: "Credentials of the machine exist in Google Cloud and in Cloud Shell only; elsewhere sign in with Google (gemini auth login) or set GEMINI_API_KEY."
  })

const notSignedIn = new AuthError({
  reason: "sign-in-needed",
  detail: "nobody is signed in with Google here",
  hint: `Sign in at a terminal: gemini auth login. Without a person ${WITHOUT_CLIENT}`
})

const signInEnded = new AuthError({
  reason: "sign-in-refused",
  detail: "the sign-in with Google has ended, and cannot be renewed: it holds no refresh token",
  hint: "Sign in again: gemini auth login."
})

/** Of a sign-in: the same after it was renewed. */
export const identityOf = ({ access_token, refresh_token }: GoogleCredentials): string =>
  digest(refresh_token ?? access_token ?? "")

const digest = (text: string): string => createHash("sha256").update(text).digest("hex").slice(0, 32)
