/** Introducing this program to a server that does not know it yet (RFC 7591). */
import { Effect, Schema } from "effect"
import type { HttpClient } from "../../system/http/http.ts"
import { McpError } from "../mcp-error.ts"
import { ask } from "./oauth-http.ts"

export interface OAuthClient {
  readonly id: string
  readonly secret: string | undefined
}

const Registered = Schema.parseJson(
  Schema.Struct({
    client_id: Schema.NonEmptyString,
    client_secret: Schema.optionalWith(Schema.String, { exact: true, nullable: true })
  })
)

export const register = Effect.fn("Mcp.register")(function* (
  server: string,
  request: { readonly url: string; readonly redirectUri: string; readonly scopes: ReadonlyArray<string> },
  http: HttpClient
): Effect.fn.Return<OAuthClient, McpError> {
  const refused = (why: string) =>
    new McpError({
      server,
      kind: "unauthorized",
      detail: `does not register this program: ${why}`,
      hint: `Register one by hand and set oauth.clientId in mcpServers.${server}.`
    })
  const body = JSON.stringify({
    client_name: "Gemini CLI MCP Client",
    redirect_uris: [request.redirectUri],
    grant_types: ["authorization_code", "refresh_token"],
    response_types: ["code"],
    token_endpoint_auth_method: "none",
    ...(request.scopes.length === 0 ? {} : { scope: request.scopes.join(" ") })
  })
  const headers = { "content-type": "application/json", accept: "application/json" }
  const { status, text } = yield* Effect.mapError(ask(http, request.url, { method: "POST", headers, body }), refused)
  if (status >= 300) return yield* refused(`it answered ${status}`)
  const { client_id: id, client_secret: secret } = yield* Effect.mapError(Schema.decodeUnknown(Registered)(text), () =>
    refused("its answer names no client")
  )
  return { id, secret }
})
