/**
 * An authorization server and a protected resource on loopback, for tests of logins: it describes itself, registers
 * clients, plays the login page (which agrees at once), redeems codes under PKCE and renews tokens.
 */
import { createHash } from "node:crypto"

export interface OAuthServerOptions {
  /** Seconds; absent: tokens do not expire. */
  readonly expiresIn?: number
  /** The resource that the description names; by default the server itself. */
  readonly resource?: string
  readonly formAnswers?: boolean
  /** In place of what the server would say of itself. */
  readonly describes?: Readonly<Record<string, unknown>>
  /** Where requests to `/mcp` go that carry a token. */
  readonly protects?: string
}

export interface OAuthServer extends Disposable {
  readonly url: string
  /** Requests to the token endpoint, decoded. */
  readonly tokenRequests: Array<Record<string, string>>
  readonly registrations: Array<Record<string, unknown>>
  /** What opening the page in a browser does. */
  readonly visit: (page: string) => Promise<Response>
  readonly accepts: (header: string | null) => boolean
  /** From now on every token given so far is refused. */
  readonly revoke: () => void
  readonly refuseRefresh: () => void
}

export const startOAuthServer = (options: OAuthServerOptions = {}): OAuthServer => {
  const codes = new Map<string, { readonly challenge: string; readonly client: string }>()
  const tokens = new Set<string>()
  const tokenRequests: OAuthServer["tokenRequests"] = []
  const registrations: OAuthServer["registrations"] = []
  let refreshes = true
  let serial = 0

  const accepts = (header: string | null): boolean =>
    header?.startsWith("Bearer ") === true && tokens.has(header.slice("Bearer ".length))

  const answerToken = (form: URLSearchParams): Response => {
    const fields = Object.fromEntries(form)
    tokenRequests.push(fields)
    const known = codes.get(fields.code ?? "")
    const isCode =
      fields.grant_type === "authorization_code" &&
      known !== undefined &&
      known.client === fields.client_id &&
      createHash("sha256")
        .update(fields.code_verifier ?? "")
        .digest("base64url") === known.challenge
    const isRefresh = fields.grant_type === "refresh_token" && refreshes && fields.refresh_token !== undefined
    if (!isCode && !isRefresh) {
      return Response.json({ error: "invalid_grant", error_description: "the grant is not valid" }, { status: 400 })
    }
    codes.delete(fields.code ?? "")
    serial += 1
    tokens.add(`token-${serial}`)
    const answer: Record<string, string | number> = { access_token: `token-${serial}`, token_type: "Bearer" }
    if (options.expiresIn !== undefined) answer.expires_in = options.expiresIn
    if (isCode) answer.refresh_token = `refresh-${serial}`
    if (options.formAnswers !== true) return Response.json(answer)
    return new Response(
      new URLSearchParams(Object.entries(answer).map(([name, value]): [string, string] => [name, String(value)]))
    )
  }

  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch: async (request) => {
      const { origin, pathname, searchParams } = new URL(request.url)
      switch (pathname) {
        case "/.well-known/oauth-protected-resource/mcp":
          return Response.json({
            resource: options.resource ?? `${origin}/mcp`,
            authorization_servers: [`${origin}/tenant`],
            scopes_supported: ["read", "write"]
          })
        case "/.well-known/oauth-authorization-server/tenant":
          return Response.json({
            authorization_endpoint: `${origin}/authorize?tenant=1`,
            token_endpoint: `${origin}/token`,
            registration_endpoint: `${origin}/register`,
            ...options.describes
          })
        case "/register": {
          registrations.push((await request.json()) as Record<string, unknown>)
          return Response.json({ client_id: `client-${registrations.length}` }, { status: 201 })
        }
        case "/authorize": {
          const code = `code-${codes.size + 1}`
          codes.set(code, {
            challenge: searchParams.get("code_challenge") ?? "",
            client: searchParams.get("client_id") ?? ""
          })
          const back = new URL(searchParams.get("redirect_uri") ?? "")
          back.searchParams.set("code", code)
          back.searchParams.set("state", searchParams.get("state") ?? "")
          return Response.redirect(back.toString(), 302)
        }
        case "/token":
          return answerToken(new URLSearchParams(await request.text()))
        case "/mcp": {
          if (options.protects === undefined) return new Response("not found", { status: 404 })
          const isKnown = accepts(request.headers.get("authorization"))
          return isKnown
            ? fetch(options.protects, { method: request.method, headers: request.headers, body: request.body })
            : new Response("log in first", { status: 401, headers: { "www-authenticate": "Bearer" } })
        }
        default:
          return new Response("not found", { status: 404 })
      }
    }
  })
  return {
    url: `http://127.0.0.1:${server.port}`,
    tokenRequests,
    registrations,
    visit: (page) => fetch(page),
    accepts,
    revoke: () => tokens.clear(),
    refuseRefresh: () => {
      refreshes = false
    },
    [Symbol.dispose]: () => void server.stop(true)
  }
}
