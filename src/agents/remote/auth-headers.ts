/** The headers by which a remote agent knows who calls, made anew when it refuses them. */
import { Effect } from "effect"
import { McpError } from "../../mcp/mcp-error.ts"
import type { ServerAuth } from "../../mcp/server-auth.ts"
import type { ServerPlan } from "../../mcp/server-config.ts"
import { withoutAbsent } from "../definition/to-agent.ts"
import type { GoogleAuth, HttpCredentials, RemoteAuth } from "./remote-auth.ts"
import { type SecretSources, secretValue } from "./secret-value.ts"

export type Headers = Readonly<Record<string, string>>

export interface AuthSources extends SecretSources {
  /** Logins in a browser, kept between runs. */
  readonly logins: ServerAuth["Type"]
  /** Somebody is there who can log in now. */
  readonly canLogIn: boolean
  /** Google's own credentials: a token, or an identity for one receiver. `isFresh`: the one before was refused. */
  readonly google: (request: GoogleRequest, options: { readonly isFresh: boolean }) => Effect.Effect<Headers, string>
}

/** `account`: the service account that is acted for. */
export type GoogleRequest = { readonly account?: string } & (
  | { readonly _tag: "access"; readonly scopes: ReadonlyArray<string> }
  | { readonly _tag: "identity"; readonly audience: string }
)

const CLOUD_SCOPE = "https://www.googleapis.com/auth/cloud-platform"

export interface AgentAuth {
  /** For the next request to this address; fails with a reason. */
  readonly headers: (url: URL) => Effect.Effect<Headers, string>
  /** The agent refused them. True: others can be had, trying again makes sense. */
  readonly renew: (url: URL) => Effect.Effect<boolean, string>
}

export const NO_AUTH: AgentAuth = { headers: () => Effect.succeed({}), renew: () => Effect.succeed(false) }

export const agentAuth = (name: string, auth: RemoteAuth | undefined, sources: AuthSources): AgentAuth => {
  switch (auth?.type) {
    case undefined:
      return NO_AUTH
    case "apiKey":
      return written(Effect.map(secretValue(auth.key, sources), (key) => ({ [auth.name]: key })))
    case "http":
      return written(
        Effect.map(credentialsText(auth.credentials, sources), (text) => ({ authorization: `${auth.scheme} ${text}` }))
      )
    case "google-credentials":
      return byGoogle(auth, sources)
    case "oauth":
      return byLogin(name, auth, sources)
  }
}

/** A variable or a command may have another value by now. */
const written = (headers: Effect.Effect<Headers, string>): AgentAuth => ({
  headers: () => headers,
  renew: () => Effect.succeed(true)
})

const byGoogle = (auth: GoogleAuth, { google }: AuthSources): AgentAuth => {
  const headers = (url: URL, isFresh: boolean) => {
    const request = googleRequest(url, auth)
    return typeof request === "string" ? Effect.fail(request) : google(request, { isFresh })
  }
  return { headers: (url) => headers(url, false), renew: (url) => Effect.as(headers(url, true), true) }
}

const credentialsText = (credentials: HttpCredentials, sources: SecretSources): Effect.Effect<string, string> => {
  switch (credentials._tag) {
    case "token":
      return secretValue(credentials.token, sources)
    case "value":
      return secretValue(credentials.value, sources)
    case "basic":
      return Effect.zipWith(
        secretValue(credentials.username, sources),
        secretValue(credentials.password, sources),
        (username, password) => Buffer.from(`${username}:${password}`).toString("base64")
      )
  }
}

/** A text: why these credentials are not sent there. */
export const googleRequest = (url: URL, { account, audience, scopes }: GoogleAuth): GoogleRequest | string => {
  if (url.protocol !== "https:") return "Google credentials are sent over https only"
  const as = account === undefined ? {} : { account }
  // An identity is good for its receiver only, so whoever names the receiver may send it anywhere.
  if (audience !== undefined) return { _tag: "identity", audience, ...as }
  if (/(?:^|\.)googleapis\.com$/.test(url.hostname)) {
    return { _tag: "access", scopes: scopes.length === 0 ? [CLOUD_SCOPE] : scopes, ...as }
  }
  if (/\.run\.app$/.test(url.hostname)) return { _tag: "identity", audience: url.hostname, ...as }
  return `${url.hostname} is not one of Google's hosts, so Google credentials are not sent to it`
}

/** The same logins as for MCP servers, under the name of the agent. */
const byLogin = (
  name: string,
  { type: _, ...fields }: Extract<RemoteAuth, { readonly type: "oauth" }>,
  sources: AuthSources
): AgentAuth => {
  const planFor = Effect.fnUntraced(function* (url: URL) {
    const secret = fields.clientSecret === undefined ? undefined : yield* secretValue(fields.clientSecret, sources)
    const plan: ServerPlan = {
      name,
      transport: { kind: "http", url: url.origin, headers: {}, isGuess: false },
      timeoutMs: 30_000,
      settings: { oauth: { enabled: true, ...withoutAbsent({ ...fields, clientSecret: secret }) } },
      warnings: []
    }
    return plan
  })
  const refusal = new McpError({ server: name, kind: "unauthorized", detail: "wants a login" })
  const reason = ({ detail }: McpError) =>
    `it ${detail}${sources.canLogIn ? "" : "; to log in, call it once in a conversation at a terminal"}`
  return {
    headers: (url) =>
      Effect.flatMap(planFor(url), (plan) =>
        Effect.mapBoth(sources.logins.sign(plan), { onFailure: reason, onSuccess: ({ headers }) => headers })
      ),
    renew: (url) => Effect.flatMap(planFor(url), (plan) => Effect.mapError(sources.logins.renew(plan, refusal), reason))
  }
}
