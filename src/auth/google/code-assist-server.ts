/**
 * Calls to the Code Assist server that are not the model's: about the account, its tier, its quota and its administrator.
 * Each is bounded, and a token that is not accepted is renewed once.
 */
import { Duration, Effect, Option, type ParseResult, Schema } from "effect"
import { redactSecrets } from "../../kernel/redact-secrets.ts"
import { ask, type HttpAnswer } from "../../system/http/ask.ts"
import type { HttpClient } from "../../system/http/http.ts"
import { AuthError } from "../auth-plan.ts"
import type { AccessTokens } from "./access-tokens.ts"
import { askAgain, saidBy } from "./token-endpoint.ts"

export interface CodeAssistServer {
  /** With its version: methods follow after a colon. */
  readonly base: string
  readonly http: HttpClient
  readonly tokens: AccessTokens
  readonly userAgent: string
}

export interface ServerCall {
  /** `:method`, or the name of an operation behind a slash. */
  readonly path: string
  /** Absent: a GET. */
  readonly body?: unknown
  /** What changes something is asked for once. */
  readonly isOnce?: boolean
  readonly within?: Duration.Duration
}

const MAX_BYTES = 4 * 1024 * 1024
const WITHIN = Duration.seconds(30)

/** What the server said about it, where it is no answer. */
export class ServerRefusal extends Schema.TaggedError<ServerRefusal>()("ServerRefusal", {
  status: Schema.Int,
  detail: Schema.String,
  /** Of the details: `SECURITY_POLICY_VIOLATED`, `TOS_VIOLATION`. */
  reasons: Schema.Array(Schema.String),
  metadata: Schema.Record({ key: Schema.String, value: Schema.Unknown })
}) {
  override get message() {
    return this.detail
  }
}

export const callServer = Effect.fn("Auth.callServer")(function* <A, I>(
  server: CodeAssistServer,
  call: ServerCall,
  answer: Schema.Schema<A, I>
): Effect.fn.Return<A, AuthError | ServerRefusal> {
  const token = yield* server.tokens.current
  const first = yield* exchange(server, call, token)
  const last = first.status === 401 ? yield* exchange(server, call, yield* server.tokens.instead(token)) : first
  if (last.status === 401) return yield* refusedToken(server)
  if (last.status !== 200) return yield* refusalOf(last)
  return yield* Effect.mapError(Schema.decodeUnknown(Schema.parseJson(answer))(last.text), (issue) =>
    unreadable(server, call, issue)
  )
})

const exchange = (server: CodeAssistServer, call: ServerCall, token: string) => {
  const url = new URL(`${server.base}${call.path}`)
  const headers = {
    authorization: `Bearer ${token}`,
    "user-agent": server.userAgent,
    ...(call.body === undefined ? {} : { "content-type": "application/json" })
  }
  const request =
    call.body === undefined ? { url, headers } : { url, headers, method: "POST", body: JSON.stringify(call.body) }
  return ask(server.http, request, { within: call.within ?? WITHIN, maxBytes: MAX_BYTES, maxRedirects: 0 }).pipe(
    Effect.mapError((error) => unavailable(url, error.detail)),
    Effect.map(withoutToken(token)),
    Effect.filterOrFail(
      ({ status }) => status < 499 && status !== 429,
      (answer) => unavailable(url, `it answered with HTTP ${answer.status}${saying(answer)}`)
    ),
    call.isOnce === true ? (once) => once : Effect.retry(askAgain)
  )
}

/** A server may say again what it was told. */
const withoutToken =
  (value: string) =>
  (answer: HttpAnswer): HttpAnswer => ({
    ...answer,
    text: redactSecrets(answer.text, [{ name: "ACCESS_TOKEN", value }])
  })

const saying = (answer: HttpAnswer): string => {
  const { message } = errorIn(answer)
  return message === undefined ? "" : `: ${saidBy(message)}`
}

const ErrorBody = Schema.parseJson(
  Schema.Struct({
    error: Schema.Struct({
      message: Schema.optional(Schema.String),
      details: Schema.optional(
        Schema.Array(
          Schema.Struct({
            reason: Schema.optional(Schema.String),
            metadata: Schema.optional(Schema.Record({ key: Schema.String, value: Schema.Unknown }))
          })
        )
      )
    })
  })
)

const errorIn = ({ text }: HttpAnswer): (typeof ErrorBody.Type)["error"] =>
  Option.match(Schema.decodeUnknownOption(ErrorBody)(text), { onNone: () => ({}), onSome: ({ error }) => error })

const refusalOf = (answer: HttpAnswer): ServerRefusal => {
  const { details = [], message } = errorIn(answer)
  return new ServerRefusal({
    status: answer.status,
    detail: saidBy(message ?? `HTTP ${answer.status}`),
    reasons: details.flatMap(({ reason }) => (reason === undefined ? [] : [reason])),
    metadata: Object.assign({}, ...details.map(({ metadata }) => metadata ?? {}))
  })
}

const refusedToken = ({ base, tokens }: CodeAssistServer) =>
  new AuthError({
    reason: "sign-in-refused",
    detail: `${new URL(base).host} does not accept the sign-in (${tokens.origin}), also not after it was renewed`,
    hint: "Sign in again: gemini auth login."
  })

const unavailable = (url: URL, why: string) =>
  new AuthError({
    reason: "google-unavailable",
    detail: `the Code Assist server ${url.host} could not be used: ${why}`,
    hint: "Check the network and HTTPS_PROXY, and try again."
  })

const unreadable = ({ base }: CodeAssistServer, { path }: ServerCall, _: ParseResult.ParseError) =>
  new AuthError({
    reason: "google-unavailable",
    detail: `the answer of ${new URL(base).host} to ${path.replace(/^:/, "").slice(0, 40)} cannot be read`,
    hint: "Try again; where CODE_ASSIST_ENDPOINT is set, check that it names a Code Assist server."
  })
