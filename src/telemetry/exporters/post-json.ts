/** What an exporter is, and how it sends JSON to a receiver. */

import type { ReadableLogRecord } from "@opentelemetry/sdk-logs"
import type { ResourceMetrics } from "@opentelemetry/sdk-metrics"
import type { ReadableSpan } from "@opentelemetry/sdk-trace"
import { Duration, Effect } from "effect"
import { ask } from "../../system/http/ask.ts"
import type { HttpClient } from "../../system/http/http.ts"

export type ExporterVariables = Readonly<Record<string, string | undefined>>

export interface JsonPost {
  readonly http: HttpClient
  readonly url: string
  readonly body: string | Uint8Array<ArrayBuffer>
  readonly headers?: ReadonlyArray<readonly [name: string, value: string]>
}

/** Whoever records waits less than that; nobody reads the answer beyond its status. */
const BOUNDS = { within: Duration.seconds(30), maxBytes: 1024 * 1024 }

/** Fails with a reason for people. */
export const postJson = ({ body, headers = [], http, url: text }: JsonPost): Effect.Effect<void, string> =>
  Effect.suspend(() => {
    const url = URL.parse(text)
    if (url === null) return Effect.fail(`${text} is not an address`)
    const all = new Headers(headers.map(([name, value]): [string, string] => [name, value]))
    all.set("content-type", "application/json")
    return ask(http, { url, method: "POST", headers: all, body }, BOUNDS).pipe(
      Effect.mapError(({ message }) => message),
      Effect.flatMap(({ status }) =>
        status >= 200 && status < 300 ? Effect.void : Effect.fail(`${url.host} answered ${status}`)
      )
    )
  })

/**
 * Where records go. Each kind is one file, loaded only when it was chosen.
 * Sending fails with a reason for people.
 */
type Send<A> = (data: A) => Effect.Effect<void, string>

export interface Exporter {
  readonly logs: Send<ReadonlyArray<ReadableLogRecord>>
  readonly spans: Send<ReadonlyArray<ReadableSpan>>
  readonly metrics: Send<ResourceMetrics>
  /** How often metrics are sent, in seconds. */
  readonly metricSeconds: number
  /** For messages: an address or a file. */
  readonly name: string
}
