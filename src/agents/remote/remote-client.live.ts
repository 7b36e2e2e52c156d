/** One remote agent as the SDK speaks to it: its card, and the transport that the card names. */
import type { AgentCard } from "@a2a-js/sdk"
import {
  type Client,
  ClientFactory,
  DefaultAgentCardResolver,
  JsonRpcTransportFactory,
  RestTransportFactory,
  type TransportFactory
} from "@a2a-js/sdk/client"
import { Duration, Effect, Option, Predicate, Schema } from "effect"
import { lazy } from "../../kernel/lazy.ts"
import { readText } from "../../system/http/body.ts"
import type { Fetch } from "../../system/http/fetch-door.ts"
import type { RemoteAgent } from "../agent.ts"
import { grpcPlace, proxyWarnings } from "./grpc-place.ts"
import { type CardFacts, RemoteAgentError } from "./remote-agents.ts"
import type { RemoteAuth } from "./remote-auth.ts"
import type { Signing } from "./remote-fetch.ts"

export interface RemoteClient {
  readonly client: Client
  readonly facts: CardFacts
}

/** How the agent is reached. */
export interface Lines {
  /** Without saying who asks. */
  readonly plain: Fetch
  readonly signed: Fetch
  /** For transports that do not fetch. */
  readonly signing: Signing
  /** They name the proxy. */
  readonly variables: Readonly<Record<string, string>>
}

/** The SDK names the global one, which in this runtime can do more than is asked of it here. */
type FetchOfSdk = NonNullable<NonNullable<ConstructorParameters<typeof JsonRpcTransportFactory>[0]>["fetchImpl"]>

const legacyCompat = { enabled: true }
const GRPC = "GRPC"
const CARD_WITHIN = Duration.seconds(30)
const CARD_BOUNDS = { maxBytes: 1024 * 1024, gap: CARD_WITHIN }

/** The card of a remote agent as others write it: older and newer names of the same things. */
type Json = Readonly<Record<string, unknown>>

/** What many cards leave out, and means the same everywhere. */
const USUAL: Json = {
  version: "",
  description: "",
  capabilities: {},
  skills: [],
  defaultInputModes: ["text/plain"],
  defaultOutputModes: ["text/plain"]
}

/** One set of names: those of the version that the card is written in. */
export const withKnownNames = (written: Json): Json => {
  const card = { ...USUAL, ...written }
  const { additionalInterfaces, supportedInterfaces, ...rest }: Json = card
  const isNewer = Array.isArray(supportedInterfaces) && typeof rest.url !== "string"
  const interfaces = supportedInterfaces ?? additionalInterfaces
  if (!Array.isArray(interfaces)) return card
  const renamed = interfaces.map((one: unknown) => (Predicate.isReadonlyRecord(one) ? withBinding(one, isNewer) : one))
  return { ...rest, [isNewer ? "supportedInterfaces" : "additionalInterfaces"]: renamed }
}

const withBinding = ({ protocolBinding, transport, ...rest }: Json, isNewer: boolean): Json => {
  const binding = protocolBinding ?? transport
  return binding === undefined ? rest : { ...rest, [isNewer ? "protocolBinding" : "transport"]: binding }
}

/** What the model is told beside the words of the user. */
export const cardDescription = (card: {
  readonly description: string
  readonly skills: ReadonlyArray<{ readonly name: string; readonly description: string }>
}): string =>
  [
    card.description,
    ...(card.skills.length === 0
      ? []
      : ["Skills:", ...card.skills.map(({ description, name }) => `- ${name}: ${description}`)])
  ]
    .filter((line) => line !== "")
    .join("\n")

/** The ways to sign in that a card names. */
type CardScheme = "apiKey" | "http" | "oauth2" | "openIdConnect" | "mutualTLS"

const ACCEPTED: Readonly<Record<RemoteAuth["type"], ReadonlyArray<CardScheme>>> = {
  apiKey: ["apiKey"],
  http: ["http"],
  "google-credentials": ["oauth2", "openIdConnect", "http"],
  oauth: ["oauth2", "openIdConnect"]
}

/** What may go wrong with signing in; empty when the definition and the card agree. */
export const authWarnings = (
  schemes: ReadonlyArray<CardScheme>,
  auth: RemoteAuth | undefined
): ReadonlyArray<string> => {
  if (schemes.length === 0) return []
  const wanted = [...new Set(schemes)].join(", ")
  if (auth === undefined) return [`its card asks for ${wanted}, and its definition has no auth`]
  return schemes.some((scheme) => ACCEPTED[auth.type].includes(scheme))
    ? []
    : [`its card asks for ${wanted}, and its definition gives ${auth.type}`]
}

