/** From the fields of a definition to the agent. Pure. */

import { Either, ParseResult, Predicate, Schema } from "effect"
import type { McpServer } from "../../config/setting-schema/mcp-server.ts"
import {
  type Agent,
  DEFAULT_LIMITS,
  DEFAULT_TEMPERATURE,
  DEFAULT_TOP_P,
  INHERIT,
  type LocalAgent,
  type RemoteAgent
} from "../agent.ts"
import { DEFAULT_KEY_HEADER, type HttpCredentials, type OAuthFields, type RemoteAuth } from "../remote/remote-auth.ts"
import {
  LocalFields,
  type OAuthAuthFields,
  type RemoteAuthFields,
  RemoteFields,
  type ServerFields
} from "./definition-fields.ts"

export const localAgent = (fields: LocalFields, body: string): LocalAgent => ({
  kind: "local",
  name: fields.name,
  displayName: fields.display_name,
  description: fields.description,
  instruction: { _tag: "own", text: body },
  tools: fields.tools,
  mcpServers: Object.fromEntries(
    Object.entries(fields.mcp_servers ?? {}).map(([name, server]) => [name, serverOf(server)])
  ),
  model: {
    name: fields.model ?? INHERIT,
    config: { temperature: fields.temperature ?? DEFAULT_TEMPERATURE, topP: DEFAULT_TOP_P }
  },
  limits: {
    maxTurns: fields.max_turns ?? DEFAULT_LIMITS.maxTurns,
    maxMinutes: fields.timeout_mins ?? DEFAULT_LIMITS.maxMinutes
  },
  input: "query"
})

/** The same server as it would stand in the settings. */
const serverOf = (fields: ServerFields): McpServer => {
  const { auth, exclude_tools, http_url, include_tools, ...same } = fields
  return {
    ...same,
    ...(http_url === undefined ? {} : { httpUrl: http_url }),
    ...(include_tools === undefined ? {} : { includeTools: include_tools }),
    ...(exclude_tools === undefined ? {} : { excludeTools: exclude_tools }),
    ...(auth === undefined ? {} : serverAuth(auth))
  }
}

const serverAuth = (auth: NonNullable<ServerFields["auth"]>): Pick<McpServer, "oauth" | "authProviderType"> =>
  auth.type === "google-credentials"
    ? {
        authProviderType: "google_credentials",
        ...(auth.scopes === undefined ? {} : { oauth: { scopes: auth.scopes } })
      }
    : { oauth: { enabled: true, ...withoutAbsent(oauthOf(auth)) } }

/** What is wrong with fields that are right one by one, and where. */
export interface Misfit {
  readonly _tag: "Misfit"
  readonly path: ReadonlyArray<string>
  readonly message: string
}

const misfit = (message: string, ...path: ReadonlyArray<string>): Misfit => ({ _tag: "Misfit", path, message })

export const remoteAgent = (fields: RemoteFields): RemoteAgent | Misfit => {
  const { agent_card_json: json, agent_card_url: url } = fields
  if ((json === undefined) === (url === undefined)) {
    return misfit("set exactly one of agent_card_url and agent_card_json")
  }
  const auth = fields.auth === undefined ? undefined : remoteAuth(fields.auth)
  if (typeof auth === "string") return misfit(auth, "auth")
  return {
    kind: "remote",
    name: fields.name,
    displayName: fields.display_name,
    description: fields.description,
    card:
      url === undefined
        ? { _tag: "inline", json: typeof json === "string" ? json : JSON.stringify(json) }
        : { _tag: "url", url },
    auth
  }
}

/** A text: what is wrong with it. */
const remoteAuth = (fields: RemoteAuthFields): RemoteAuth | string => {
  switch (fields.type) {
    case "apiKey":
      return { type: "apiKey", key: fields.key, name: fields.name ?? DEFAULT_KEY_HEADER }
    case "http": {
      const credentials = httpCredentials(fields)
      return typeof credentials === "string" ? credentials : { type: "http", scheme: fields.scheme, credentials }
    }
    case "google-credentials":
      if (fields.target_audience !== undefined && fields.target_service_account === undefined)
        return "target_audience needs target_service_account"
      return {
        type: "google-credentials",
        scopes: fields.scopes ?? [],
        ...(fields.target_service_account === undefined ? {} : { account: fields.target_service_account }),
        ...(fields.target_audience === undefined ? {} : { audience: fields.target_audience })
      }
    case "oauth":
      return { type: "oauth", ...oauthOf(fields) }
  }
}

