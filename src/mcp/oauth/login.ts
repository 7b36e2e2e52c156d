/**
 * Logging in to a server in the browser, from finding its login page to keeping the token. Where the browser cannot come
 * back to this machine (ssh, a container), the code may be pasted instead; whichever comes first counts.
 */

import { randomBytes } from "node:crypto"
import { Clock, Duration, Effect, type Scope } from "effect"
import { codeFromPaste, listenForCode, redirectUriOf } from "../../auth/oauth-callback.ts"
import { lazy } from "../../kernel/lazy.ts"
import { shortLine } from "../../kernel/readable-text.ts"
import type { HttpClient } from "../../system/http/http.ts"
import { isOnTheNet } from "../../system/http/redirects.ts"
import { McpError } from "../mcp-error.ts"
import type { ServerPlan } from "../server-config.ts"
import { findEndpoints, type LoginEndpoints, type LoginStep, type OAuthClient } from "./login-endpoints.ts"
import type { StoredLogin } from "./stored-login.ts"
import { resourceOf } from "./well-known.ts"

/** How the person is reached. */
export interface LoginDialogue {
  readonly tell: (line: string) => Effect.Effect<void>
  /** Opens the page; that it fails is no error, the address is told as well. */
  readonly open: (url: string) => Effect.Effect<void>
  /** What the person pastes; never, where nobody can. */
  readonly pasted: Effect.Effect<string>
}

export interface LoginOptions {
  readonly plan: ServerPlan
  /** `WWW-Authenticate` of the refusal that led here. */
  readonly challenge: string | undefined
  readonly http: HttpClient
  readonly dialogue: LoginDialogue
  readonly variable: (name: string) => string | undefined
}

const LOGIN_WITHIN = Duration.minutes(5)
const STRANGER = "An answer that does not belong to this login was refused; still waiting for the right one."

export const logIn = Effect.fn("Mcp.logIn")(function* (
  options: LoginOptions
): Effect.fn.Return<StoredLogin, McpError, Scope.Scope> {
  const { challenge, dialogue, http, plan, variable } = options
  const { transport } = plan
  if (transport.kind !== "http" && transport.kind !== "sse") return yield* failed(plan, "is not reached over HTTP")
  const serverUrl = transport.url
  const endpoints = yield* findEndpoints(plan, serverUrl, challenge, http)
  const place = URL.parse(endpoints.authorizationUrl)
  // A browser would open other things as well.
  if (place === null || !isOnTheNet(place)) {
    return yield* failed(plan, `has no login page on the web: ${shortLine(endpoints.authorizationUrl)}`)
  }
  const sdk = yield* lazy(() => import("./authorization.live.ts"))
  const login = { state: randomBytes(16).toString("base64url"), issuer: endpoints.issuer }
  const callback = yield* Effect.mapError(
    listenForCode({
      ...login,
      port: portOf(plan, variable),
      redirectUri: (port) => redirectOf(plan, port, variable)
    }),
    (why) => failed(plan, `cannot be logged in to: ${why}`)
  )
  const { redirectUri } = callback
  const step: LoginStep = { server: plan.name, http, endpoints }
  const client = (yield* clientOf(plan, endpoints)) ?? (yield* sdk.register(step, redirectUri))
  const { audiences = [], scopes = endpoints.scopes } = plan.settings.oauth ?? {}
  const request = { client, redirectUri, scopes, audiences, resource: resourceOf(serverUrl), state: login.state }
  const { codeVerifier, page } = yield* sdk.loginPage(step, request)
  yield* dialogue.tell(`Log in to "${plan.name}" on this page:\n\n  ${page}\n`)
  yield* dialogue.open(page)
  yield* Effect.forkScoped(Effect.zipRight(callback.stranger, dialogue.tell(STRANGER)))
  const pasted = Effect.flatMap(dialogue.pasted, (text) => codeFromPaste(text, login))
  const code = yield* Effect.raceFirst(callback.code, pasted).pipe(
    Effect.timeoutFail({
      duration: LOGIN_WITHIN,
      onTimeout: () => `nobody logged in within ${Duration.format(LOGIN_WITHIN)}`
    }),
    Effect.mapError((why) => failed(plan, `cannot be logged in to: ${why}`))
  )
  const token = yield* sdk.redeemCode(step, request, { code, codeVerifier })
  return {
    serverName: plan.name,
    token,
    clientId: client.id,
    ...(client.secret === undefined ? {} : { clientSecret: client.secret }),
    tokenUrl: endpoints.tokenUrl,
    mcpServerUrl: serverUrl,
    updatedAt: yield* Clock.currentTimeMillis
  }
}, Effect.scoped)

/** The one that the settings name; `undefined`: one has to be registered. */
const clientOf = (
  plan: ServerPlan,
  { registrationUrl }: LoginEndpoints
): Effect.Effect<OAuthClient | undefined, McpError> => {
  const { clientId, clientSecret } = plan.settings.oauth ?? {}
  if (clientId !== undefined) return Effect.succeed({ id: clientId, secret: clientSecret })
  return registrationUrl === undefined
    ? failed(plan, "wants a login and registers no programs", `Set oauth.clientId in mcpServers.${plan.name}.`)
    : Effect.succeed(undefined)
}

/** 0: any free one. */
const portOf = (plan: ServerPlan, variable: LoginOptions["variable"]): number => {
  const { redirectUri } = plan.settings.oauth ?? {}
  const texts = [variable("OAUTH_CALLBACK_PORT"), redirectUri === undefined ? undefined : URL.parse(redirectUri)?.port]
  return texts.map(Number).find((port) => Number.isInteger(port) && port > 0 && port < 65_536) ?? 0
}

const redirectOf = (plan: ServerPlan, port: number, variable: LoginOptions["variable"]): string => {
  const host = variable("WEB_HOST")
  if (variable("GOOGLE_CLOUD_WORKSTATIONS") === "true" && host !== undefined) {
    return `https://${port}-${host}/oauth/callback`
  }
  return plan.settings.oauth?.redirectUri ?? redirectUriOf(port)
}

const failed = (plan: ServerPlan, detail: string, hint?: string) =>
  new McpError({ server: plan.name, kind: "unauthorized", detail, ...(hint === undefined ? {} : { hint }) })
