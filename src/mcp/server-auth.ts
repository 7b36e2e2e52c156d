/**
 * How requests to remote servers are signed. The connection asks before each request and tells when a server refuses
 * the answer; where the credentials come from (a login kept from before, Google's own credentials) is not its business.
 */
import { Context, Effect, Layer } from "effect"
import { McpError } from "./mcp-error.ts"
import type { ServerPlan } from "./server-config.ts"

export interface Signature {
  readonly headers: Readonly<Record<string, string>>
  /** Added to the address, for servers that look for the token there. */
  readonly query?: { readonly name: string; readonly value: string } | undefined
}

export class ServerAuth extends Context.Tag("agent/mcp/ServerAuth")<
  ServerAuth,
  {
    /** Headers for the next request; cheap while a token is fresh. Empty where nothing is known for the server. */
    readonly sign: (plan: ServerPlan) => Effect.Effect<Signature, McpError>
    /** The server answered 401. `true`: there are other credentials now, trying again makes sense. */
    readonly renew: (plan: ServerPlan, refusal: McpError) => Effect.Effect<boolean, McpError>
    /** A person asks for a login, whether the server wants it or not. */
    readonly logIn: (plan: ServerPlan) => Effect.Effect<void, McpError>
  }
>() {}

/** Nobody who could log in, or nothing to log in to. */
export const noLogin = (server: string) =>
  new McpError({ server, kind: "unauthorized", detail: "cannot be logged in to from here" })

export const layerNone = Layer.succeed(ServerAuth, {
  sign: () => Effect.succeed({ headers: {} }),
  renew: () => Effect.succeed(false),
  logIn: ({ name }) => noLogin(name)
})
