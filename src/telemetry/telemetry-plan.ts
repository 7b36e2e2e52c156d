/**
 * Whether telemetry is on, how much it tells, and where it goes: from flags, variables and settings, in this order. Pure,
 * and on the path of every start, so it only compares a few strings where nothing is configured.
 */
import { Either } from "effect"
import type { TelemetrySettings } from "../config/setting-schema/telemetry-settings.ts"

export interface TelemetryPlan {
  /** Texts of prompts, answers, arguments and results may leave the program. */
  readonly logPrompts: boolean
  /** Spans carry all their attributes, payloads among them. */
  readonly traces: boolean
  readonly destination: Destination
}

export type Destination =
  /** Appended to, one indented JSON object after another. */
  | { readonly _tag: "File"; readonly file: string }
  /** `url` ends without a slash; each signal has its own path below it. */
  | { readonly _tag: "OtlpHttp"; readonly url: string }
  /** Scheme, host and port. */
  | { readonly _tag: "OtlpGrpc"; readonly url: string }
  /** `usesLogin`: with the sign-in of the run, and not with the credentials of the machine. */
  | { readonly _tag: "GoogleCloud"; readonly project: string; readonly usesLogin: boolean }
  /** For people, on standard error: what was asked for cannot be an address. */
  | { readonly _tag: "Console" }

/** The same names as in the settings; absent where the command line does not say. */
export interface TelemetryFlags {
  readonly enabled?: boolean | undefined
  readonly traces?: boolean | undefined
  readonly logPrompts?: boolean | undefined
  readonly useCollector?: boolean | undefined
  readonly useCliAuth?: boolean | undefined
  readonly target?: string | undefined
  readonly otlpEndpoint?: string | undefined
  readonly otlpProtocol?: string | undefined
  readonly outfile?: string | undefined
}

export interface TelemetryInput {
  readonly flags: TelemetryFlags
  readonly settings: TelemetrySettings | undefined
  readonly variable: (name: string) => string | undefined
}

/** A value that cannot be meant: the run does not start. */
export interface WrongValue {
  /** The flag or variable that holds it. */
  readonly source: string
  readonly message: string
}

export interface PlannedTelemetry {
  /** `undefined`: off. */
  readonly plan: TelemetryPlan | undefined
  readonly notices: ReadonlyArray<string>
}

const OFF: PlannedTelemetry = { plan: undefined, notices: [] }
const DEFAULT_ENDPOINT = "http://localhost:4317"

export const planTelemetry = (input: TelemetryInput): Either.Either<PlannedTelemetry, WrongValue> => {
  if (!isEnabled(input)) return Either.right(OFF)
  return Either.gen(function* () {
    const target = yield* oneOf(input, "target", "GEMINI_TELEMETRY_TARGET", ["local", "gcp"], "local")
    const protocol = yield* oneOf(input, "otlpProtocol", "GEMINI_TELEMETRY_OTLP_PROTOCOL", ["grpc", "http"], "grpc")
    const level = {
      logPrompts: flagOf(input, "logPrompts", "GEMINI_TELEMETRY_LOG_PROMPTS", true),
      traces: flagOf(input, "traces", "GEMINI_TELEMETRY_TRACES_ENABLED", false)
    }
    const { destination, notices } = destinationOf(input, target, protocol)
    return { plan: destination === undefined ? undefined : { ...level, destination }, notices }
  })
}

const isEnabled = (input: TelemetryInput): boolean => flagOf(input, "enabled", "GEMINI_TELEMETRY_ENABLED", false)

interface Chosen {
  readonly destination: Destination | undefined
  readonly notices: ReadonlyArray<string>
}

const destinationOf = (input: TelemetryInput, target: "local" | "gcp", protocol: "grpc" | "http"): Chosen => {
  const usesCollector = flagOf(input, "useCollector", "GEMINI_TELEMETRY_USE_COLLECTOR", false)
  const usesLogin = flagOf(input, "useCliAuth", "GEMINI_TELEMETRY_USE_CLI_AUTH", false)
  if (usesCollector && usesLogin) {
    return off("telemetry.useCollector and telemetry.useCliAuth exclude each other")
  }
  if (target === "gcp" && !usesCollector) {
    const project = input.variable("OTLP_GOOGLE_CLOUD_PROJECT") ?? input.variable("GOOGLE_CLOUD_PROJECT")
    return project === undefined || project === ""
      ? off("the target gcp needs OTLP_GOOGLE_CLOUD_PROJECT or GOOGLE_CLOUD_PROJECT")
      : { destination: { _tag: "GoogleCloud", project, usesLogin }, notices: [] }
  }
  const file = textOf(input, "outfile", "GEMINI_TELEMETRY_OUTFILE")
  if (file !== undefined) return { destination: { _tag: "File", file }, notices: [] }
  return otlp(endpointOf(input), protocol)
}

const off = (why: string): Chosen => ({ destination: undefined, notices: [`telemetry is off: ${why}`] })

const endpointOf = (input: TelemetryInput): string =>
  unquoted(
    textOf(input, "otlpEndpoint", "GEMINI_TELEMETRY_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_ENDPOINT") ?? DEFAULT_ENDPOINT
  )

const otlp = (endpoint: string, protocol: "grpc" | "http"): Chosen => {
  const url = URL.parse(endpoint)
  if (url === null || url.host === "") {
    return {
      destination: { _tag: "Console" },
      notices: [`telemetry goes to standard error: ${endpoint} is not an address`]
    }
  }
  return protocol === "grpc"
    ? { destination: { _tag: "OtlpGrpc", url: url.origin }, notices: [] }
    : { destination: { _tag: "OtlpHttp", url: `${url.origin}${url.pathname.replace(/\/+$/, "")}` }, notices: [] }
}

const unquoted = (text: string): string => text.trim().replace(/^(["'])(.*)\1$/, "$2")

type Name<Value> = {
  [K in keyof TelemetrySettings]-?: TelemetrySettings[K] extends Value | undefined ? K : never
}[keyof TelemetrySettings]

/** In a variable only `true` and `1` switch something on; any other text switches it off. */
const flagOf = (input: TelemetryInput, name: Name<boolean>, variable: string, otherwise: boolean): boolean => {
  const { flags, settings } = input
  const text = input.variable(variable)
  return flags[name] ?? (text === undefined ? settings?.[name] : text === "true" || text === "1") ?? otherwise
}

const textOf = (
  { flags, settings, variable }: TelemetryInput,
  name: "outfile" | "otlpEndpoint",
  ...variables: ReadonlyArray<string>
): string | undefined =>
  [flags[name], ...variables.map(variable), settings?.[name]].find((text) => text !== undefined && text !== "")

const FLAGS = { target: "--telemetry-target", otlpProtocol: "--telemetry-otlp-protocol" } as const

const oneOf = <Value extends string>(
  { flags, settings, variable }: TelemetryInput,
  name: "target" | "otlpProtocol",
  variableName: string,
  values: ReadonlyArray<Value>,
  otherwise: Value
): Either.Either<Value, WrongValue> => {
  const flag = flags[name]
  const text: string = flag ?? variable(variableName) ?? settings?.[name] ?? otherwise
  const found = values.find((value) => value === text)
  if (found !== undefined) return Either.right(found)
  const expected = values.map((value) => `"${value}"`).join(" or ")
  const source = flag === undefined ? variableName : FLAGS[name]
  return Either.left({ source, message: `expected ${expected}, found "${text}"` })
}
