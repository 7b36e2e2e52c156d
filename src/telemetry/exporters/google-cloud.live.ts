/**
 * Cloud Logging, Cloud Trace and Cloud Monitoring through their REST interfaces: three requests that need nothing but
 * credentials, where the vendor's clients would bring more code than the rest of the program.
 */
import { Effect } from "effect"
import type { HttpClient } from "../../system/http/http.ts"
import type { Exporter } from "./exporter.ts"
import { cloudSpan, logEntry, timeSeries } from "./google-cloud-records.ts"
import { postJson, type Variables } from "./post-json.ts"

const METRIC_SECONDS = 30
/** The interface takes no more of them at once. */
const MAX_SERIES = 200

export interface GoogleCloudOptions {
  readonly http: HttpClient
  readonly project: string
  readonly credentials: Effect.Effect<ReadonlyArray<readonly [name: string, value: string]>, string>
  readonly variables: Variables
}

export const googleCloudExporter = ({ credentials, http, project, variables }: GoogleCloudOptions): Exporter => {
  const { logging, monitoring, trace } = endpointsOf(variables)
  const post = (url: string, content: object) =>
    Effect.flatMap(credentials, (headers) => postJson({ url, body: JSON.stringify(content), headers, http }))
  return {
    logs: (records) =>
      post(`${logging}/v2/entries:write`, {
        logName: `projects/${project}/logs/gemini_cli`,
        resource: { type: "global" },
        entries: records.map(logEntry)
      }),
    spans: (spans) =>
      post(`${trace}/v2/projects/${project}/traces:batchWrite`, {
        spans: spans.map((span) => cloudSpan(span, project))
      }),
    metrics: (metrics) =>
      Effect.forEach(
        inGroups(timeSeries(metrics), MAX_SERIES),
        (group) => post(`${monitoring}/v3/projects/${project}/timeSeries`, { timeSeries: group }),
        { discard: true }
      ),
    metricSeconds: METRIC_SECONDS,
    name: `Google Cloud, project ${project}`
  }
}

/** Other addresses of the same services, such as those of a private network, under the names that `gcloud` reads. */
const endpointsOf = (variables: Variables) => ({
  logging: withoutSlash(variables.CLOUDSDK_API_ENDPOINT_OVERRIDES_LOGGING) ?? "https://logging.googleapis.com",
  trace: withoutSlash(variables.CLOUDSDK_API_ENDPOINT_OVERRIDES_CLOUDTRACE) ?? "https://cloudtrace.googleapis.com",
  monitoring: withoutSlash(variables.CLOUDSDK_API_ENDPOINT_OVERRIDES_MONITORING) ?? "https://monitoring.googleapis.com"
})

const withoutSlash = (address: string | undefined): string | undefined => address?.replace(/\/+$/, "") || undefined

const inGroups = <A>(all: ReadonlyArray<A>, size: number): ReadonlyArray<ReadonlyArray<A>> =>
  all.length === 0 ? [] : [all.slice(0, size), ...inGroups(all.slice(size), size)]
