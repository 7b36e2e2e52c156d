import { expect, test } from "bun:test"
import { Either } from "effect"
import { planTelemetry, type TelemetryInput } from "./telemetry-plan.ts"

const planned = (input: Partial<Omit<TelemetryInput, "variable">> & { readonly env?: Record<string, string> }) =>
  planTelemetry({ flags: {}, settings: undefined, variable: (name) => input.env?.[name], ...input })

const planOf = (input: Parameters<typeof planned>[0]) => Either.getOrThrow(planned(input)).plan

test("it is off unless something switches it on", () => {
  expect(planOf({})).toBeUndefined()
  expect(planOf({ settings: { outfile: "/x" } })).toBeUndefined()
  expect(planOf({ settings: { enabled: true }, env: { GEMINI_TELEMETRY_ENABLED: "no" } })).toBeUndefined()
  expect(planOf({ flags: { enabled: false }, env: { GEMINI_TELEMETRY_ENABLED: "true" } })).toBeUndefined()
})

test("flags beat variables, variables beat settings", () => {
  const settings = { enabled: true, logPrompts: true, outfile: "/settings" }
  const env = { GEMINI_TELEMETRY_LOG_PROMPTS: "0", GEMINI_TELEMETRY_OUTFILE: "/variable" }
  expect(planOf({ settings, env })).toEqual({
    logPrompts: false,
    traces: false,
    destination: { _tag: "File", file: "/variable" }
  })
  expect(planOf({ settings, env, flags: { outfile: "/flag", logPrompts: true } })).toEqual({
    logPrompts: true,
    traces: false,
    destination: { _tag: "File", file: "/flag" }
  })
})

const destinations: ReadonlyArray<readonly [string, Record<string, string>, object | undefined]> = [
  ["the local collector by default", {}, { _tag: "OtlpGrpc", url: "http://localhost:4317" }],
  [
    "an address in quotes",
    { GEMINI_TELEMETRY_OTLP_ENDPOINT: '"http://collector:9/base"' },
    { _tag: "OtlpGrpc", url: "http://collector:9" }
  ],
  [
    "the general variable of OpenTelemetry",
    { OTEL_EXPORTER_OTLP_ENDPOINT: "https://c/", GEMINI_TELEMETRY_OTLP_PROTOCOL: "http" },
    { _tag: "OtlpHttp", url: "https://c" }
  ],
  [
    "a path before those of the signals",
    { GEMINI_TELEMETRY_OTLP_ENDPOINT: "http://c:1/otlp/", GEMINI_TELEMETRY_OTLP_PROTOCOL: "http" },
    { _tag: "OtlpHttp", url: "http://c:1/otlp" }
  ],
  ["no address at all", { GEMINI_TELEMETRY_OTLP_ENDPOINT: "nonsense" }, { _tag: "Console" }],
  [
    "Google Cloud",
    { GEMINI_TELEMETRY_TARGET: "gcp", OTLP_GOOGLE_CLOUD_PROJECT: "a", GOOGLE_CLOUD_PROJECT: "b" },
    { _tag: "GoogleCloud", project: "a", usesLogin: false }
  ],
  ["Google Cloud without a project", { GEMINI_TELEMETRY_TARGET: "gcp" }, undefined],
  [
    "Google Cloud through a collector",
    { GEMINI_TELEMETRY_TARGET: "gcp", GEMINI_TELEMETRY_USE_COLLECTOR: "1" },
    { _tag: "OtlpGrpc", url: "http://localhost:4317" }
  ],
  [
    "two ways that exclude each other",
    { GEMINI_TELEMETRY_USE_CLI_AUTH: "true", GEMINI_TELEMETRY_USE_COLLECTOR: "true" },
    undefined
  ]
]

for (const [name, env, destination] of destinations) {
  test(`destination: ${name}`, () => {
    const { notices, plan } = Either.getOrThrow(planned({ env: { GEMINI_TELEMETRY_ENABLED: "true", ...env } }))
    expect(plan?.destination).toEqual(destination as never)
    expect(notices.length).toBe(destination === undefined || plan?.destination._tag === "Console" ? 1 : 0)
  })
}

test("a target or protocol that does not exist names its variable", () => {
  expect(planned({ env: { GEMINI_TELEMETRY_ENABLED: "1", GEMINI_TELEMETRY_TARGET: "moon" } })).toEqual(
    Either.left({ source: "GEMINI_TELEMETRY_TARGET", message: 'expected "local" or "gcp", found "moon"' })
  )
  expect(planned({ env: { GEMINI_TELEMETRY_ENABLED: "1", GEMINI_TELEMETRY_OTLP_PROTOCOL: "udp" } })._tag).toBe("Left")
})
