/** How a remote agent is signed in to, as its definition says it. Secrets may be names of variables or commands. */

export type RemoteAuth =
  | { readonly type: "apiKey"; readonly key: string; readonly name: string }
  | { readonly type: "http"; readonly scheme: string; readonly credentials: HttpCredentials }
  | ({ readonly type: "google-credentials" } & GoogleAuth)
  | ({ readonly type: "oauth" } & OAuthFields)

export interface GoogleAuth {
  readonly scopes: ReadonlyArray<string>
  /** A service account that the credentials act for. */
  readonly account?: string
  /** Whom an identity of that account is for; the agent's host where nothing is said. */
  readonly audience?: string
}

export type HttpCredentials =
  | { readonly _tag: "token"; readonly token: string }
  | { readonly _tag: "basic"; readonly username: string; readonly password: string }
  | { readonly _tag: "value"; readonly value: string }

export interface OAuthFields {
  readonly clientId?: string | undefined
  readonly clientSecret?: string | undefined
  readonly scopes?: ReadonlyArray<string> | undefined
  readonly authorizationUrl?: string | undefined
  readonly tokenUrl?: string | undefined
  readonly issuer?: string | undefined
  readonly audiences?: ReadonlyArray<string> | undefined
  readonly redirectUri?: string | undefined
  readonly registrationUrl?: string | undefined
}

export const DEFAULT_KEY_HEADER = "X-API-Key"

/** Whether signing in runs a command of its own. */
export const runsCommand = (auth: RemoteAuth | undefined): boolean =>
  secretsOf(auth).some((text) => /^!(?!!)/.test(text))

const secretsOf = (auth: RemoteAuth | undefined): ReadonlyArray<string> => {
  switch (auth?.type) {
    case "apiKey":
      return [auth.key]
    case "http": {
      const { _tag: _, ...written } = auth.credentials
      return Object.values(written)
    }
    case "oauth":
      return auth.clientSecret === undefined ? [] : [auth.clientSecret]
    default:
      return []
  }
}
