/**
 * Cloud Logging, Cloud Trace and Cloud Monitoring through their REST interfaces: three requests that need nothing but
 * credentials, where the vendor's clients would bring more code than the rest of the program.
 */
import { Effect } from "effect"
import type { Exporter } from "./exporter.ts"
import { logEntry } from "./google-cloud-logs.ts"
import { timeSeries } from "./google-cloud-metrics.ts"
import { cloudSpan } from "./google-cloud-spans.ts"

const METRIC_SECONDS = 30
/** The interface takes no more of them at once. */
const MAX_SERIES = 200

export const googleCloudExporter = (
  project: string,
  credentials: Effect.Effect<ReadonlyArray<readonly [name: string, value: string]>, string>
): Exporter => {
  const post = (url: string, body: unknown): Effect.Effect<void, string> =>
    Effect.flatMap(credentials, (headers) =>
      Effect.tryPromise({
        try: async (signal) => {
          const response = await fetch(url, {
            method: "POST",
            headers: [
              ...headers.map(([name, value]): [string, string] => [name, value]),
              ["content-type", "application/json"]
            ],
            body: JSON.stringify(body),
            signal
          })
          if (!response.ok) throw new Error(`${new URL(url).host} answered ${response.status}`)
        },
        catch: (error) => (error instanceof Error ? error.message : String(error))
      })
    )
  return {
    logs: (records) =>
      post("https://logging.googleapis.com/v2/entries:write", {
        logName: `projects/${project}/logs/gemini_cli`,
        resource: { type: "global" },
        entries: records.map(logEntry)
      }),
    spans: (spans) =>
      post(`https://cloudtrace.googleapis.com/v2/projects/${project}/traces:batchWrite`, {
        spans: spans.map((span) => cloudSpan(span, project))
      }),
    metrics: (metrics) =>
      Effect.forEach(
        inGroups(timeSeries(metrics), MAX_SERIES),
        (group) => post(`https://monitoring.googleapis.com/v3/projects/${project}/timeSeries`, { timeSeries: group }),
        { discard: true }
      ),
    metricSeconds: METRIC_SECONDS,
    name: `Google Cloud, project ${project}`
  }
}

const inGroups = <A>(all: ReadonlyArray<A>, size: number): ReadonlyArray<ReadonlyArray<A>> =>
  all.length === 0 ? [] : [all.slice(0, size), ...inGroups(all.slice(size), size)]
