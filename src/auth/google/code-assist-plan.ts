/**
 * Where a sign-in with Google happens and which server it is for, from the environment. A bearer token goes to these
 * addresses: they are encrypted, or on this machine.
 */
import { Either, Redacted } from "effect"
import { AuthError, type CodeAssistPlan, type OAuthClient } from "../auth-plan.ts"

type Variables = Readonly<Record<string, string | undefined>>

const CODE_ASSIST = "https://cloudcode-pa.googleapis.com"
const METADATA_HOST = "metadata.google.internal"

export const codeAssistPlan = (
  authType: CodeAssistPlan["authType"],
  variables: Variables
): Either.Either<CodeAssistPlan, AuthError> =>
  Either.map(
    Either.all([addressIn(variables, "CODE_ASSIST_ENDPOINT"), oauthClient(variables)]),
    ([server, oauth]): CodeAssistPlan => ({
      _tag: "CodeAssist",
      authType,
      oauth,
      server: `${server ?? CODE_ASSIST}/${given(variables, "CODE_ASSIST_API_VERSION") ?? "v1internal"}`,
      accessToken: variables.GOOGLE_GENAI_USE_GCA === "true" ? secretIn(variables, ACCESS_TOKEN) : undefined,
      credentialsFile: given(variables, "GOOGLE_APPLICATION_CREDENTIALS"),
      metadataHost: given(variables, "GCE_METADATA_HOST") ?? METADATA_HOST,
      project: given(variables, "GOOGLE_CLOUD_PROJECT") ?? given(variables, "GOOGLE_CLOUD_PROJECT_ID")
    })
  )

export const ACCESS_TOKEN = "GOOGLE_CLOUD_ACCESS_TOKEN"

export const oauthClient = (variables: Variables): Either.Either<OAuthClient, AuthError> =>
  Either.map(addressIn(variables, "GEMINI_OAUTH_ENDPOINT"), (base) => ({
    id: given(variables, "GEMINI_OAUTH_CLIENT_ID"),
    secret: secretIn(variables, "GEMINI_OAUTH_CLIENT_SECRET"),
    authorizeUrl: `${base ?? "https://accounts.google.com"}/o/oauth2/v2/auth`,
    tokenUrl: `${base ?? "https://oauth2.googleapis.com"}/token`,
    userInfoUrl: `${base ?? "https://www.googleapis.com"}/oauth2/v2/userinfo`
  }))

const given = (variables: Variables, name: string): string | undefined => {
  const value = variables[name]?.trim()
  return value === "" ? undefined : value
}

const secretIn = (variables: Variables, name: string): Redacted.Redacted | undefined => {
  const value = given(variables, name)
  return value === undefined ? undefined : Redacted.make(value)
}

const ON_THIS_MACHINE = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/

const addressIn = (variables: Variables, name: string): Either.Either<string | undefined, AuthError> => {
  const text = given(variables, name)
  if (text === undefined) return Either.right(undefined)
  const url = URL.parse(text)
  const isSafe = url?.protocol === "https:" || (url?.protocol === "http:" && ON_THIS_MACHINE.test(url.hostname))
  if (url !== null && isSafe && url.username === "" && url.search === "" && url.hash === "") {
    return Either.right(url.href.replace(/\/+$/, ""))
  }
  return Either.left(
    new AuthError({
      reason: "invalid-endpoint",
      detail: `${name} is no address that a sign-in may be sent to: ${url === null ? text : url.origin}`,
      hint: `Correct or unset ${name}: it begins with https://, or with http:// on this machine.`
    })
  )
}