const httpCredentials = (fields: Extract<RemoteAuthFields, { readonly type: "http" }>): HttpCredentials | string => {
  const { password, scheme, token, username, value } = fields
  switch (scheme.toLowerCase()) {
    case "bearer":
      return token === undefined ? "the scheme Bearer needs a token" : { _tag: "token", token }
    case "basic":
      return username === undefined || password === undefined
        ? "the scheme Basic needs username and password"
        : { _tag: "basic", username, password }
    default:
      return value === undefined ? `the scheme ${scheme} needs a value` : { _tag: "value", value }
  }
}

const oauthOf = (fields: OAuthAuthFields): OAuthFields => ({
  clientId: fields.client_id,
  clientSecret: fields.client_secret,
  scopes: fields.scopes,
  authorizationUrl: fields.authorization_url,
  tokenUrl: fields.token_url,
  issuer: fields.issuer,
  audiences: fields.audiences,
  redirectUri: fields.redirect_uri,
  registrationUrl: fields.registration_url
})

/** The settings know only fields that are there. */
export const withoutAbsent = <A extends object>(fields: A): { [K in keyof A]?: NonNullable<A[K]> } =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as {
    // Only keys of `A` are left, each with the value it had.
    [K in keyof A]?: NonNullable<A[K]>
  }

/** The agents that the fields of a definition describe, once they are values. */
export interface DefinitionFault {
  /** Names of fields from the outside in; empty for the whole. */
  readonly path: ReadonlyArray<PropertyKey>
  readonly message: string
}

export const agentsIn = (
  value: unknown,
  body: string
): Either.Either<ReadonlyArray<Agent>, ReadonlyArray<DefinitionFault>> => {
  if (!Array.isArray(value)) return Either.map(agentIn(value, body), (agent) => [agent])
  const read = value.map((one, index) =>
    Either.mapLeft(remoteIn(one), (faults) => faults.map((fault) => ({ ...fault, path: [index, ...fault.path] })))
  )
  const faults = read.flatMap((one) => (Either.isLeft(one) ? one.left : []))
  return faults.length > 0 ? Either.left(faults) : Either.right(read.flatMap((one) => Either.getOrElse(one, () => [])))
}

const agentIn = (value: unknown, body: string): Either.Either<Agent, ReadonlyArray<DefinitionFault>> => {
  if (!Predicate.isRecord(value))
    return Either.left([{ path: [], message: "expected fields such as name and description" }])
  if (value.kind === "remote") return remoteIn(value)
  const fields = decoded(LocalFields, value)
  if (Either.isLeft(fields)) return Either.left(fields.left)
  return body === ""
    ? Either.left([{ path: [], message: "the text behind the fields is missing: it is what the agent is told" }])
    : Either.right(localAgent(fields.right, body))
}

const remoteIn = (value: unknown): Either.Either<Agent, ReadonlyArray<DefinitionFault>> =>
  Either.flatMap(decoded(RemoteFields, value), (fields) => {
    const agent = remoteAgent(fields)
    return "_tag" in agent ? Either.left([agent]) : Either.right(agent)
  })

const decoded = <A, I>(schema: Schema.Schema<A, I>, value: unknown): Either.Either<A, ReadonlyArray<DefinitionFault>> =>
  Either.mapLeft(Schema.decodeUnknownEither(schema, { errors: "all", onExcessProperty: "error" })(value), (error) =>
    ParseResult.ArrayFormatter.formatErrorSync(error).map(faultOf)
  )

const faultOf = ({ _tag, message, path }: ParseResult.ArrayFormatterIssue): DefinitionFault => {
  if (_tag === "Missing") return { path, message: "it is missing" }
  return { path, message: _tag === "Unexpected" ? "there is no such field" : message }
}
