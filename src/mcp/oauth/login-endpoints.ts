/**
 * Where a server lets people log in: from its settings, from what it says itself, or from the well-known places of its
 * address. The resource that the description names must be this server, else a login would be for somebody else.
 */
import { Effect, Option, Schema } from "effect"
import { McpError } from "../mcp-error.ts"
import type { ServerPlan } from "../server-config.ts"
import { ask, askFor, type HttpFetch, METADATA_WITHIN } from "./oauth-http.ts"
import {
  authorizationServerPlaces,
  issuersOf,
  protectedResourcePlaces,
  resourceMetadataIn,
  resourceOf
} from "./well-known.ts"

export interface LoginEndpoints {
  readonly authorizationUrl: string
  readonly tokenUrl: string
  readonly registrationUrl: string | undefined
  readonly scopes: ReadonlyArray<string>
}

const optional = <A, I>(schema: Schema.Schema<A, I>) => Schema.optionalWith(schema, { exact: true, nullable: true })

const ProtectedResource = Schema.Struct({
  resource: optional(Schema.String),
  authorization_servers: optional(Schema.Array(Schema.String)),
  scopes_supported: optional(Schema.Array(Schema.String))
})

const AuthorizationServer = Schema.Struct({
  authorization_endpoint: Schema.String,
  token_endpoint: Schema.String,
  registration_endpoint: optional(Schema.String),
  scopes_supported: optional(Schema.Array(Schema.String))
})
type AuthorizationServer = typeof AuthorizationServer.Type

export const findEndpoints = Effect.fn("Mcp.findEndpoints")(function* (
  plan: ServerPlan,
  serverUrl: string,
  challenge: string | undefined,
  fetch: HttpFetch
): Effect.fn.Return<LoginEndpoints, McpError> {
  const { authorizationUrl, issuer, registrationUrl, scopes, tokenUrl } = plan.settings.oauth ?? {}
  if (authorizationUrl !== undefined && tokenUrl !== undefined) {
    return {
      authorizationUrl,
      tokenUrl,
      registrationUrl: registrationUrl ?? (yield* registrationOf(issuer ?? authorizationUrl, fetch)),
      scopes: scopes ?? []
    }
  }
  const resource = issuer === undefined ? yield* protectedResource(plan, serverUrl, challenge, fetch) : undefined
  const authority = issuer ?? resource?.authorization_servers?.[0] ?? serverUrl
  const found = URL.canParse(authority) ? yield* firstOf(authorizationServerPlaces(authority), fetch) : undefined
  if (found === undefined) return yield* noDescription(plan.name, authority)
  return {
    authorizationUrl: authorizationUrl ?? found.authorization_endpoint,
    tokenUrl: tokenUrl ?? found.token_endpoint,
    registrationUrl: registrationUrl ?? found.registration_endpoint,
    scopes: scopes ?? resource?.scopes_supported ?? found.scopes_supported ?? []
  }
})

const protectedResource = Effect.fnUntraced(function* (
  plan: ServerPlan,
  serverUrl: string,
  challenge: string | undefined,
  fetch: HttpFetch
) {
  const told = resourceMetadataIn(challenge ?? (yield* challengeOf(plan, serverUrl, fetch)))
  for (const place of [...(told === undefined ? [] : [told]), ...protectedResourcePlaces(serverUrl)]) {
    const found = Option.getOrUndefined(yield* askFor(fetch, place, ProtectedResource))
    if (found === undefined) continue
    const named = found.resource
    if (named !== undefined && !isSame(named, serverUrl)) return yield* otherResource(plan.name, named, serverUrl)
    return found
  }
  return undefined
})

const challengeOf = (plan: ServerPlan, serverUrl: string, fetch: HttpFetch) =>
  ask(
    fetch,
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

const registrationOf = Effect.fnUntraced(function* (page: string, fetch: HttpFetch) {
  if (!URL.canParse(page)) return undefined
  for (const issuer of issuersOf(page)) {
    const found = yield* firstOf(authorizationServerPlaces(issuer), fetch)
    if (found?.registration_endpoint !== undefined) return found.registration_endpoint
  }
  return undefined
})

const firstOf = Effect.fnUntraced(function* (
  places: ReadonlyArray<string>,
  fetch: HttpFetch
): Effect.fn.Return<AuthorizationServer | undefined> {
  for (const place of places) {
    const found = yield* askFor(fetch, place, AuthorizationServer)
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

const noDescription = (server: string, authority: string) =>
  new McpError({
    server,
    kind: "unauthorized",
    detail: `wants a login, but ${authority} does not say where`,
    hint: `Set oauth.authorizationUrl and oauth.tokenUrl in mcpServers.${server}.`
  })
