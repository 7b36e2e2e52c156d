/** Redeeming a code, and renewing a token: one form, one answer, which some servers write as a form too. */
import { Clock, Effect, Either, Option, Schema } from "effect"
import type { HttpClient } from "../../system/http/http.ts"
import { McpError } from "../mcp-error.ts"
import { ask } from "./oauth-http.ts"
import type { StoredLogin } from "./stored-login.ts"

const optional = <A, I>(schema: Schema.Schema<A, I>) => Schema.optionalWith(schema, { exact: true, nullable: true })

const TokenAnswer = Schema.Struct({
  access_token: Schema.NonEmptyString,
  token_type: optional(Schema.String),
  expires_in: optional(Schema.Union(Schema.Number, Schema.NumberFromString)),
  refresh_token: optional(Schema.String),
  scope: optional(Schema.String)
})

const Refusal = Schema.Struct({ error: Schema.String, error_description: optional(Schema.String) })

export const requestToken = Effect.fn("Mcp.requestToken")(function* (
  server: string,
  tokenUrl: string,
  form: Readonly<Record<string, string | undefined>>,
  http: HttpClient
): Effect.fn.Return<StoredLogin["token"], McpError> {
  const refused = (why: string) => new McpError({ server, kind: "unauthorized", detail: `gives no token: ${why}` })
  const fields = Object.entries(form).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, value] as [string, string]]
  )
  const answer = yield* ask(http, tokenUrl, {
    method: "POST",
    headers: {
      "content-type": "application/x-www-form-urlencoded",
      accept: "application/json, application/x-www-form-urlencoded"
    },
    body: new URLSearchParams(fields).toString()
  }).pipe(Effect.mapError(refused))
  const data = dataIn(answer.text)
  const token = Schema.decodeUnknownOption(TokenAnswer)(data)
  if (answer.status >= 300 || Option.isNone(token)) return yield* refused(reasonIn(data, answer.status))
  const { access_token, expires_in, refresh_token, scope, token_type } = token.value
  const now = yield* Clock.currentTimeMillis
  return {
    accessToken: access_token,
    tokenType: token_type ?? "Bearer",
    ...(expires_in === undefined ? {} : { expiresAt: now + expires_in * 1000 }),
    ...(refresh_token === undefined ? {} : { refreshToken: refresh_token }),
    ...(scope === undefined ? {} : { scope })
  }
})

const dataIn = (text: string): unknown =>
  Either.getOrElse(Schema.decodeUnknownEither(Schema.parseJson())(text), () =>
    Object.fromEntries(new URLSearchParams(text))
  )

const reasonIn = (data: unknown, status: number): string =>
  Option.match(Schema.decodeUnknownOption(Refusal)(data), {
    onNone: () => (status >= 300 ? `it answered ${status}` : "its answer holds none"),
    onSome: ({ error, error_description }) => error_description ?? error
  })
