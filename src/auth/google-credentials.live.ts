/**
 * Application default credentials of Google, by the official library: a file that the environment names, the file of
 * `gcloud`, or the metadata server of the machine. Tokens are kept until they expire.
 */
import { Duration, Effect, Schema } from "effect"
import { GoogleAuth } from "google-auth-library"

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
  /** Carries the proxy and the certificates of the run. */
  readonly fetch: (input: string | URL | Request, init?: RequestInit) => Promise<Response>
}

/** Headers that authenticate one request; cheap while the token is fresh. */
export const makeCredentialHeaders = (
  options: CredentialsOptions
): Effect.Effect<ReadonlyArray<readonly [name: string, value: string]>, CredentialsError> => {
  const auth = new GoogleAuth({
    scopes: [SCOPE],
    ...(options.credentialsFile === undefined ? {} : { keyFilename: options.credentialsFile }),
    clientOptions: {
      transporterOptions: { fetchImplementation: options.fetch },
      ...(options.quotaProject === undefined ? {} : { quotaProjectId: options.quotaProject })
    }
  })
  return Effect.tryPromise({
    try: () => auth.getRequestHeaders(),
    catch: (cause) =>
      new CredentialsError({
        detail: `no Google credentials: ${cause instanceof Error ? cause.message : String(cause)}`,
        isTimeout: false,
        cause
      })
  }).pipe(
    Effect.timeoutFail({
      duration: TOKEN_WITHIN,
      onTimeout: () =>
        new CredentialsError({
          detail: `no Google credentials within ${Duration.format(TOKEN_WITHIN)}`,
          isTimeout: true
        })
    }),
    Effect.map((headers) => [...headers.entries()])
  )
}
