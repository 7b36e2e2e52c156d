/** The card of a remote agent as others write it: older and newer names of the same things. Pure. */
import { Predicate } from "effect"
import type { RemoteAuth } from "./remote-auth.ts"

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
export type CardScheme = "apiKey" | "http" | "oauth2" | "openIdConnect" | "mutualTLS"

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
