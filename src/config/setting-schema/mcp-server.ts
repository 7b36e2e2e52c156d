/**
 * `mcpServers.<name>`: how one MCP server is reached. Which fields go together is decided where it is started, and so is
 * what to say of fields that nobody knows: a misspelt one is best explained together with what is missing.
 */
import { Predicate, Schema } from "effect"
import { expecting, Flag, integerFrom, oneOf, optional, Text, TextList, TextMap } from "../setting.ts"

const McpOAuth = Schema.Struct({
  enabled: optional(Flag),
  clientId: optional(Text),
  clientSecret: optional(Text),
  authorizationUrl: optional(Text),
  tokenUrl: optional(Text),
  issuer: optional(Text),
  scopes: optional(TextList),
  audiences: optional(TextList),
  redirectUri: optional(Text),
  registrationUrl: optional(Text),
  tokenParamName: optional(Text)
})

const FIELDS = {
  command: optional(Text),
  args: optional(TextList),
  env: optional(TextMap),
  cwd: optional(Text),
  url: optional(Text),
  /** Transport for `url`; without it HTTP is tried first, then SSE. `stdio` is what some clients write beside `command`. */
  type: optional(oneOf("http", "sse", "stdio")),
  /** Older form of `url` with `type: "http"`; wins over `url`. */
  httpUrl: optional(Text),
  tcp: optional(Text),
  headers: optional(TextMap),
  /** Milliseconds for connecting, listing and calling. */
  timeout: optional(integerFrom(1).pipe(expecting("a number of milliseconds"))),
  trust: optional(Flag),
  description: optional(Text),
  includeTools: optional(TextList),
  excludeTools: optional(TextList),
  oauth: optional(McpOAuth),
  authProviderType: optional(oneOf("dynamic_discovery", "google_credentials", "service_account_impersonation")),
  targetAudience: optional(Text),
  targetServiceAccount: optional(Text)
}

export const McpServer = Schema.Struct(FIELDS, { key: Schema.String, value: Schema.Unknown }).annotations({
  message: () => "expected an object that describes an MCP server"
})
export type McpServer = typeof McpServer.Type

export const MCP_SERVER_FIELDS: ReadonlyArray<string> = Object.keys(FIELDS)

export const McpServers = Schema.Record({ key: Schema.String, value: McpServer }).annotations({
  message: () => "expected an object of MCP servers by name"
})

/** An older form is a list of servers, each with its name; one without a name stays, and is what is wrong then. */
export const serversByName = (value: unknown): unknown =>
  Array.isArray(value) &&
  value.length > 0 &&
  value.every((one) => Predicate.isRecord(one) && typeof one.name === "string")
    ? Object.fromEntries(value.map(({ name, ...server }) => [name, server]))
    : value