export const connect = Effect.fn("RemoteAgents.connect")(function* (
  agent: RemoteAgent,
  lines: Lines
): Effect.fn.Return<RemoteClient, RemoteAgentError> {
  const text = agent.card._tag === "url" ? yield* fetchCard(agent, agent.card.url, lines) : agent.card.json
  const resolver = new DefaultAgentCardResolver({ legacyCompat })
  const card = yield* Effect.try({
    try: () => resolver.normalizeAgentCard(withKnownNames(jsonIn(text))),
    catch: (cause) => failed(agent, "card", `its card cannot be read: ${messageOf(cause)}`)
  })
  const transports = yield* transportsFor(card, agent, lines)
  const factory = new ClientFactory({ transports, cardResolver: resolver })
  const client = yield* Effect.tryPromise({
    try: () => factory.createFromAgentCard(card),
    catch: (cause) => failed(agent, "card", `no way to reach it is known: ${messageOf(cause)}`)
  })
  const facts: CardFacts = {
    description: cardDescription(card),
    warnings: [...authWarnings(schemesOf(card), agent.auth), ...grpcWarnings(client, card, agent, lines)]
  }
  return { client, facts }
})

const transportsFor = Effect.fnUntraced(function* (card: AgentCard, agent: RemoteAgent, { signed, signing }: Lines) {
  const fetchImpl = signed as FetchOfSdk
  const http: ReadonlyArray<TransportFactory> = [
    new JsonRpcTransportFactory({ fetchImpl, legacyCompat }),
    new RestTransportFactory({ fetchImpl, legacyCompat })
  ]
  if (card.supportedInterfaces.every(({ protocolBinding }) => protocolBinding !== GRPC)) return [...http]
  const { grpcTransport } = yield* lazy(() => import("./grpc-transport.live.ts"))
  return [...http, grpcTransport(signing, { hasAuth: agent.auth !== undefined })]
})

const grpcWarnings = ({ transport }: Client, card: AgentCard, { auth }: RemoteAgent, { variables }: Lines) => {
  const place = card.supportedInterfaces.find(({ protocolBinding }) => protocolBinding === GRPC)
  return place === undefined || transport.protocolName !== GRPC
    ? []
    : proxyWarnings(grpcPlace(place.url, { hasAuth: auth !== undefined }), variables)
}

/** First without saying who asks: most cards are public. */
const fetchCard = Effect.fnUntraced(function* (agent: RemoteAgent, url: string, { plain, signed }: Lines) {
  const first = yield* ask(agent, url, plain)
  const { status, text } = first.status === 401 || first.status === 403 ? yield* ask(agent, url, signed) : first
  if (status === 401 || status === 403) return yield* failed(agent, "auth", `its card is refused (status ${status})`)
  if (status === 404 || status === 410) return yield* failed(agent, "not-found", `there is no card at ${url}`)
  if (status !== 200) return yield* failed(agent, "connection", `${url} answers with status ${status}`)
  return text
})

const ask = (agent: RemoteAgent, url: string, send: Fetch) =>
  Effect.tryPromise({
    try: (signal) => send(url, { headers: { accept: "application/json" }, signal }),
    catch: (cause) => remoteFault(agent, "connection", cause, `${url} cannot be reached: `)
  }).pipe(
    Effect.flatMap((response) =>
      Effect.map(readText(response, new URL(url), CARD_BOUNDS), (text) => ({ status: response.status, text }))
    ),
    Effect.catchTag("HttpError", ({ detail, kind }) =>
      kind === "too-large"
        ? failed(agent, "card", "its card is larger than 1 MiB")
        : failed(agent, "connection", `${url} cannot be read: ${detail}`)
    )
  )

const jsonIn = (text: string): Readonly<Record<string, unknown>> => {
  const value = Option.getOrUndefined(Schema.decodeUnknownOption(Schema.parseJson())(text))
  if (!Predicate.isReadonlyRecord(value)) throw new Error("it is not a JSON object")
  return value
}

const schemesOf = ({ securitySchemes }: AgentCard): ReadonlyArray<CardScheme> =>
  Object.values(securitySchemes).flatMap(({ scheme }): ReadonlyArray<CardScheme> => {
    switch (scheme?.$case) {
      case "apiKeySecurityScheme":
        return ["apiKey"]
      case "httpAuthSecurityScheme":
        return ["http"]
      case "oauth2SecurityScheme":
        return ["oauth2"]
      case "openIdConnectSecurityScheme":
        return ["openIdConnect"]
      case "mtlsSecurityScheme":
        return ["mutualTLS"]
      default:
        return []
    }
  })

const failed = (agent: RemoteAgent, kind: RemoteAgentError["kind"], detail: string) =>
  new RemoteAgentError({ agent: agent.name, kind, detail })

/** What was thrown on the way to an agent; a fault of ours, such as a secret that cannot be had, stays what it is. */
export const remoteFault = (
  agent: RemoteAgent,
  kind: RemoteAgentError["kind"],
  cause: unknown,
  before = ""
): RemoteAgentError => (cause instanceof RemoteAgentError ? cause : failed(agent, kind, `${before}${messageOf(cause)}`))

const MAX_MESSAGE_CHARS = 500

/** What another program says of a fault. Whole pages come along with it: nobody reads those. */
const messageOf = (cause: unknown): string => {
  const said = Predicate.isError(cause) ? cause.message : String(cause)
  const words = said.replace(/<(?:!doctype|html).*$/is, "(a page of HTML)").trim()
  return words.length <= MAX_MESSAGE_CHARS ? words : `${words.slice(0, MAX_MESSAGE_CHARS)}...`
}
