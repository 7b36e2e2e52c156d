/** A login as it is kept between runs. The shape is shared with other versions of the program. */

import { Schema } from "effect"
import { optional } from "../../kernel/optional-field.ts"

export const StoredLogin = Schema.Struct({
  serverName: Schema.String,
  token: Schema.Struct({
    accessToken: Schema.String,
    refreshToken: optional(Schema.String),
    /** Milliseconds since 1970; absent: it does not expire. */
    expiresAt: optional(Schema.Number),
    tokenType: Schema.String,
    scope: optional(Schema.String)
  }),
  clientId: optional(Schema.String),
  /** Of a client that was registered for this login: without it, a confidential client could not refresh. */
  clientSecret: optional(Schema.String),
  tokenUrl: optional(Schema.String),
  mcpServerUrl: optional(Schema.String),
  updatedAt: Schema.Number
})
export type StoredLogin = typeof StoredLogin.Type

/** A token that is about to expire would expire on its way. */
const EARLY_MS = 5 * 60_000

export const isFresh = ({ token }: StoredLogin, now: number): boolean =>
  token.expiresAt === undefined || now < token.expiresAt - EARLY_MS
