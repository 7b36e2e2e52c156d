/**
 * The fields of a definition file. Strict: a key that nobody knows is an error, since a misspelt limit that is silently
 * ignored is no limit.
 */
import { Schema } from "effect"

const said = <A, I>(schema: Schema.Schema<A, I>, expected: string) =>
  schema.annotations({ message: () => ({ message: `expected ${expected}`, override: true }) })

const Text = said(Schema.String.pipe(Schema.filter((text) => text.trim() !== "")), "a text that is not empty")
const Texts = said(Schema.Array(Schema.String), "a list of texts")
const TextMap = said(Schema.Record({ key: Schema.String, value: Schema.String }), "texts by name")
const Name = said(
  Schema.String.pipe(Schema.filter((name) => /^[a-z0-9-_]+$/.test(name))),
  "lower-case letters, digits, - and _ only"
)
const Url = said(
  Schema.String.pipe(Schema.filter((url) => /^https?:$/.test(URL.parse(url)?.protocol ?? ""))),
  "an address that begins with https:// or http://"
)
const wholeFrom = (least: number) =>
  said(
    Schema.Number.pipe(Schema.filter((value) => Number.isInteger(value) && value >= least)),
    `a whole number of at least ${least}`
  )
const Minutes = said(
  Schema.Number.pipe(Schema.filter((value) => value > 0 && Number.isFinite(value))),
  "a number of minutes above 0"
)
const Temperature = said(Schema.Number.pipe(Schema.filter((value) => value >= 0 && value <= 2)), "a number from 0 to 2")
const optional = <A, I>(schema: Schema.Schema<A, I>) => Schema.optionalWith(schema, { exact: true })

const OAUTH = {
  client_id: optional(Text),
  client_secret: optional(Text),
  scopes: optional(Texts),
  authorization_url: optional(Url),
  token_url: optional(Url),
  issuer: optional(Url),
  audiences: optional(Texts),
  redirect_uri: optional(Text),
  registration_url: optional(Url)
}

const GoogleAuth = Schema.Struct({ type: Schema.Literal("google-credentials"), scopes: optional(Texts) })
/** The same, as a service account that they may act for. */
const RemoteGoogleAuth = Schema.Struct({
  ...GoogleAuth.fields,
  target_service_account: optional(Text),
  target_audience: optional(Text)
})
const OAuth = Schema.Struct({ type: Schema.Literal("oauth"), ...OAUTH })
const ApiKeyAuth = Schema.Struct({ type: Schema.Literal("apiKey"), key: Text, name: optional(Text) })
const HttpAuth = Schema.Struct({
  type: Schema.Literal("http"),
  scheme: Text,
  token: optional(Text),
  username: optional(Text),
  password: optional(Text),
  value: optional(Text)
})

/** Told apart by `type`: only the faults of the form that was meant are reported. */
const RemoteAuthFields = Schema.Union(ApiKeyAuth, HttpAuth, RemoteGoogleAuth, OAuth)
export type RemoteAuthFields = typeof RemoteAuthFields.Type
const ServerAuthFields = Schema.Union(GoogleAuth, OAuth)

const Server = Schema.Struct({
  command: optional(Text),
  args: optional(Texts),
  env: optional(TextMap),
  cwd: optional(Text),
  url: optional(Text),
  http_url: optional(Text),
  headers: optional(TextMap),
  tcp: optional(Text),
  type: optional(said(Schema.Literal("http", "sse", "stdio"), "http, sse or stdio")),
  timeout: optional(wholeFrom(1)),
  trust: optional(said(Schema.Boolean, "true or false")),
  description: optional(Text),
  include_tools: optional(Texts),
  exclude_tools: optional(Texts),
  auth: optional(ServerAuthFields)
})
export type ServerFields = typeof Server.Type

export const LocalFields = Schema.Struct({
  kind: optional(Schema.Literal("local")),
  name: Name,
  description: Text,
  display_name: optional(Text),
  tools: optional(Texts),
  mcp_servers: optional(Schema.Record({ key: Schema.String, value: Server })),
  model: optional(Text),
  temperature: optional(Temperature),
  max_turns: optional(wholeFrom(1)),
  timeout_mins: optional(Minutes)
})
export type LocalFields = typeof LocalFields.Type

/** The card itself: as JSON text, or written out as YAML. */
const CardJson = said(
  Schema.Union(Text, Schema.Record({ key: Schema.String, value: Schema.Unknown })),
  "the card as JSON text or as a mapping"
)

export const RemoteFields = Schema.Struct({
  kind: Schema.Literal("remote"),
  name: Name,
  description: optional(Text),
  display_name: optional(Text),
  agent_card_url: optional(Url),
  agent_card_json: optional(CardJson),
  auth: optional(RemoteAuthFields)
})
export type RemoteFields = typeof RemoteFields.Type

export type OAuthAuthFields = typeof OAuth.Type
