/**
 * Where a server lets people log in: from its settings, from what it says itself, or from the well-known places of its
 * address. The resource that the description names must be this server, else a login would be for somebody else.
 */

import { Effect, Option, Schema } from "effect"
import { optionalOrNull } from "../../kernel/optional-field.ts"
import { shortLine } from "../../kernel/readable-text.ts"
import type { HttpClient } from "../../system/http/http.ts"
import { isOnTheNet } from "../../system/http/redirects.ts"
import { McpError } from "../mcp-error.ts"
import type { ServerPlan } from "../server-config.ts"
import { ask, askFor, METADATA_WITHIN } from "./oauth-http.ts"
import {
  authorizationServerPlaces,
  issuersOf,
  maySendTo,
  protectedResourcePlaces,
  resourceMetadataIn,
  resourceOf
} from "./well-known.ts"

export interface LoginEndpoints {
  readonly authorizationUrl: string
  readonly tokenUrl: string
  readonly registrationUrl: string | undefined
  readonly scopes: ReadonlyArray<string>
  /** By which the authorization server calls itself. */
  readonly issuer: string | undefined
}

export interface LoginClient {
  readonly id: string
  readonly secret: string | undefined
}

/** For whom a step of a login is done, and where. */
export interface LoginStep {
  readonly server: string
  readonly http: HttpClient
  readonly endpoints: Pick<LoginEndpoints, "tokenUrl"> & Partial<LoginEndpoints>
}

const ProtectedResource = Schema.Struct({
  resource: optionalOrNull(Schema.String),
  authorization_servers: optionalOrNull(Schema.Array(Schema.String)),
  scopes_supported: optionalOrNull(Schema.Array(Schema.String))
})

const AuthorizationServer = Schema.Struct({
  issuer: optionalOrNull(Schema.String),
  authorization_endpoint: Schema.String,
  token_endpoint: Schema.String,
  registration_endpoint: optionalOrNull(Schema.String),
  scopes_supported: optionalOrNull(Schema.Array(Schema.String))
})
type AuthorizationServer = typeof AuthorizationServer.Type

export const findEndpoints = Effect.fn("Mcp.findEndpoints")(function* (
  plan: ServerPlan,
  serverUrl: string,
  challenge: string | undefined,
  http: HttpClient
): Effect.fn.Return<LoginEndpoints, McpError> {
  const { authorizationUrl, issuer, registrationUrl, scopes, tokenUrl } = plan.settings.oauth ?? {}
  if (authorizationUrl !== undefined && tokenUrl !== undefined) {
    return {
      authorizationUrl,
      tokenUrl,
      registrationUrl: registrationUrl ?? (yield* registrationOf(issuer ?? authorizationUrl, http)),
      scopes: scopes ?? [],
      issuer
    }
  }
  const resource = issuer === undefined ? yield* protectedResource(plan, serverUrl, challenge, http) : undefined
  const authority = issuer ?? resource?.authorization_servers?.[0] ?? serverUrl
  // What the settings say is the person's own word.
  const described = (address: string) => issuer !== undefined || maySendTo(serverUrl, address)
  if (!described(authority)) return yield* strangePlace(plan.name, authority)
  const isPlace = URL.canParse(authority) && isOnTheNet(new URL(authority))
  const found = isPlace ? yield* firstOf(authorizationServerPlaces(authority), http) : undefined
  if (found === undefined) return yield* noDescription(plan.name, authority)
  const strange = [found.authorization_endpoint, found.token_endpoint, found.registration_endpoint ?? authority].find(
    (endpoint) => !maySendTo(authority, endpoint)
  )
  if (strange !== undefined) return yield* strangePlace(plan.name, strange)
  return {
    authorizationUrl: authorizationUrl ?? found.authorization_endpoint,
    tokenUrl: tokenUrl ?? found.token_endpoint,
    registrationUrl: registrationUrl ?? found.registration_endpoint,
    scopes: scopes ?? resource?.scopes_supported ?? found.scopes_supported ?? [],
    issuer: found.issuer
  }
})

const protectedResource = Effect.fnUntraced(function* (
  plan: ServerPlan,
  serverUrl: string,
  challenge: string | undefined,
  http: HttpClient
) {
  const told = resourceMetadataIn(challenge ?? (yield* challengeOf(plan, serverUrl, http)))
  const places = told === undefined || !maySendTo(serverUrl, told) ? [] : [told]
  for (const place of [...places, ...protectedResourcePlaces(serverUrl)]) {
    const found = Option.getOrUndefined(yield* askFor(http, place, ProtectedResource))
    if (found === undefined) continue
    const named = found.resource
    if (named !== undefined && !isSame(named, serverUrl)) return yield* otherResource(plan.name, named, serverUrl)
    return found
  }
  return undefined
})

const challengeOf = (plan: ServerPlan, serverUrl: string, http: HttpClient) =>
  ask(
    http,
    serverUrl,
    {
      method: "HEAD",
      headers: {
        accept: plan.transport.kind === "sse" ? "text/event-stream" : "application/json, text/event-stream"
      }
    },
    METADATA_WITHIN
  ).pipe(
    Effect.map(({ headers }) => headers.get("www-authenticate") ?? undefined),
    Effect.orElseSucceed(() => undefined)
  )

/** A slash at the end makes no other server. */
const isSame = (named: string, serverUrl: string): boolean =>
  URL.canParse(named) && resourceOf(named).replace(/\/$/, "") === resourceOf(serverUrl).replace(/\/$/, "")

const registrationOf = Effect.fnUntraced(function* (page: string, http: HttpClient) {
  const url = URL.parse(page)
  if (url === null || !isOnTheNet(url)) return undefined
  for (const issuer of issuersOf(page)) {
    const found = yield* firstOf(authorizationServerPlaces(issuer), http)
    if (found?.registration_endpoint !== undefined) return found.registration_endpoint
  }
  return undefined
})

const firstOf = Effect.fnUntraced(function* (
  places: ReadonlyArray<string>,
  http: HttpClient
): Effect.fn.Return<AuthorizationServer | undefined> {
  for (const place of places) {
    const found = yield* askFor(http, place, AuthorizationServer)
    if (Option.isSome(found)) return found.value
  }
  return undefined
})

const otherResource = (server: string, named: string, serverUrl: string) =>
  new McpError({
    server,
    kind: "unauthorized",
    detail: `describes a login for ${named}, which is not ${resourceOf(serverUrl)}`,
    hint: "Ask whoever runs the server; until then, set oauth.authorizationUrl and oauth.tokenUrl."
  })

const strangePlace = (server: string, place: string) =>
  new McpError({
    server,
    kind: "unauthorized",
    detail: `describes a login at ${shortLine(place)}, where a server of this kind must not send anybody`,
    hint: "Ask whoever runs the server; if it is right, set oauth.authorizationUrl and oauth.tokenUrl."
  })

const noDescription = (server: string, authority: string) =>
  new McpError({
    server,
    kind: "unauthorized",
    detail: `wants a login, but ${authority} does not say where`,
    hint: `Set oauth.authorizationUrl and oauth.tokenUrl in mcpServers.${server}.`
  })
