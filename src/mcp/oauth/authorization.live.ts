/**
 * The steps of a login that the SDK of the protocol knows: introducing this program, the page with its proof of who asks,
 * redeeming the code, renewing a token. They go through our door, bounded like everything else, and answers are brought
 * to the form that the SDK insists on: many servers write less, or write it as a form.
 */

import {
  exchangeAuthorization,
  refreshAuthorization,
  registerClient,
  startAuthorization
} from "@modelcontextprotocol/sdk/client/auth.js"
import type { AuthorizationServerMetadata, OAuthTokens } from "@modelcontextprotocol/sdk/shared/auth.js"
import { Clock, Effect, Either, Option, Predicate, Runtime, Schema } from "effect"
import { optionalOrNull } from "../../kernel/optional-field.ts"
import type { HttpClient } from "../../system/http/http.ts"
import { McpError } from "../mcp-error.ts"
import type { LoginClient, LoginStep } from "./login-endpoints.ts"
import type { StoredLogin } from "./login-store.ts"
import { ask } from "./oauth-http.ts"

/** A login that is kept may have been made without either. */
type LooseClient = { readonly [Field in keyof LoginClient]: LoginClient[Field] | undefined }

/** Introduces this program to a server that does not know it yet (RFC 7591). */
export const register = Effect.fn("Mcp.register")(function* (
  { endpoints, http, server }: LoginStep,
  redirectUri: string
): Effect.fn.Return<LoginClient, McpError> {
  const { scopes = [] } = endpoints
  const clientMetadata = {
    client_name: "Gemini CLI MCP Client",
    redirect_uris: [redirectUri],
    grant_types: ["authorization_code", "refresh_token"],
    response_types: ["code"],
    token_endpoint_auth_method: "none",
    ...(scopes.length === 0 ? {} : { scope: scopes.join(" ") })
  }
  // What an answer leaves out is as it was asked for.
  const fetchFn = yield* fetchOf(http, ({ data, status }) => {
    if (status >= 300) throw new Refused(`it answered ${status}`)
    return Response.json({ ...clientMetadata, ...data }, { status })
  })
  const { client_id: id, client_secret: secret } = yield* Effect.tryPromise({
    try: () => registerClient(endpoints.tokenUrl, { metadata: metadataOf(endpoints), clientMetadata, fetchFn }),
    catch: (cause) =>
      new McpError({
        server,
        kind: "unauthorized",
        detail: `does not register this program: ${reasonOf(cause, "its answer names no client")}`,
        hint: `Register one by hand and set oauth.clientId in mcpServers.${server}.`
      })
  })
  return { id, secret }
})

export interface LoginRequest {
  readonly client: LoginClient
  readonly redirectUri: string
  readonly scopes: ReadonlyArray<string>
  readonly audiences: ReadonlyArray<string>
  readonly resource: string
  readonly state: string
}

/** The page that a person opens, and the proof for whoever redeems the code. Parameters of the page's own stay. */
export const loginPage = (
  { endpoints }: LoginStep,
  { audiences, client, redirectUri, resource, scopes, state }: LoginRequest
) =>
  Effect.promise(async () => {
    const { authorizationUrl: page, codeVerifier } = await startAuthorization(endpoints.tokenUrl, {
      metadata: metadataOf({ ...endpoints, tokenUrl: redirectUri, registrationUrl: undefined }),
      clientInformation: { client_id: client.id },
      redirectUrl: redirectUri,
      state,
      resource,
      ...(scopes.length === 0 ? {} : { scope: scopes.join(" ") })
    })
    if (audiences.length > 0) page.searchParams.set("audience", audiences.join(" "))
    return { page: page.toString(), codeVerifier }
  })

export const redeemCode = (
  step: LoginStep,
  { audiences, client, redirectUri, resource }: LoginRequest,
  proof: { readonly code: string; readonly codeVerifier: string }
) =>
  tokenFrom(step, (fetchFn) =>
    exchangeAuthorization(step.endpoints.tokenUrl, {
      metadata: metadataOf(step.endpoints),
      clientInformation: { client_id: client.id },
      authorizationCode: proof.code,
      codeVerifier: proof.codeVerifier,
      redirectUri,
      resource,
      addClientAuthentication: inTheForm(client, audiences),
      fetchFn
    })
  )

export const renewToken = (step: LoginStep, client: LooseClient, refreshToken: string) =>
  tokenFrom(step, (fetchFn) =>
    refreshAuthorization(step.endpoints.tokenUrl, {
      metadata: metadataOf(step.endpoints),
      clientInformation: { client_id: client.id ?? "" },
      refreshToken,
      addClientAuthentication: inTheForm(client, []),
      fetchFn
    })
  )

