/** The page about telemetry, made from the tables that the program itself records by. */
import { COMMON_ATTRIBUTES, logEvents } from "../../src/telemetry/event-table.ts"
import { counters, histograms, type MetricRow } from "../../src/telemetry/metric-table.ts"
import {
  ALWAYS_TOLD,
  HTTP_ALWAYS_TOLD,
  SPAN_ATTRIBUTES,
  SPAN_NAMES,
  SPAN_TEXTS,
  type SpanName
} from "../../src/telemetry/span-table.ts"

export const telemetryPage = (): string => `# Telemetry

Off unless you turn it on. When it is on, \`gemini\` tells what a run does as OpenTelemetry logs, metrics and spans: to a
file, to a collector (OTLP over gRPC or HTTP) or to Google Cloud. A receiver that is down or slow costs one warning on
standard error and never changes the run or its exit code. Credentials are taken out of everything that is told.

## Settings

A flag wins over a variable, a variable over the setting.

| setting | variable | flag | default |
|---|---|---|---|
| \`telemetry.enabled\` | \`GEMINI_TELEMETRY_ENABLED\` | \`--telemetry\` | \`false\` |
| \`telemetry.target\` | \`GEMINI_TELEMETRY_TARGET\` | \`--telemetry-target\` | \`local\` (or \`gcp\`) |
| \`telemetry.otlpEndpoint\` | \`GEMINI_TELEMETRY_OTLP_ENDPOINT\`, \`OTEL_EXPORTER_OTLP_ENDPOINT\` | \`--telemetry-otlp-endpoint\` | \`http://localhost:4317\` |
| \`telemetry.otlpProtocol\` | \`GEMINI_TELEMETRY_OTLP_PROTOCOL\` | \`--telemetry-otlp-protocol\` | \`grpc\` (or \`http\`) |
| \`telemetry.outfile\` | \`GEMINI_TELEMETRY_OUTFILE\` | \`--telemetry-outfile\` | none; wins over the endpoint |
| \`telemetry.logPrompts\` | \`GEMINI_TELEMETRY_LOG_PROMPTS\` | \`--telemetry-log-prompts\` | \`true\` |
| \`telemetry.traces\` | \`GEMINI_TELEMETRY_TRACES_ENABLED\` | | \`false\` |
| \`telemetry.useCollector\` | \`GEMINI_TELEMETRY_USE_COLLECTOR\` | | \`false\` |
| \`telemetry.useCliAuth\` | \`GEMINI_TELEMETRY_USE_CLI_AUTH\` | | \`false\` |

A collector that wants to see a key gets the headers of \`OTEL_EXPORTER_OTLP_HEADERS\`. With the target \`gcp\` everything
goes to Cloud Logging, Cloud Trace and Cloud Monitoring of the project that \`OTLP_GOOGLE_CLOUD_PROJECT\` or
\`GOOGLE_CLOUD_PROJECT\` names, with the credentials of the machine or of \`GOOGLE_APPLICATION_CREDENTIALS\`; other addresses
of these services are given as for \`gcloud\`: \`CLOUDSDK_API_ENDPOINT_OVERRIDES_LOGGING\`, \`..._CLOUDTRACE\` and
\`..._MONITORING\`. HTTP goes through the proxy of all other traffic.

In a file, JSON objects follow one another, each beginning with \`{\` on a line of its own.

## Log events

On every event: ${codes(["event.name", "event.timestamp", ...COMMON_ATTRIBUTES])}. Attributes in *italics* hold texts of
people or models and need \`telemetry.logPrompts\`.

| event | when | attributes |
|---|---|---|
${Object.entries(logEvents)
  .map(([name, { about, attributes, texts }]) => `| \`${name}\` | ${about} | ${listed(attributes, texts)} |`)
  .join("\n")}

Events that the reference knows and this program has no part for are never told: ${codes(NO_PART)}.
\`experiments.ids\` is not told either: there are no experiments.

## Metrics

On every metric: ${codes(COMMON_ATTRIBUTES)}.

### Counters

${metricTable(counters)}

### Histograms

${metricTable(histograms)}

Metrics about onboarding, the browser agent, flicker and slow rendering of a screen, and comparisons with a
baseline of performance do not exist here, since what they measure does not.

\`gemini_cli.startup.duration\` has a phase for each part of the start; \`--profile\` prints the same. Memory and
processor are looked at when something happens, at most once a second, and every so many milliseconds where
\`GEMINI_MEMORY_MONITOR_INTERVAL\` says so (10,000 where it is no number); a value is recorded when it has risen by a
twentieth, and otherwise once a minute, or every half minute while somebody is at work.

## Spans

Always: ${codes(ALWAYS_TOLD)}, and of requests over HTTP
${codes(HTTP_ALWAYS_TOLD)}. Everything else needs \`telemetry.traces\`, and
${codes(SPAN_TEXTS)} need \`telemetry.logPrompts\` as well. Values are cut at 10,000 characters.

| span | around | attributes |
|---|---|---|
${SPAN_NAMES.map((name) => `| \`${name}\` | ${SPAN_ATTRIBUTES[name].about} | ${codes(attributesOf(name))} |`).join("\n")}
`

const NO_PART = [
  "gemini_cli.ide_connection",
  "gemini_cli.onboarding.start",
  "gemini_cli.onboarding.success",
  "gemini_cli.conseca.policy_generation",
  "gemini_cli.conseca.verdict"
]

const attributesOf = (name: SpanName) => SPAN_ATTRIBUTES[name].attributes

const codes = (names: ReadonlyArray<string>): string => names.map((name) => `\`${name}\``).join(", ")

const listed = (attributes: ReadonlyArray<string>, texts: ReadonlyArray<string> = []): string =>
  [...attributes.map((name) => `\`${name}\``), ...texts.map((name) => `*\`${name}\`*`)].join(", ")

const metricTable = (rows: Readonly<Record<string, MetricRow>>): string =>
  [
    "| metric | unit | what | attributes |",
    "|---|---|---|---|",
    ...Object.entries(rows).map(
      ([name, { about, attributes, unit }]) => `| \`${name}\` | ${unit ?? ""} | ${about} | ${codes(attributes)} |`
    )
  ].join("\n")
