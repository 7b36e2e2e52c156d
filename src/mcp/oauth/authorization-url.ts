/** The page that a person opens to log in. Pure. */
import type { LoginSecrets } from "./pkce.ts"
import { resourceOf } from "./well-known.ts"

export const authorizationUrl = (
  page: string,
  request: {
    readonly clientId: string
    readonly redirectUri: string
    readonly scopes: ReadonlyArray<string>
    readonly audiences: ReadonlyArray<string>
    readonly serverUrl: string
    readonly secrets: LoginSecrets
  }
): string => {
  const url = new URL(page)
  const { secrets } = request
  const parameters: ReadonlyArray<readonly [string, string]> = [
    ["client_id", request.clientId],
    ["response_type", "code"],
    ["redirect_uri", request.redirectUri],
    ["state", secrets.state],
    ["code_challenge", secrets.challenge],
    ["code_challenge_method", "S256"],
    ...listed("scope", request.scopes),
    ...listed("audience", request.audiences),
    ["resource", resourceOf(request.serverUrl)]
  ]
  // Parameters that the page's address has of its own stay.
  for (const [name, value] of parameters) url.searchParams.set(name, value)
  return url.toString()
}

const listed = (name: string, values: ReadonlyArray<string>): ReadonlyArray<readonly [string, string]> =>
  values.length === 0 ? [] : [[name, values.join(" ")]]
