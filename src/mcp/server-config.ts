/**
 * From the settings of one server to what it takes to reach it. Pure: the transport is chosen here, variables are
 * expanded here and only once, and what cannot be used is refused with the field to correct.
 */
import { resolve } from "node:path"
import { Either } from "effect"
import type { EnvironmentView } from "../config/environment.ts"
import { interpolateText } from "../config/interpolate.ts"
import { MCP_SERVER_FIELDS, type McpServer } from "../config/setting-schema/mcp-server.ts"
import { closestName } from "../kernel/closest-name.ts"
import type { Trust } from "../protocol/modes.ts"
import type { Sandbox } from "../sandbox/sandbox.ts"
import { type ChildVariables, childVariables, type Variables } from "../system/child-variables.ts"
import { coverCredentials, coverText, type RedactionRules } from "../system/environment-redaction.ts"
import type { ServerOrigin } from "./extension-servers.ts"
import { McpError } from "./mcp-error.ts"

export type TransportPlan =
  | {
      readonly kind: "stdio"
      readonly command: string
      readonly args: ReadonlyArray<string>
      readonly env: ChildVariables
      readonly cwd: string
      /** Stands around it; absent: nothing does. */
      readonly sandbox?: Sandbox["Type"]
    }
  | {
      readonly kind: "http" | "sse"
      readonly url: string
      readonly headers: Readonly<Record<string, string>>
      /** The settings do not say which of the two it is: the other one is tried when this one fails. */
      readonly isGuess: boolean
    }
  | { readonly kind: "ws"; readonly url: string }

export interface ServerPlan {
  readonly name: string
  readonly transport: TransportPlan
  /** For connecting, for listing and for each call. */
  readonly timeoutMs: number
  readonly settings: McpServer
  /** Oddities that do not keep it from starting, in words for people. */
  readonly warnings: ReadonlyArray<string>
}

export interface ServerSurroundings {
  readonly environment: Pick<EnvironmentView, "variables" | "cwd" | "home" | "platform">
  /** The extension that brings this server. */
  readonly origin?: ServerOrigin | undefined
  /** For a server of the project. */
  readonly sandbox?: Sandbox["Type"] | undefined
  readonly redaction: Pick<RedactionRules, "allowed" | "blocked">
  readonly trust: Trust
}

const DEFAULT_TIMEOUT_MS = 600_000
/** A timer set for longer would go off at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1

/**
 * What a server gets of our environment. A program gets our variables without secrets, and then exactly what its own
 * `env` says: entries there are wishes of the user and are never filtered. Values are expanded once; what a variable
 * holds is never looked through for further variables.
 */
interface SurroundingVariables {
  /** All variables of the run. */
  readonly variables: Variables
  readonly redaction: Pick<RedactionRules, "allowed" | "blocked">
  readonly platform: NodeJS.Platform
}

/** `env` as written in the settings; `brought` are the values of its extension's settings, which are never filtered. */
export const serverEnvironment = (
  env: Variables,
  { platform, redaction, variables }: SurroundingVariables,
  brought: Variables = {}
): ChildVariables =>
  childVariables({
    inherits: variables,
    redaction: { ...redaction, enabled: true },
    given: { GEMINI_CLI: "1", ...brought, ...expandedValues(env, { ...variables, ...brought }, platform) }
  })

const expandedValues = (written: Variables, variables: Variables, platform: NodeJS.Platform): Variables =>
  Object.fromEntries(Object.entries(written).map(([name, text]) => [name, expandVariables(text, variables, platform)]))

const REFERENCE = /\$(?:([A-Za-z_]\w*)|\{([A-Za-z_]\w*)(?::-([^}]*))?\})/g
const WINDOWS_REFERENCE = /%([A-Za-z_]\w*)%/g

/** `$NAME`, `${NAME}`, `${NAME:-default}`, on Windows also `%NAME%`. A variable that is not set becomes nothing. */
export const expandVariables = (text: string, variables: Variables, platform: NodeJS.Platform): string => {
  const lookUp = (name: string): string | undefined => (Object.hasOwn(variables, name) ? variables[name] : undefined)
  const expand = (part: string): string =>
    part.replace(REFERENCE, (_, bare?: string, braced?: string, fallback?: string) => {
      const value = lookUp(bare ?? braced ?? "")
      // As in a shell, `:-` also stands in for an empty value.
      return fallback === undefined ? (value ?? "") : value === undefined || value === "" ? fallback : value
    })
  if (platform !== "win32") return expand(text)
  // Split, so that the value of one form is not read as the other.
  let result = ""
  let end = 0
  for (const found of text.matchAll(WINDOWS_REFERENCE)) {
    result += expand(text.slice(end, found.index)) + (lookUp(found[1] ?? "") ?? "")
    end = found.index + found[0].length
  }
  return result + expand(text.slice(end))
}

export const planServer = (
  name: string,
  settings: McpServer,
  around: ServerSurroundings
): Either.Either<ServerPlan, McpError> => {
  const unknown = unknownFields(settings)
  const warnings = [
    ...unknown.map((field) => `the field ${JSON.stringify(field)} is not known${meant(field)}`),
    ...(settings.httpUrl !== undefined && settings.url !== undefined
      ? ["httpUrl and url are both set: httpUrl counts"]
      : [])
  ]
  return Either.map(transportOf(name, settings, unknown, around), (transport) => ({
    name,
    transport,
    timeoutMs: Math.min(settings.timeout ?? DEFAULT_TIMEOUT_MS, LONGEST_TIMER_MS),
    settings,
    warnings
  }))
}

