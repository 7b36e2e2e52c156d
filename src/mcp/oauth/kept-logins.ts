/**
 * Signs requests with the login that is kept for a server: renewed in time, renewed again when the server refuses it,
 * and forgotten when it cannot be renewed any more. Where a person is at hand and the settings ask for it, a refusal
 * leads to a login in the browser at once; otherwise the error says how to log in.
 */

import { randomBytes } from "node:crypto"
import { Clock, Duration, Effect, Option, type Scope } from "effect"
import { codeFromPaste, listenForCode, redirectUriOf } from "../../auth/oauth-callback.ts"
import { lazy } from "../../kernel/lazy.ts"
import { shortLine } from "../../kernel/readable-text.ts"
import type { HttpClient } from "../../system/http/http.ts"
import { isOnTheNet } from "../../system/http/redirects.ts"
import type { StorageError } from "../../system/storage-error.ts"
import { McpError } from "../mcp-error.ts"
import type { Signature } from "../server-auth.ts"
import type { ServerPlan } from "../server-config.ts"
import { findEndpoints, type LoginClient, type LoginEndpoints, type LoginStep } from "./login-endpoints.ts"
import { isFresh, LoginStore, type StoredLogin } from "./login-store.ts"
import { resourceOf } from "./well-known.ts"

export interface KeptLoginsOptions {
  readonly http: HttpClient
  /** `undefined`: nobody can log in now. */
  readonly dialogue: LoginDialogue | undefined
  readonly variable: (name: string) => string | undefined
}

export const makeKeptLogins = (options: KeptLoginsOptions) =>
  Effect.gen(function* () {
    const store = yield* LoginStore
    const oneAtATime = yield* Effect.makeSemaphore(1)

    const find = (plan: ServerPlan) =>
      store.find(plan.name).pipe(
        Effect.map(Option.filter((login) => isFor(login, plan))),
        Effect.mapError((error) => unusable(plan, error))
      )

    /** A renewal that fails leaves nothing behind: the next run would only fail again. */
    const renewed = Effect.fnUntraced(function* (plan: ServerPlan, login: StoredLogin) {
      const { clientId, clientSecret, token, tokenUrl } = login
      if (token.refreshToken === undefined || tokenUrl === undefined) return Option.none<StoredLogin>()
      const { renewToken } = yield* lazy(() => import("./authorization.live.ts"))
      const client = {
        id: clientId ?? plan.settings.oauth?.clientId,
        secret: clientSecret ?? plan.settings.oauth?.clientSecret
      }
      const next = yield* renewToken(
        { server: plan.name, http: options.http, endpoints: { tokenUrl } },
        client,
        token.refreshToken
      ).pipe(Effect.tapError(() => Effect.ignore(store.forget(plan.name))))
      const kept: StoredLogin = {
        ...login,
        token: next,
        updatedAt: yield* Clock.currentTimeMillis
      }
      yield* Effect.mapError(store.keep(kept), (error) => unusable(plan, error))
      return Option.some(kept)
    })

    const current = Effect.fnUntraced(function* (plan: ServerPlan) {
      const login = yield* find(plan)
      if (Option.isNone(login) || isFresh(login.value, yield* Clock.currentTimeMillis)) return login
      return yield* renewed(plan, login.value)
    })

    const logInNow = Effect.fnUntraced(function* (
      plan: ServerPlan,
      dialogue: LoginDialogue,
      challenge: string | undefined
    ) {
      const { http, variable } = options
      const login = yield* Effect.scoped(logIn({ plan, challenge, http, dialogue, variable }))
      yield* Effect.mapError(store.keep(login), (error) => unusable(plan, error))
    })

    return {
      sign: (plan: ServerPlan): Effect.Effect<Signature, McpError> =>
        Effect.map(
          oneAtATime.withPermits(1)(current(plan)),
          Option.match({
            onNone: () => ({ headers: {} }),
            onSome: ({ token }) => signatureOf(token.accessToken, plan)
          })
        ),
      renew: Effect.fn("Mcp.renewLogin")(function* (plan: ServerPlan, refusal: McpError) {
        const login = yield* find(plan)
        const next = Option.isSome(login)
          ? yield* Effect.orElseSucceed(renewed(plan, login.value), () => Option.none<StoredLogin>())
          : Option.none()
        if (Option.isSome(next)) return true
        const { dialogue } = options
        if (plan.settings.oauth?.enabled === true && dialogue !== undefined) {
          yield* logInNow(plan, dialogue, refusal.challenge)
          return true
        }
        return yield* needsLogin(plan, refusal, { wasKept: Option.isSome(login) })
      }, oneAtATime.withPermits(1)),
      /** Asked for by a person, whether the server wants it or not. */
      logIn: (plan: ServerPlan, dialogue: LoginDialogue): Effect.Effect<void, McpError> =>
        oneAtATime.withPermits(1)(logInNow(plan, dialogue, undefined))
    }
  })

/** Some servers behind SSE read the token from the address only. */
const signatureOf = (token: string, { settings }: ServerPlan): Signature => {
  const name = settings.oauth?.tokenParamName
  return {
    headers: { authorization: `Bearer ${token}` },
    ...(name === undefined ? {} : { query: { name, value: token } })
  }
}

/** A login for another address must not be sent to this one. */
const isFor = ({ mcpServerUrl }: StoredLogin, { transport }: ServerPlan): boolean =>
  mcpServerUrl === undefined || !("url" in transport) || originOf(mcpServerUrl) === originOf(transport.url)

const originOf = (url: string): string | undefined => URL.parse(url)?.origin

const needsLogin = (plan: ServerPlan, refusal: McpError, { wasKept }: { readonly wasKept: boolean }) =>
  new McpError({
    ...refusal,
    server: plan.name,
    kind: "unauthorized",
    detail: wasKept ? "does not accept the login that is kept for it any more" : "wants a login",
    hint: `Run "gemini mcp login ${plan.name}", or /mcp auth ${plan.name} in a chat.`
  })

const unusable = (plan: ServerPlan, error: StorageError) =>
  new McpError({ server: plan.name, kind: "unauthorized", detail: `has a login that cannot be used: ${error.message}` })

/** How the person is reached. */
export interface LoginDialogue {
  readonly tell: (line: string) => Effect.Effect<void>
  /** Opens the page; that it fails is no error, the address is told as well. */
  readonly open: (url: string) => Effect.Effect<void>
  /** What the person pastes; never, where nobody can. */
  readonly pasted: Effect.Effect<string>
}

interface LoginOptions {
  readonly plan: ServerPlan
  /** `WWW-Authenticate` of the refusal that led here. */
  readonly challenge: string | undefined
  readonly http: HttpClient
  readonly dialogue: LoginDialogue
  readonly variable: (name: string) => string | undefined
}

const LOGIN_WITHIN = Duration.minutes(5)

const STRANGER = "An answer that does not belong to this login was refused; still waiting for the right one."

/**
 * Logging in to a server in the browser, from finding its login page to keeping the token. Where the browser cannot come
 * back to this machine (ssh, a container), the code may be pasted instead; whichever comes first counts.
 */
const logIn = Effect.fn("Mcp.logIn")(function* (
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
): Effect.Effect<LoginClient | undefined, McpError> => {
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