/** Few servers say how they want to be shown who asks, and all of them read it there. */
const inTheForm =
  ({ id, secret }: LooseClient, audiences: ReadonlyArray<string>) =>
  (_headers: Headers, form: URLSearchParams) => {
    if (id !== undefined) form.set("client_id", id)
    if (secret !== undefined) form.set("client_secret", secret)
    if (audiences.length > 0) form.set("audience", audiences.join(" "))
  }

type SdkFetch = (url: string | URL, init?: RequestInit) => Promise<Response>

const TokenAnswer = Schema.Struct({
  access_token: Schema.NonEmptyString,
  token_type: Schema.optionalWith(Schema.String, { default: () => "Bearer", nullable: true }),
  expires_in: optionalOrNull(Schema.Union(Schema.Number, Schema.NumberFromString)),
  refresh_token: optionalOrNull(Schema.String),
  scope: optionalOrNull(Schema.String)
})

const Refusal = Schema.Struct({ error: Schema.String, error_description: optionalOrNull(Schema.String) })

const tokenFrom = Effect.fn("Mcp.requestToken")(function* (
  { http, server }: LoginStep,
  request: (fetchFn: SdkFetch) => Promise<OAuthTokens>
): Effect.fn.Return<StoredLogin["token"], McpError> {
  const fetchFn = yield* fetchOf(http, ({ data, status }) => {
    const token = Schema.decodeUnknownOption(TokenAnswer)(data)
    if (status < 300 && Option.isSome(token)) return Response.json(token.value, { status })
    throw new Refused(refusalIn(data, status))
  })
  const { access_token, expires_in, refresh_token, scope, token_type } = yield* Effect.tryPromise({
    try: () => request(fetchFn),
    catch: (cause) =>
      new McpError({
        server,
        kind: "unauthorized",
        detail: `gives no token: ${reasonOf(cause, "its answer holds none")}`
      })
  })
  const now = yield* Clock.currentTimeMillis
  return {
    accessToken: access_token,
    tokenType: token_type,
    ...(expires_in === undefined ? {} : { expiresAt: now + expires_in * 1000 }),
    ...(refresh_token === undefined ? {} : { refreshToken: refresh_token }),
    ...(scope === undefined ? {} : { scope })
  }
})

const refusalIn = (data: unknown, status: number): string =>
  Option.match(Schema.decodeUnknownOption(Refusal)(data), {
    onNone: () => (status >= 300 ? `it answered ${status}` : "its answer holds none"),
    onSome: ({ error, error_description }) => error_description ?? error
  })

/** Nothing came of it, in words for people. */
class Refused extends Error {}

const reasonOf = (cause: unknown, otherwise: string): string => (cause instanceof Refused ? cause.message : otherwise)

/** The settings may name anything. */
const onTheWeb = (text: string): string => {
  if (URL.canParse(text)) return text
  throw new Refused(`${text} is not an address of the web`)
}

interface Answer {
  readonly status: number
  readonly data: Readonly<Record<string, unknown>>
}

/** What the SDK sends, sent by us; `read` makes of the answer what the SDK can read. */
const fetchOf = (http: HttpClient, read: (answer: Answer) => Response): Effect.Effect<SdkFetch> =>
  Effect.map(Effect.runtime<never>(), (runtime) => async (url, init = {}) => {
    const headers = new Headers(init.headers)
    headers.set("accept", "application/json, application/x-www-form-urlencoded")
    const request = { method: init.method, headers, body: String(init.body ?? "") }
    const asked = await Runtime.runPromise(runtime)(Effect.either(ask(http, String(url), request)))
    if (Either.isLeft(asked)) throw new Refused(asked.left)
    return read({ status: asked.right.status, data: dataIn(asked.right.text) })
  })

const dataIn = (text: string): Answer["data"] => {
  const data = Either.getOrUndefined(Schema.decodeUnknownEither(Schema.parseJson())(text))
  return Predicate.isReadonlyRecord(data) ? (data as Answer["data"]) : Object.fromEntries(new URLSearchParams(text))
}

/** As far as the SDK needs it: which places there are was found out before, and judged. */
const metadataOf = (endpoints: LoginStep["endpoints"]): AuthorizationServerMetadata => ({
  issuer: endpoints.issuer ?? endpoints.tokenUrl,
  authorization_endpoint: endpoints.authorizationUrl ?? endpoints.tokenUrl,
  token_endpoint: onTheWeb(endpoints.tokenUrl),
  response_types_supported: ["code"],
  ...(endpoints.registrationUrl === undefined ? {} : { registration_endpoint: onTheWeb(endpoints.registrationUrl) })
})
