/**
 * Signs requests with the login that is kept for a server: renewed in time, renewed again when the server refuses it,
 * and forgotten when it cannot be renewed any more. Where a person is at hand and the settings ask for it, a refusal
 * leads to a login at once; otherwise the error says how to log in.
 */

import { Clock, Effect, Option } from "effect"
import { lazy } from "../../kernel/lazy.ts"
import type { HttpClient } from "../../system/http/http.ts"
import type { StorageError } from "../../system/storage-error.ts"
import { McpError } from "../mcp-error.ts"
import type { Signature } from "../server-auth.ts"
import type { ServerPlan } from "../server-config.ts"
import { type LoginDialogue, logIn } from "./login.ts"
import { LoginStore } from "./login-store.ts"
import { isFresh, type StoredLogin } from "./stored-login.ts"

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
