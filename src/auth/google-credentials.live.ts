/**
 * Application default credentials of Google, by the official library: a file that the environment names, the file of
 * `gcloud`, or the metadata server of the machine. Tokens are kept until they expire.
 */

import { Duration, Effect, Option, Predicate, Schema } from "effect"
import { type AuthClient, GoogleAuth, type IdTokenProvider } from "google-auth-library"
import { messageOf } from "../kernel/cause-chain.ts"
import { type Fetch, fetchThrough } from "../system/http/fetch-door.ts"
import type { HttpClient } from "../system/http/http.ts"
import { readRegularFile } from "../system/regular-file.ts"

/** Reading files and asking a token endpoint; the metadata server of a machine that has none is the slowest of all. */
const TOKEN_WITHIN = Duration.seconds(30)
const SCOPE = "https://www.googleapis.com/auth/cloud-platform"

export class CredentialsError extends Schema.TaggedError<CredentialsError>()("CredentialsError", {
  detail: Schema.String,
  isTimeout: Schema.Boolean,
  cause: Schema.optional(Schema.Defect)
}) {
  override get message() {
    return this.detail
  }
}

export interface CredentialsOptions {
  readonly credentialsFile: string | undefined
  readonly quotaProject: string | undefined
  /** What the token is for; all of Google Cloud where nothing is said. */
  readonly scopes?: ReadonlyArray<string>
  readonly http: HttpClient
}

/** Headers that authenticate one request; cheap while the token is fresh. */
export const makeCredentialHeaders = (
  options: CredentialsOptions
): Effect.Effect<ReadonlyArray<readonly [name: string, value: string]>, CredentialsError> => {
  let client: Promise<AuthClient> | undefined
  return Effect.tryPromise({
    try: async () => {
      client ??= loadClient(options)
      return await (await client).getRequestHeaders()
    },
    catch: (cause) => {
      // The file may be put right between two requests of a conversation.
      client = undefined
      return new CredentialsError({ detail: `no Google credentials: ${messageOf(cause)}`, isTimeout: false, cause })
    }
  }).pipe(
    Effect.timeoutFail({ duration: TOKEN_WITHIN, onTimeout: tooLate }),
    Effect.map((headers) => {
      // The library takes the billed project from the file only.
      if (options.quotaProject !== undefined) headers.set("x-goog-user-project", options.quotaProject)
      return [...headers.entries()]
    })
  )
}

/** Says who we are to one receiver, by an identity token; only service accounts and the like have one. */
export const makeIdentityHeaders = (
  audience: string,
  options: CredentialsOptions
): Effect.Effect<Readonly<Record<string, string>>, CredentialsError> =>
  Effect.tryPromise({
    try: async () => {
      const client = await loadClient(options)
      if (!hasIdentity(client)) throw new Error("these credentials cannot make identity tokens")
      return { authorization: `Bearer ${await client.fetchIdToken(audience)}` }
    },
    catch: (cause) =>
      new CredentialsError({ detail: `no Google identity: ${messageOf(cause)}`, isTimeout: false, cause })
  }).pipe(Effect.timeoutFail({ duration: TOKEN_WITHIN, onTimeout: tooLate }))

const hasIdentity = (client: AuthClient): client is AuthClient & IdTokenProvider =>
  Predicate.hasProperty(client, "fetchIdToken") && Predicate.isFunction(client.fetchIdToken)

const tooLate = () =>
  new CredentialsError({ detail: `no Google credentials within ${Duration.format(TOKEN_WITHIN)}`, isTimeout: true })

const loadClient = async (options: CredentialsOptions): Promise<AuthClient> => {
  const auth = new GoogleAuth({ scopes: [...(options.scopes ?? [SCOPE])] })
  const fetchImplementation = tokenFetch(options)
  const clientOptions = { transporterOptions: { fetchImplementation } }
  const client =
    options.credentialsFile === undefined
      ? (await auth.getApplicationDefault(clientOptions)).credential
      : // What the library itself calls for the file that the environment names; its public option for a file prints a
        // warning to the terminal.
        await auth._getApplicationCredentialsFromFilePath(options.credentialsFile, clientOptions)
  // The library gives neither whoever stands for somebody else nor whom it stands for any of our options.
  for (const one of hasSource(client) ? [client, client.sourceClient] : []) {
    one.transporter.defaults.fetchImplementation = fetchImplementation
  }
  return client
}

const hasSource = (client: AuthClient): client is AuthClient & { sourceClient: AuthClient } =>
  Predicate.hasProperty(client, "sourceClient") && Predicate.hasProperty(client.sourceClient, "transporter")

const GOOGLE_TOKEN_ENDPOINT = "https://oauth2.googleapis.com/token"
const GOOGLE_IMPERSONATION = "https://iamcredentials.googleapis.com/v1/projects/-/serviceAccounts/"
const MAX_FILE_BYTES = 1024 * 1024
const TOKEN_BOUNDS = { answerWithin: TOKEN_WITHIN, gap: TOKEN_WITHIN, maxBytes: 1024 * 1024 }

const address = Schema.optional(Schema.String)
const Addresses = Schema.parseJson(
  Schema.Struct({
    token_uri: address,
    service_account_impersonation_url: address,
    /** Those that stand for somebody else hold the file of whom they are. */
    source_credentials: Schema.optional(Schema.Struct({ token_uri: address }))
  })
)

/** The library has the addresses of Google built in; a credentials file may name others. */
const tokenFetch = ({ credentialsFile, http }: CredentialsOptions): Fetch => {
  const send = fetchThrough(http, TOKEN_BOUNDS)
  const content = credentialsFile === undefined ? undefined : readRegularFile(credentialsFile, MAX_FILE_BYTES)
  const named = Option.getOrUndefined(
    Schema.decodeUnknownOption(Addresses)(content?.kind === "text" ? content.text : "")
  )
  if (named === undefined) return send
  const tokenUri = named.token_uri ?? named.source_credentials?.token_uri
  const impersonation = named.service_account_impersonation_url
  return (input, init) => {
    const url = String(input)
    if (url === GOOGLE_TOKEN_ENDPOINT) return send(tokenUri ?? input, init)
    const isFor = url.startsWith(GOOGLE_IMPERSONATION) && url.endsWith(":generateAccessToken")
    return send(isFor ? (impersonation ?? input) : input, init)
  }
}