const transportOf = (
  name: string,
  settings: McpServer,
  unknown: ReadonlyArray<string>,
  around: ServerSurroundings
): Either.Either<TransportPlan, McpError> => {
  const { command, httpUrl, tcp, type, url } = settings
  if (httpUrl !== undefined) return remote(name, httpUrl, { kind: "http", isGuess: false }, settings, around)
  if (url !== undefined) {
    if (type === "stdio") return refuse(name, "has a url, but its type is stdio", "Set type to http or sse.")
    return remote(name, url, { kind: type ?? "http", isGuess: type === undefined }, settings, around)
  }
  if (command !== undefined) return local(name, command, settings, around)
  if (tcp !== undefined) return webSocket(name, tcp, around)
  const [field] = unknown
  return refuse(
    name,
    field === undefined
      ? "has no command, url or httpUrl"
      : `has no command, url or httpUrl; its field ${JSON.stringify(field)} is not known${meant(field)}`,
    `Correct mcpServers.${name} in the settings.`
  )
}

/** A folder that is not trusted contributes no programs: relative names and `npx` must not find any there. */
const local = (
  name: string,
  command: string,
  settings: McpServer,
  around: ServerSurroundings
): Either.Either<TransportPlan, McpError> => {
  const { environment, trust } = around
  if (command.trim() === "") return refuse(name, "has an empty command", `Correct mcpServers.${name}.command.`)
  const home = trust === "trusted" ? environment.cwd : (environment.home ?? "/")
  return Either.right({
    kind: "stdio",
    command: expanded(command, around),
    args: (settings.args ?? []).map((arg) => expanded(arg, around)),
    env: serverEnvironment(
      settings.env ?? {},
      { ...environment, redaction: around.redaction },
      around.origin?.environment
    ),
    cwd: settings.cwd === undefined ? home : resolve(home, expanded(settings.cwd, around)),
    ...(around.sandbox === undefined ? {} : { sandbox: around.sandbox })
  })
}

const remote = (
  name: string,
  written: string,
  how: { readonly kind: "http" | "sse"; readonly isGuess: boolean },
  settings: McpServer,
  around: ServerSurroundings
): Either.Either<TransportPlan, McpError> => {
  const url = expanded(written, around)
  if (!isUrl(url, /^https?:$/))
    return refuse(name, `has a url that is none: ${url}`, "It begins with https:// or http://.")
  const headers = expandedValues(settings.headers ?? {}, variablesOf(around), around.environment.platform)
  return Either.right({ ...how, url, headers })
}

const webSocket = (
  name: string,
  written: string,
  around: ServerSurroundings
): Either.Either<TransportPlan, McpError> => {
  const address = expanded(written, around)
  const url = /^[a-z][a-z0-9+.-]*:\/\//i.test(address) ? address : `ws://${address}`
  return isUrl(url, /^wss?:$/)
    ? Either.right({ kind: "ws", url })
    : refuse(name, `has a tcp address that is none: ${address}`, "Write it as ws://host:port/path.")
}

const isUrl = (text: string, scheme: RegExp): boolean => URL.canParse(text) && scheme.test(new URL(text).protocol)

/** A variable that is not set stays as written, so that a literal `$` in a command survives. */
const expanded = (text: string, around: ServerSurroundings): string => {
  const variables = variablesOf(around)
  return interpolateText(text, (name) => (Object.hasOwn(variables, name) ? variables[name] : undefined))
}

const variablesOf = ({ environment: { variables }, origin }: ServerSurroundings): Readonly<Record<string, string>> =>
  origin === undefined ? variables : { ...variables, ...origin.environment }

/** Says nothing of where the server is, and nothing wrong: it is meant for the server of an extension. */
export const isChangeOnly = (settings: McpServer): boolean => {
  const { command, httpUrl, tcp, url, ...changes } = settings
  const isElsewhere = [command, httpUrl, tcp, url].every((place) => place === undefined)
  return isElsewhere && Object.keys(changes).length > 0 && unknownFields(settings).length === 0
}

const unknownFields = (settings: McpServer): ReadonlyArray<string> =>
  // Other clients write these; they change nothing here.
  Object.keys(settings).filter((field) => !MCP_SERVER_FIELDS.includes(field) && !/^(disabled|\$|_|name$)/.test(field))

const meant = (field: string): string => {
  const near = closestName(field.trim(), MCP_SERVER_FIELDS)
  return near === undefined ? "" : ` (did you mean ${near}?)`
}

const refuse = (server: string, detail: string, hint: string) =>
  Either.left(new McpError({ server, kind: "config", detail, hint }))

/** One line for listings: the command line or the address. Without variables, which may be secrets. */
export const targetOf = ({ args = [], command, httpUrl, tcp, url }: McpServer): string =>
  httpUrl ?? url ?? (command === undefined ? (tcp ?? "") : [command, ...args].join(" "))

/** The same for whoever looks at a list: without the credentials that an address or an argument may hold. */
export const shownTarget = (server: McpServer): string => {
  const args = coverCredentials(server.args ?? [])
  return coverText(targetOf({ ...server, args: Array.isArray(args) ? args.map(String) : [] }))
}
