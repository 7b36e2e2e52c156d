/** Every way of signing requests to a server, chosen by its settings. */
import { Effect, Layer } from "effect"
import { noLogin, ServerAuth } from "../server-auth.ts"
import { type GoogleProviderOptions, makeGoogleProviders } from "./google-providers.ts"
import { type KeptLoginsOptions, makeKeptLogins } from "./kept-logins.ts"

export const layer = (options: KeptLoginsOptions & GoogleProviderOptions) =>
  Layer.effect(
    ServerAuth,
    Effect.gen(function* () {
      const logins = yield* makeKeptLogins(options)
      const google = yield* makeGoogleProviders(options)
      return ServerAuth.of({
        sign: (plan) => google(plan) ?? logins.sign(plan),
        renew: (plan, refusal) => (google(plan) === undefined ? logins.renew(plan, refusal) : Effect.succeed(false)),
        logIn: (plan) =>
          options.dialogue === undefined || google(plan) !== undefined
            ? noLogin(plan.name)
            : logins.logIn(plan, options.dialogue)
      })
    })
  )
